import ContractEvidence
import Foundation
import SystemLocks
import Testing

/// Runs one case in a new process of the same test program.
struct OwnProcess: Sendable {
  var id: CaseID
  var test: Test
  var limit: Duration

  /// How long the process may take to start and to end, in addition to the case's time limit.
  private static let allowance = Duration.seconds(30)

  /// The variable that names the child's journal. A process that has it is a child.
  static let variable = "CONTRACT_CHILD_JOURNAL"

  /// Runs the case. A crash or a timeout of the process is a result, not an error.
  func run() async -> RawResult {
    #if os(macOS) || os(Linux) || os(Windows)
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("contract-case-\(UUID().uuidString)", isDirectory: true)
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await run(in: folder)
      } catch {
        return failure("the process of the case could not be started: \(error)")
      }
    #else
      return failure("this system can't start processes; remove .inOwnProcess()")
    #endif
  }

  private func failure(_ message: String) -> RawResult {
    let issue = IssueSummary(message: message, file: nil, path: nil, line: nil, isFixture: true)
    return RawResult(end: .ended, issues: [issue])
  }

  #if os(macOS) || os(Linux) || os(Windows)
    private func run(in folder: URL) async throws -> RawResult {
      let journal = folder.appendingPathComponent("journal.jsonl")
      let output = folder.appendingPathComponent("output.txt")
      _ = FileManager.default.createFile(atPath: output.path, contents: nil)
      let handle = try FileHandle(forWritingTo: output)
      defer { try? handle.close() }

      let process = Process()
      process.executableURL = try Self.executable()
      process.arguments = Self.arguments(filter: RerunCommand.filter(for: test))
      var environment = ProcessInfo.processInfo.environment
      environment["CONTRACT"] = id.description
      environment["CONTRACT_KIND"] = nil
      environment["CONTRACT_SHARD"] = nil
      environment["CONTRACT_JOURNAL"] = nil
      environment[Self.variable] = journal.path
      environment["SWIFT_BACKTRACE"] = "enable=no"
      // A killed process can't remove its temporary files; they go with the folder.
      environment["TMPDIR"] = folder.path
      process.environment = environment
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = handle
      process.standardError = handle
      let isKilled = try await wait(for: process)

      let records = (try? Journal(contentsOf: journal.path))?.records ?? []
      for case .implementation(let one) in records.map(\.event) where one.version != nil {
        RunRecorder.current.recordOnce(.implementation(one))
      }
      for case .caseFinished(let result) in records.map(\.event) where result.id == id {
        if case .timedOut = result.outcome {
          return RawResult(end: .timedOut(limit), issues: result.issues)
        }
        if case .unavailable(let reason) = result.outcome {
          return RawResult(end: .ended, issues: result.issues, unavailable: reason)
        }
        return RawResult(end: .ended, issues: result.issues)
      }
      let printed = Self.text(of: output)
      guard records.contains(where: { $0.event == .caseStarted(id) }) else {
        return failure("the process of the case ended before the case started:\n" + printed)
      }
      if isKilled { return RawResult(end: .timedOut(limit), issues: [], output: printed) }
      let signal = process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
      return RawResult(end: .crashed(signal: signal), issues: [], output: printed)
    }

    /// Starts the process and waits until it ends.
    ///
    /// - Returns: Whether it had to be killed.
    private func wait(for process: Process) async throws -> Bool {
      let isKilled = Mutex(false)
      let ends = AsyncStream<Void>.makeStream()
      process.terminationHandler = { _ in ends.continuation.finish() }
      try process.run()
      let pid = process.processIdentifier
      let isEnded = await TimeLimit(limit + Self.allowance).run {
        for await _ in ends.stream {}
      }
      if !isEnded {
        isKilled.withLock { $0 = true }
        kill(pid, SIGKILL)
        process.waitUntilExit()
      }
      return isKilled.withLock(\.self)
    }

    private static func executable() throws -> URL {
      #if os(Linux)
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      #else
        guard let url = Bundle.main.executableURL else { throw CocoaError(.fileNoSuchFile) }
        return url
      #endif
    }

    /// This process's arguments with another filter, and without options that write reports.
    private static func arguments(filter: String) -> [String] {
      let dropped: Set = [
        "--filter", "--skip", "--xunit-output", "--event-stream-output-path",
        "--experimental-event-stream-output", "--configuration-path", "--repetitions",
        "--attachments-path", "--experimental-attachments-path", "--testing-library",
        "--event-stream-output",
      ]
      var kept: [String] = []
      var rest = CommandLine.arguments.dropFirst()[...]
      while let argument = rest.popFirst() {
        if dropped.contains(argument) {
          _ = rest.popFirst()
        } else if !dropped.contains(where: { argument.hasPrefix($0 + "=") }) {
          kept.append(argument)
        }
      }
      return kept + ["--testing-library", "swift-testing", "--filter", filter]
    }

    /// The last 64 KiB of what the process printed.
    private static func text(of output: URL) -> String {
      guard let data = try? Data(contentsOf: output) else { return "" }
      return String(decoding: data.suffix(65_536), as: UTF8.self)
    }
  #endif
}
