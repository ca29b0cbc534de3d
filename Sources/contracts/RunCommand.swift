import ContractEvidence
import Foundation

/// `contracts run`: `swift test` with a progress line, and the report at the end.
struct RunCommand {
  private var only: String?
  private var kind: String?
  private var filter: String

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(words, options: ["only", "kind", "filter"])
    if let operand = arguments.operands.first {
      throw UsageError("run takes options alone, and '\(operand)' is none")
    }
    only = arguments.options["only"]?.joined(separator: ",")
    kind = arguments.options["kind"]?.joined(separator: ",")
    filter = arguments["filter"] ?? "Contract"
    do throws(SelectionError) {
      _ = try Selection(environment: ["CONTRACT_KIND": kind ?? ""])
    } catch {
      throw UsageError("--kind '\(error.value)' is not known: give \(error.expected)")
    }
  }

  func run() async throws -> Int32 {
    let folder = ".build/contracts"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let stem = "\(folder)/run-\(UInt64(Date().timeIntervalSince1970 * 1000))"
    let journal = stem + ".jsonl"
    let log = stem + ".log"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    guard let handle = FileHandle(forWritingAtPath: log) else {
      throw JournalFileError(path: log, action: "write", code: errno)
    }

    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "test", "--filter", filter]
    var environment = ProcessInfo.processInfo.environment
    environment["CONTRACT_JOURNAL"] = journal
    if let only { environment["CONTRACT"] = only }
    if let kind { environment["CONTRACT_KIND"] = kind }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    let ends = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in ends.continuation.finish() }
    try process.run()
    let progress = Task { await ProgressLine(journal: journal).show() }
    for await _ in ends.stream {}
    progress.cancel()
    await progress.value

    guard FileManager.default.fileExists(atPath: journal) else {
      // No case ran: what swift test said is all there is.
      FileHandle.standardOutput.write(FileManager.default.contents(atPath: log) ?? Data())
      return process.terminationStatus == 0 ? 1 : process.terminationStatus
    }
    let matrix = try Contracts.matrix(of: [journal])
    let usesColour = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
    print(TerminalReport(matrix, usesColour: usesColour, journal: journal).text, terminator: "")
    print("log: \(log)")
    return process.terminationStatus
  }
}

/// One line on the terminal that says how far the run has come.
private struct ProgressLine {
  var journal: String

  /// Rewrites the line until the task is cancelled; on something else than a terminal, says nothing.
  func show() async {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let start = ContinuousClock.now
    while !Task.isCancelled {
      let seconds = start.duration(to: .now).components.seconds
      write("\r\u{1B}[K\(text) · \(seconds) s")
      try? await Task.sleep(for: .milliseconds(200))
    }
    write("\r\u{1B}[K")
  }

  private var text: String {
    guard FileManager.default.fileExists(atPath: journal) else { return "building" }
    var ended = 0
    var failed = 0
    var latest = ""
    for record in (try? Journal(contentsOf: journal))?.records ?? [] {
      switch record.event {
      case .caseStarted(let id): latest = id.description
      case .caseFinished(let result):
        ended += 1
        if result.outcome.isFailure { failed += 1 }
      default: break
      }
    }
    return "\(ended) cases, \(failed) failed · \(latest)"
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
