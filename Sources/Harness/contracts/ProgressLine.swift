import ContractEvidence
import Foundation

/// One line on the terminal that says how far the run has come.
struct ProgressLine {
  private var journal: String
  private var reading: FileHandle?
  /// What has been read of a line that is not yet whole.
  private var rest = Data()
  private var ended = 0
  private var failed = 0
  private var latest = ""

  /// Follows a journal that may not be there yet.
  init(journal: String) { self.journal = journal }

  /// Rewrites the line until the task is cancelled; on something else than a terminal, says nothing.
  consuming func show() async {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let start = ContinuousClock.now
    while !Task.isCancelled {
      follow()
      let seconds = start.duration(to: .now).components.seconds
      let state = reading == nil ? "building" : "\(ended) cases, \(failed) failed"
      write("\r\u{1B}[K" + "\(state) · \(seconds) s · \(latest)".prefix(Self.columns - 1))
      try? await Task.sleep(for: .milliseconds(200))
    }
    write("\r\u{1B}[K")
  }

  /// Reads what is new in the journal.
  private mutating func follow() {
    if reading == nil { reading = FileHandle(forReadingAtPath: journal) }
    guard let new = try? reading?.readToEnd() else { return }
    rest += new
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
    let lines = Journal(text: String(decoding: rest[...end], as: UTF8.self))
    rest = Data(rest[rest.index(after: end)...])
    for record in lines.records {
      switch record.event {
      case .caseStarted(let id): latest = id.description.printable
      case .caseFinished(let result):
        ended += 1
        if result.outcome.isFailure { failed += 1 }
      default: break
      }
    }
  }

  /// How many columns the terminal has; 80 where it does not say.
  private static var columns: Int {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1
    return isKnown ? Int(size.ws_col) : 80
  }

  private func write(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) }
}
