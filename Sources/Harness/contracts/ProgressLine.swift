import ContractEvidence
import Foundation

/// Shows the progress of a run on standard error, read from its journal.
///
/// A terminal has a last line that changes. Anywhere else there is a line for every 500 cases. Cases
/// that fail or hang have a line of their own in both.
struct ProgressLine {
  private let journal: String
  private let isTerminal =
    isatty(STDERR_FILENO) == 1
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  /// The length of the journal before the run.
  private let start: UInt64
  private var reading: FileHandle?
  /// The bytes after the last newline: a line that is still being written.
  private var incompleteLine = Data()
  private var finished = 0
  private var failed = 0
  private var latest = ""

  /// Creates a line for a journal that need not exist yet. Records that it already has are not shown.
  init(journal: String) {
    self.journal = journal
    start = FileHandle(forReadingAtPath: journal).flatMap { try? $0.seekToEnd() } ?? 0
  }

  /// Shows the progress until the task is cancelled.
  consuming func show() async {
    let start = ContinuousClock.now
    while !Task.isCancelled {
      readNewRecords()
      if isTerminal {
        let seconds = start.duration(to: .now).components.seconds
        let state = reading == nil ? "building" : "\(finished) cases, \(failed) failed"
        write(
          "\r\u{1B}[K"
            + "\(state) · \(seconds) s · \(latest)".prefix(
              TerminalSettings(descriptor: STDERR_FILENO).width - 1))
      }
      try? await Task.sleep(for: .milliseconds(200))
    }
    readNewRecords()
    if isTerminal { write("\r\u{1B}[K") }
  }

  private mutating func readNewRecords() {
    if reading == nil {
      reading = FileHandle(forReadingAtPath: journal)
      try? reading?.seek(toOffset: start)
    }
    guard let new = try? reading?.readToEnd() else { return }
    incompleteLine += new
    guard let end = incompleteLine.lastIndex(of: UInt8(ascii: "\n")) else { return }
    let journal = Journal(text: String(decoding: incompleteLine[...end], as: UTF8.self))
    incompleteLine = Data(incompleteLine[incompleteLine.index(after: end)...])
    for record in journal.records {
      switch record.event {
      case .caseStarted(let id): latest = id.description.printable
      case .caseSlow(let id, let seconds): say("… \(id) still runs after \(Int(seconds)) s")
      case .caseFinished(let result):
        finished += 1
        if result.outcome.isFailure {
          failed += 1
          say("\(result.outcome.symbol) \(result.id)")
        }
        if !isTerminal, finished.isMultiple(of: 500) { say("\(finished) cases, \(failed) failed") }
      default: break
      }
    }
  }

  /// Writes a line that stays.
  private func say(_ line: String) {
    write((isTerminal ? "\r\u{1B}[K" : "") + line.printable.replacing("\n", with: " ") + "\n")
  }

  private func write(_ text: String) { _ = writeAll(text, to: STDERR_FILENO) }
}
