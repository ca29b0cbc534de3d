import CommandLineSupport
import ContractEvidence
import Foundation

/// `contracts run`: runs `swift test` with a progress line, and prints the report.
struct RunCommand {
  private var only: String?
  private var kind: String?
  private var filter: String

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: ["only", "kind", "filter"])
    if let operand = arguments.operands.first {
      throw UsageError(
        "unexpected argument '\(operand)'; 'contracts run' takes only options")
    }
    only = arguments.options["only"]?.joined(separator: ",")
    kind = arguments.options["kind"]?.joined(separator: ",")
    filter = arguments["filter"] ?? "Contract"
    do throws(EnvironmentError) {
      _ = try Selection(environment: ["CONTRACT_KIND": kind ?? ""])
    } catch {
      throw UsageError("--kind '\(error.value)' is not valid; give \(error.expected)")
    }
  }

  func run() async throws -> Int32 {
    let folder = Contracts.folder
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = "run-\(UInt64(Date().timeIntervalSince1970 * 1000))-\(getpid())"
    let journal = "\(folder)/\(name).jsonl"
    let log = "\(folder)/\(name).log"
    let descriptor = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw JournalFileError(path: log, action: "write the log", code: errno)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)

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
    let termination = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in termination.continuation.finish() }
    SignalForwarding.begin()
    try process.run()
    SignalForwarding.setChild(process.processIdentifier)
    let progress = Task { await ProgressLine(journal: journal).show() }
    for await _ in termination.stream {}
    progress.cancel()
    await progress.value

    var status = process.terminationStatus
    if process.terminationReason == .uncaughtSignal { status += 128 }
    if let signal = SignalForwarding.received {
      Contracts.program.printError("interrupted by \(signalName(signal))")
      status = 128 + signal
    }
    guard FileManager.default.fileExists(atPath: journal) else {
      // Without a journal, the output of swift test is the only explanation.
      try Output.print((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
      Contracts.program.printError("no case ran; see the log \(log)")
      return status == 0 ? 1 : status
    }
    JournalWriter.makeLatest("\(name).jsonl", in: folder)
    let matrix = try Contracts.matrix(of: [journal])
    let report = TerminalReport(matrix, usesColour: Output.usesColour, journal: journal)
    try Output.print(report.text + "log: \(log)\n")
    // swift test can exit with 0 although the journal shows a failure, such as a crash of a child.
    return status == 0 && matrix.isFailure ? 1 : status
  }
}
