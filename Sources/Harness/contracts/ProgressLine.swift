import ContractEvidence
import Foundation

/// A line on the terminal that shows the progress of a run, read from its journal.
struct ProgressLine {
  private var journal: String
  private var reading: FileHandle?
  /// The bytes after the last newline: a line that is still being written.
  private var incompleteLine = Data()
  private var finished = 0
  private var failed = 0
  private var latest = ""

  /// Creates a line for a journal that need not exist yet.
  init(journal: String) { self.journal = journal }

  /// Updates the line every 200 ms until the task is cancelled, if standard error is a terminal.
  consuming func show() async {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let start = ContinuousClock.now
    while !Task.isCancelled {
      readNewRecords()
      let seconds = start.duration(to: .now).components.seconds
      let state = reading == nil ? "building" : "\(finished) cases, \(failed) failed"
      write("\r\u{1B}[K" + "\(state) · \(seconds) s · \(latest)".prefix(Self.columns - 1))
      try? await Task.sleep(for: .milliseconds(200))
    }
    write("\r\u{1B}[K")
  }

  private mutating func readNewRecords() {
    if reading == nil { reading = FileHandle(forReadingAtPath: journal) }
    guard let new = try? reading?.readToEnd() else { return }
    incompleteLine += new
    guard let end = incompleteLine.lastIndex(of: UInt8(ascii: "\n")) else { return }
    let journal = Journal(text: String(decoding: incompleteLine[...end], as: UTF8.self))
    incompleteLine = Data(incompleteLine[incompleteLine.index(after: end)...])
    for record in journal.records {
      switch record.event {
      case .caseStarted(let id): latest = id.description.printable
      case .caseFinished(let result):
        finished += 1
        if result.outcome.isFailure { failed += 1 }
      default: break
      }
    }
  }

  /// The terminal's width, or 80 if it is unknown.
  private static var columns: Int {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1
    return isKnown ? Int(size.ws_col) : 80
  }

  private func write(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) }
}
