import CPlatform
import ContractEvidence
import Foundation
import HarnessSupport
import SystemLocks
import Testing

/// Processes of the same test program that run cases of one test for this process, each one case at a time.
final class CaseProcesses: Sendable {
  static let shared = CaseProcesses()

  private struct Key: Hashable {
    var test: String
    var contract: String
    var implementation: String
  }

  private let idle = Mutex<[Key: [CaseProcess]]>([:])

  /// Runs a case in another process. A crash or a timeout of the process is a result, not an error.
  ///
  /// - Parameters:
  ///   - id: The case.
  ///   - test: The test that has the case.
  ///   - limit: The case's time limit.
  ///   - isShared: Whether cases run in one process until one of them ends it.
  func run(_ id: CaseID, in test: Test, limit: Duration, isShared: Bool) async -> RawResult {
    let key = Key(
      test: "\(test.id)", contract: id.contract, implementation: id.implementation)
    let process: CaseProcess
    do {
      let waiting = isShared ? idle.withLock { $0[key]?.popLast() } : nil
      process = try waiting ?? CaseProcess(for: id, in: test)
    } catch {
      return .broken("the process of the case could not be started: \(error)")
    }
    let (result, isReusable) = await process.run(id, limit: limit)
    if isShared, isReusable {
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

/// A process that serves the cases of one test on one implementation. One task at a time uses it.
private final class CaseProcess: Sendable {
  /// How long the process may take to start and to answer, in addition to the case's time limit.
  private static let allowance = Duration.seconds(30)

  private let process: TestProcess
  private let folder: LockedFolder
  private let journal: String
  /// This process's end of the connection to the process's ``CaseServer``.
  private let socket: CInt
  /// An element for each command that has been carried out.
  private let replies: AsyncStream<Void>
  private let position = Mutex<UInt64>(0)

  init(for id: CaseID, in test: Test) throws {
    folder = try LockedFolder("s")
    journal = folder.url.appendingPathComponent("journal.jsonl").path
    var ends: [CInt] = [-1, -1]
    do {
      guard platform_connected_sockets(&ends) == 0 else {
        throw TestProcess.StartError(action: "connect to the process", code: errno)
      }
      process = try TestProcess(
        running: test, in: folder.url,
        environment: [
          "CONTRACT": "\(id.contract)/*@\(id.implementation)", ProcessRole.childVariable: journal,
        ], input: FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    } catch {
      if ends[0] >= 0 { close(ends[0]) }
      try? folder.remove()
      throw error
    }
    let socket = ends[0]
    self.socket = socket
    let (replies, continuation) = AsyncStream<Void>.makeStream()
    self.replies = replies
    Thread.detachNewThread {
      var lines = LineBuffer()
      while lines.fill(from: socket) {
        while let line = lines.next() {
          if CaseServerLine(line) == .done { continuation.yield() }
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
    try? folder.remove()
  }

  /// Runs a case.
  ///
  /// - Returns: The result, and whether the process can run another case.
  func run(_ id: CaseID, limit: Duration) async -> (RawResult, isReusable: Bool) {
    let line = Array("\(id)\n".utf8)
    // If the process has ended, the connection is closed, and there is no reply.
    _ = platform_send(socket, line, line.count)
    let hasReplied = Mutex(false)
    let isInTime = await TimeLimit(limit + Self.allowance).run { [replies] in
      for await _ in replies {
        hasReplied.withLock { $0 = true }
        break
      }
    }
    let isAlive = isInTime && hasReplied.withLock(\.self)
    if !isInTime { process.kill() }
    let end = isAlive ? nil : process.waitUntilEnd()
    var result = reported(of: id, limit: limit)
    if let end, result.end == .crashed(signal: 0) {
      // The process ended or was killed, and the case had begun.
      result.end = isInTime ? .crashed(signal: end.signal ?? 0) : .timedOut(limit)
      result.output = process.output
    }
    // A case that timed out may still run.
    return (result, isAlive && result.end == .ended)
  }

  /// What the process's journal says of a case, `.crashed(signal: 0)` if the case did not end.
  private func reported(of id: CaseID, limit: Duration) -> RawResult {
    let events = newRecords().map(\.event)
    for case .implementation(let one) in events where one.version != nil || one.parts != nil {
      RunRecorder.current.recordOnce(.implementation(one))
    }
    for case .caseFinished(let result) in events where result.id == id {
      var raw = RawResult(
        end: .ended, issues: result.issues, witness: result.witness,
        expectations: result.expectations)
      if case .timedOut = result.outcome { raw.end = .timedOut(limit) }
      if case .unavailable(let reason) = result.outcome { raw.unavailable = reason }
      return raw
    }
    guard events.contains(.caseStarted(id)) else {
      return .broken("the process of the case ended before the case started:\n" + process.output)
    }
    return RawResult(end: .crashed(signal: 0), issues: [])
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
