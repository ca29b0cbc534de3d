import ContractEvidence
import Foundation

/// What the journals of earlier runs say of a case on this platform.
///
/// Lines are decoded only for the cases that are asked for: a journal has thousands, and decoding one
/// takes about 12 µs in a debug build.
struct EvidenceStore: Sendable {
  /// The lines of each case, by its id as text.
  private var lines: [String: [Data]] = [:]
  /// The runs on this platform.
  private var runs: Set<String> = []
  private let platform: String

  /// Reads journals.
  ///
  /// - Parameters:
  ///   - paths: Journals, and folders of journals. A path where nothing is counts as empty.
  ///   - platform: The platform whose runs count.
  ///   - run: The run to leave out: the present one.
  init(_ paths: [String], platform: String, without run: String) {
    self.platform = platform
    for path in paths {
      let journals = (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted()
        .filter { $0.hasSuffix(".jsonl") && $0 != "latest.jsonl" }.map { "\(path)/\($0)" }
      for journal in journals ?? [path] {
        // A journal that can't be read is no evidence, so its cases run.
        guard let data = FileManager.default.contents(atPath: journal) else { continue }
        add(data)
      }
    }
    runs.remove(run)
  }

  private mutating func add(_ data: Data) {
    let marker = Data("\"case\":\"".utf8)
    let quote = Data("\"".utf8)
    let start = Data("\"event\":\"run-started\"".utf8)
    var next = data.startIndex
    while next < data.endIndex {
      // Foundation's search, because the standard library's is slow in a debug build.
      let end =
        data.range(of: Data([0x0a]), in: next..<data.endIndex)?.lowerBound ?? data.endIndex
      let line = data[next..<end]
      next = end + 1
      if let name = line.range(of: marker),
        let last = line.range(of: quote, in: name.upperBound..<line.endIndex)
      {
        let id = line[name.upperBound..<last.lowerBound]
        lines[String(decoding: id, as: UTF8.self), default: []].append(line)
      } else if line.range(of: start) != nil,
        let record = try? JournalRecord(line: String(decoding: line, as: UTF8.self)),
        case .runStarted(let summary) = record.event, summary.platform == platform
      {
        runs.insert(record.run)
      }
    }
  }

  /// A result of a case.
  struct Result: Sendable {
    var result: CaseResult
    /// When the case ran, in seconds since 1970-01-01 00:00 UTC.
    var time: Double
  }

  /// The results of a case, the earliest first. A case that started more often than it ended has
  /// crashed.
  func results(of id: CaseID) -> [Result] {
    let records = Set(lines[id.description] ?? []).compactMap { line in
      try? JournalRecord(line: String(decoding: line, as: UTF8.self))
    }
    .sorted { $0.time < $1.time }
    var results: [Result] = []
    var unfinished: [String: (count: Int, time: Double)] = [:]
    for record in records where runs.contains(record.run) {
      switch record.event {
      case .caseStarted:
        let known = unfinished[record.run] ?? (0, 0)
        unfinished[record.run] = (known.count + 1, max(known.time, record.time))
      case .caseFinished(let result):
        results.append(Result(result: result, time: result.evidenceTime ?? record.time))
        // A case that was spared or is unavailable may have no start.
        if let open = unfinished[record.run], open.count > 0 {
          unfinished[record.run]?.count = open.count - 1
        }
      case .processCrashed(_, let signal):
        let crash = CaseResult(id: id, outcome: .crashed(signal: signal), seconds: 0)
        results.append(Result(result: crash, time: record.time))
      default: break
      }
    }
    for (count, time) in unfinished.values where count > 0 {
      let crash = CaseResult(id: id, outcome: .crashed(signal: 0), seconds: 0)
      results.append(Result(result: crash, time: time))
    }
    return results.sorted { $0.time < $1.time }
  }
}
