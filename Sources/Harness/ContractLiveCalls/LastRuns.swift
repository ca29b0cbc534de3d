import ContractEvidence
import Foundation

/// When the cases of some implementations last ran, according to the journals of earlier runs.
struct LastRuns: Sendable {
  private var times: [CaseID: Double] = [:]

  /// Reads journals. A file that can't be read shows nothing.
  ///
  /// - Parameters:
  ///   - implementations: The ids of the implementations.
  ///   - paths: The paths of journals, and of folders with journals.
  init(of implementations: Set<String>, in paths: [String]) {
    // A line's keys are sorted. A journal has thousands of lines, and decoding one takes 12 µs in a debug
    // build, so only those of the implementations' results are decoded.
    let marks = implementations.map { Data("@\($0)\",\"event\":\"case-finished\"".utf8) }
    for path in paths {
      let journals = (try? FileManager.default.contentsOfDirectory(atPath: path))?
        .filter { $0.hasSuffix(".jsonl") && $0 != "latest.jsonl" }.map { "\(path)/\($0)" }
      for journal in journals ?? [path] {
        let lines = FileManager.default.contents(atPath: journal)?.split(separator: 0x0a) ?? []
        for line in lines where marks.contains(where: { line.range(of: $0) != nil }) {
          guard let record = try? JournalRecord(line: String(decoding: line, as: UTF8.self)),
            case .caseFinished(let result) = record.event
          else { continue }
          switch result.outcome {
          case .notRun, .notApplicable, .unavailable: break
          default: times[result.id] = max(record.time, times[result.id] ?? 0)
          }
        }
      }
    }
  }

  /// When a case last ran, in seconds since 1970-01-01 00:00 UTC, or `nil` if it never did.
  func time(of id: CaseID) -> Double? { times[id] }
}
