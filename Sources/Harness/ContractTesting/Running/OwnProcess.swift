import ContractEvidence
import Foundation
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
