import CommandLineSupport
import ContractEvidence
import Foundation

/// `contracts run`: runs `swift test` with a progress line, and prints the report.
struct RunCommand {
  private var only: String?
  private var kind: String?
  private var filter: String
  private var showsAll: Bool
  private var testProgram: String?
  private var scratchPath: String?

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments, options: ["only", "kind", "filter", "test-program", "scratch-path"], flags: ["all"]
    )
    if let operand = arguments.operands.first {
      throw UsageError(
        "unexpected argument '\(operand)'; 'contracts run' takes only options")
    }
    only = arguments.options["only"]?.joined(separator: ",")
    kind = arguments.options["kind"]?.joined(separator: ",")
    filter = arguments["filter"] ?? "Contract"
    showsAll = arguments.flags.contains("all")
    testProgram = arguments["test-program"]
    scratchPath = arguments["scratch-path"]
    do throws(EnvironmentError) {
      _ = try Selection(environment: ["CONTRACT_KIND": kind ?? ""])
    } catch {
      throw UsageError("--kind '\(error.value)' is not valid; give \(error.expected)")
    }
  }

  func run() async throws -> Int32 {
    let files = try RunFiles(environment: ProcessInfo.processInfo.environment)
    let process = try self.process(files)
    let termination = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in termination.continuation.finish() }
    let lineReader = ProgressLine(journal: files.journal)
    SignalForwarding.begin()
    try process.run()
    SignalForwarding.setChild(process.processIdentifier)
    let progress = Task { await lineReader.show() }
    for await _ in termination.stream {}
    progress.cancel()
    await progress.value

    var status = process.terminationStatus
    if process.terminationReason == .uncaughtSignal { status += 128 }
    if let signal = SignalForwarding.received {
      Contracts.program.printError("interrupted by \(signalName(signal))")
      status = 128 + signal
    }
    let log = (try? String(contentsOfFile: files.log, encoding: .utf8)) ?? ""
    guard files.hasRecords else {
      // Without a journal, the output of swift test is the only explanation.
      try Output.print(log)
      Contracts.program.printError("no case ran; see the log \(files.log)")
      return status == 0 ? 1 : status
    }
    let pruning = files.finish()
    let matrix = try Contracts.matrix(of: [files.journal])
    var report = TerminalReport(
      matrix, usesColour: Output.settings.usesColour, journal: files.journal, showsAll: showsAll)
    report.width = Output.settings.width
    try Output.print(
      report.text + "log: \(files.log)\n" + pruning
        + (status == 0 ? "" : OtherFailures(log: log, matrix).text))
    // swift test can exit with 0 although the journal shows a failure, such as a crash of a child.
    return status == 0 && matrix.isFailure ? 1 : status
  }

  /// The process that runs the tests, not yet started.
  private func process(_ files: RunFiles) throws -> Process {
    let process = Process()
    if let testProgram {
      process.executableURL = URL(fileURLWithPath: testProgram)
      process.arguments = ["--testing-library", "swift-testing", "--filter", filter]
    } else {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        ["swift", "test", "--filter", filter] + (scratchPath.map { ["--scratch-path", $0] } ?? [])
    }
    var environment = ProcessInfo.processInfo.environment
    environment["CONTRACT_RUN"] = files.run
    environment["CONTRACT_JOURNAL"] = files.journal
    if let only { environment["CONTRACT"] = only }
    if let kind { environment["CONTRACT_KIND"] = kind }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let output = try files.openLog()
    process.standardOutput = output
    process.standardError = output
    return process
  }
}

/// The journal and the log of a run.
private struct RunFiles {
  /// The run's id.
  let run: String
  let journal: String
  let log: String
  /// The folder of the journals, or `nil` if `CONTRACT_JOURNAL` names another file.
  private let folder: String?
  private let lengthBefore: UInt64

  /// Chooses the files, as the harness does. The variables of the environment have precedence.
  init(environment: [String: String]) throws {
    let folder = environment["CONTRACT_JOURNAL_FOLDER"] ?? Contracts.folder
    run = environment["CONTRACT_RUN"] ?? JournalWriter.runID(at: Date())
    let chosen = environment["CONTRACT_JOURNAL"]
    self.folder = chosen == nil ? folder : nil
    journal = chosen ?? "\(folder)/\(run).jsonl"
    log = "\(folder)/\(run).log"
    lengthBefore = Self.length(of: journal)
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  func openLog() throws(JournalFileError) -> FileHandle {
    let descriptor = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw JournalFileError(path: log, action: "write the log", code: errno)
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Whether the run added to the journal.
  var hasRecords: Bool { Self.length(of: journal) > lengthBefore }

  /// Makes the journal the latest, and returns a line about the old journals that were removed.
  func finish() -> String {
    guard let folder else { return "" }
    JournalWriter.makeLatest("\(run).jsonl", in: folder)
    return JournalWriter.prune(folder, at: Date()).map { "\($0)\n" } ?? ""
  }

  private static func length(of path: String) -> UInt64 {
    FileHandle(forReadingAtPath: path).flatMap { try? $0.seekToEnd() } ?? 0
  }
}
