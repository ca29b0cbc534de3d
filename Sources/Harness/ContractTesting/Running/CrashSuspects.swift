import ContractEvidence
import Foundation

/// The cases that may have ended the process of an earlier run.
enum CrashSuspects {
  /// Reads the latest run of a journal.
  ///
  /// - Parameters:
  ///   - path: The journal, which may be missing.
  ///   - run: The run that asks. Its other processes may write the same journal.
  /// - Returns: The cases that ended a process, or, if none is known to have, those that began and did not end.
  static func cases(in path: String, besides run: String) -> Set<CaseID> {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return [] }
    let text = String(decoding: data, as: UTF8.self)
    // Decoding 4000 lines takes 50 ms in a debug build.
    if text.suffix(500).contains("\"event\":\"run-finished\""),
      !text.contains("\"outcome\":\"crashed\"")
    {
      return []
    }
    let records = Journal(text: text).records.filter { $0.run != run }
    guard let latest = records.last?.run else { return [] }
    var running: Set<CaseID> = []
    var crashed: Set<CaseID> = []
    for record in records where record.run == latest {
      switch record.event {
      case .caseStarted(let id): running.insert(id)
      case .processCrashed(let id, _): crashed.insert(id)
      case .caseFinished(let result):
        running.remove(result.id)
        if case .crashed = result.outcome { crashed.insert(result.id) }
      default: break
      }
    }
    return crashed.isEmpty ? running : crashed
  }
}
