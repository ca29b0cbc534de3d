import CPlatform
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
  static let allowance = Duration.seconds(30)

  /// The variable that names the child's journal. A process that has it is a child.
  static let variable = "CONTRACT_CHILD_JOURNAL"

  /// Runs the case. A crash or a timeout of the process is a result, not an error.
  func run() async -> RawResult {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("contract-case-\(UUID().uuidString)", isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      return try await run(in: folder)
    } catch {
      return Self.failure("the process of the case could not be started: \(error)")
    }
  }

  static func failure(_ message: String) -> RawResult {
    let issue = IssueSummary(message: message, file: nil, path: nil, line: nil, isFixture: true)
    return RawResult(end: .ended, issues: [issue])
  }

  private func run(in folder: URL) async throws -> RawResult {
    let journal = folder.appendingPathComponent("journal.jsonl")
    let process = try TestProcess(
      running: test, in: folder,
      environment: ["CONTRACT": id.description, Self.variable: journal.path])
    let isKilled = await !process.ends(within: limit + Self.allowance)
    if isKilled { process.kill() }
    let end = process.waitUntilEnd()

    return Self.result(
      of: id, limit: limit, records: (try? Journal(contentsOf: journal.path))?.records ?? [],
      end: end, isKilled: isKilled, output: process.output)
  }

  /// The result of a case in another process.
  ///
  /// - Parameters:
  ///   - id: The case.
  ///   - limit: Its time limit.
  ///   - records: What the process wrote to its journal during the case.
  ///   - end: How the process ended, if the case did not.
  ///   - isKilled: Whether this process killed it.
  ///   - output: What it printed.
  static func result(
    of id: CaseID, limit: Duration, records: [JournalRecord], end: TestProcess.End, isKilled: Bool,
    output printed: String
  ) -> RawResult {
    for case .implementation(let one) in records.map(\.event) where one.version != nil {
      RunRecorder.current.recordOnce(.implementation(one))
    }
    for case .caseFinished(let result) in records.map(\.event) where result.id == id {
      if case .timedOut = result.outcome {
        return RawResult(end: .timedOut(limit), issues: result.issues, witness: result.witness)
      }
      if case .unavailable(let reason) = result.outcome {
        return RawResult(end: .ended, issues: result.issues, unavailable: reason)
      }
      return RawResult(end: .ended, issues: result.issues, witness: result.witness)
    }
    guard records.contains(where: { $0.event == .caseStarted(id) }) else {
      return failure("the process of the case ended before the case started:\n" + printed)
    }
    if isKilled { return RawResult(end: .timedOut(limit), issues: [], output: printed) }
    return RawResult(end: .crashed(signal: end.signal ?? 0), issues: [], output: printed)
  }
}

/// Processes of the same test program that run cases of one test, each one case at a time, until a
/// case ends them.
final class SharedProcesses: Sendable {
  static let shared = SharedProcesses()

  private struct Key: Hashable {
    var test: String
    var contract: String
    var implementation: String
  }

  private let idle = Mutex<[Key: [SharedProcess]]>([:])

  /// Runs a case in a process that waits, or in a new one.
  func run(_ id: CaseID, in test: Test, limit: Duration) async -> RawResult {
    let key = Key(
      test: "\(test.id)", contract: id.contract, implementation: id.implementation)
    let process: SharedProcess
    do {
      process = try idle.withLock { $0[key]?.popLast() } ?? SharedProcess(for: id, in: test)
    } catch {
      return OwnProcess.failure("the process of the case could not be started: \(error)")
    }
    let (result, isReusable) = await process.run(id, limit: limit)
    if isReusable {
      idle.withLock { $0[key, default: []].append(process) }
    } else {
      process.remove()
    }
    return result
  }

  /// Ends the processes that wait, and removes their folders.
  func removeAll() {
    let processes = idle.withLock { idle in
      defer { idle = [:] }
      return idle.values.flatMap(\.self)
    }
    for process in processes { process.remove() }
  }
}

/// A process that runs the cases that it is asked for. One task at a time uses it.
private final class SharedProcess: Sendable {
  private let process: TestProcess
  private let folder: URL
  private let journal: String
  /// This process's end of the connection: lines with case ids go out, and an empty line comes back
  /// when a case has ended.
  private let socket: CInt
  private let replies: AsyncStream<Void>
  private let position = Mutex<UInt64>(0)

  init(for id: CaseID, in test: Test) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("contract-cases-\(UUID().uuidString)", isDirectory: true)
    journal = folder.appendingPathComponent("journal.jsonl").path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var ends: [CInt] = [-1, -1]
    do {
      guard platform_connected_sockets(&ends) == 0 else {
        throw TestProcess.StartError(action: "connect to the process", code: errno)
      }
      process = try TestProcess(
        running: test, in: folder,
        environment: [
          "CONTRACT": "\(id.contract)/*@\(id.implementation)", OwnProcess.variable: journal,
          SharedCases.variable: "1",
        ], input: FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    } catch {
      if ends[0] >= 0 { close(ends[0]) }
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    let socket = ends[0]
    self.socket = socket
    let (replies, continuation) = AsyncStream<Void>.makeStream()
    self.replies = replies
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while true {
        let count = read(socket, &byte, 1)
        if count > 0 {
          continuation.yield()
        } else if count == 0 || errno != EINTR {
          break
        }
      }
      continuation.finish()
    }
  }

  /// Ends the process, and removes its folder.
  func remove() {
    process.kill()
    _ = process.waitUntilEnd()
    // The thread that reads closes nothing, because the number could be another file's by then.
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Runs a case.
  ///
  /// - Returns: The result, and whether the process can run another case.
  func run(_ id: CaseID, limit: Duration) async -> (RawResult, isReusable: Bool) {
    let line = Array("\(id)\n".utf8)
    // If the process has ended, the connection is closed, and there is no reply.
    _ = platform_send(socket, line, line.count)
    let hasReplied = Mutex(false)
    let isInTime = await TimeLimit(limit + OwnProcess.allowance).run { [replies] in
      for await _ in replies {
        hasReplied.withLock { $0 = true }
        break
      }
    }
    let isAlive = isInTime && hasReplied.withLock(\.self)
    if !isInTime { process.kill() }
    let end = isAlive ? TestProcess.End(signal: nil, status: 0) : process.waitUntilEnd()
    let result = OwnProcess.result(
      of: id, limit: limit, records: newRecords(), end: end, isKilled: !isInTime,
      output: isAlive ? "" : process.output)
    // A case that timed out may still run.
    return (result, isAlive && result.end == .ended)
  }

  private func newRecords() -> [JournalRecord] {
    guard let file = FileHandle(forReadingAtPath: journal) else { return [] }
    return position.withLock { position in
      try? file.seek(toOffset: position)
      let data = (try? file.readToEnd()) ?? Data()
      position += UInt64(data.count)
      return Journal(text: String(decoding: data, as: UTF8.self)).records
    }
  }
}

/// Runs the cases that the parent process asks for, one after the other, until it closes the
/// connection that is this process's standard input.
///
/// The test's first case stands for all: whatever order the test would run its cases in, the parent
/// decides.
final class SharedCases: Sendable {
  static let shared = SharedCases()

  /// The variable that makes a child process serve.
  static let variable = "CONTRACT_CHILD_SERVES"

  private let cases = Mutex<[String: @Sendable () async throws -> Void]>([:])
  private let isServing = Mutex(false)

  /// Adds cases that the parent can ask for.
  func add<Fixture>(_ cases: [ContractCase<Fixture>]) {
    self.cases.withLock { known in
      for one in cases { known[one.id] = { try await one.verifyNow() } }
    }
  }

  /// Serves until the connection is closed, or returns at once if another case does.
  func serve() async {
    let isFirst = isServing.withLock { isServing in
      defer { isServing = true }
      return !isServing
    }
    guard isFirst else { return }
    let (requests, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    for await id in requests {
      // An error cancels the test case. The journal has the outcome.
      try? await cases.withLock { $0[id] }?()
      _ = platform_send(STDIN_FILENO, "\n", 1)
    }
  }
}
