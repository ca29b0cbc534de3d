import ContractEvidence
import Foundation
import HarnessSupport
import SystemLocks

/// What earlier runs show about live cases: with `CONTRACT_FRESH`, a case that passed with the same code is
/// not run again.
final class EarlierEvidence: Sendable {
  /// Reads the contract's and the adapters' sources.
  let folders = SourceFolders()

  /// The oldest evidence that spares a case, in seconds, or `nil` if every case runs.
  private let maximumAge: Double?
  private let paths: [String]
  private let run: String
  private let index = Mutex<JournalIndex?>(nil)

  /// How far the clock of another machine may be ahead, in seconds.
  private static let clockTolerance = 3600.0

  /// Reads `CONTRACT_FRESH` and `CONTRACT_FRESH_FROM`.
  ///
  /// - Parameters:
  ///   - environment: The process's environment.
  ///   - run: The run's id.
  ///   - folder: The folder of the journals.
  ///   - problems: Receives what is wrong with a variable. Then it has no effect.
  init(
    environment: [String: String], run: String, folder: String, problems: inout [String]
  ) {
    self.run = run
    let named = (environment["CONTRACT_FRESH_FROM"] ?? "").split(separator: ",").map(String.init)
    paths = named.isEmpty ? [folder, environment["CONTRACT_JOURNAL"]].compactMap(\.self) : named
    maximumAge = environment["CONTRACT_FRESH"].flatMap(TimeSpan.seconds)
    if let text = environment["CONTRACT_FRESH"], maximumAge == nil {
      problems.append(
        EnvironmentError(
          variable: "CONTRACT_FRESH", value: text, expected: TimeSpan.expected
        ).description)
    }
  }

  /// The result that repeats earlier evidence, or `nil` if the case has to run.
  ///
  /// Only results of the same code within the maximum age count. One of them that fails makes the case run,
  /// and so does a later failure whose code is not known.
  func proof<Fixture>(
    of id: CaseID, _ clause: Clause<Fixture>, _ implementation: Implementation<Fixture>,
    _ sources: ContractSources?
  ) -> CaseResult? {
    guard let maximumAge, implementation.kind == .live else { return nil }
    let now = Date().timeIntervalSince1970
    let deviation = implementation.deviation(from: clause)
    // An intermittent deviation may hold the next time, and one that is over is a failure.
    if let deviation, deviation.isIntermittent || deviation.isOver(at: now) { return nil }
    guard let code = sources?.code(of: clause, on: implementation) else { return nil }
    let all = results(of: id).filter { now - $0.time <= maximumAge }
    let known = all.filter { $0.result.code == code }
    guard let evidence = known.last, evidence.time - now <= Self.clockTolerance,
      !known.contains(where: \.result.outcome.isFailure),
      !all.contains(where: { $0.time > evidence.time && $0.result.isBadOfUnknownCode })
    else { return nil }
    var proof = CaseResult(
      id: id, outcome: .proven(at: evidence.time), seconds: 0, witness: evidence.result.witness,
      code: code, evidenceTime: evidence.time)
    switch evidence.result.outcome {
    case .passed, .proven:
      if deviation != nil { return nil }
    case .deviates:
      guard let deviation else { return nil }
      proof.outcome = .deviates(reason: "\(deviation.reason); seen on \(Day(at: evidence.time))")
    default: return nil
    }
    return proof
  }

  /// When a case last ran, with whatever code, in seconds since 1970-01-01 00:00 UTC, or `nil` if it never
  /// did.
  func lastRun(of id: CaseID) -> Double? {
    results(of: id).last {
      switch $0.result.outcome {
      case .notRun, .notApplicable, .unavailable: false
      default: true
      }
    }?.time
  }

  private func results(of id: CaseID) -> [JournalIndex.Result] {
    let index = index.withLock { index in
      let known = index ?? JournalIndex(paths, platform: Platform.currentName, without: run)
      index = known
      return known
    }
    return index.results(of: id)
  }
}

extension CaseResult {
  /// Whether the case failed, crashed or was unavailable, and the journal doesn't say with which code.
  fileprivate var isBadOfUnknownCode: Bool {
    if code != nil { return false }
    if case .unavailable = outcome { return true }
    return outcome.isFailure
  }
}

/// What the journals of earlier runs say of a case on this platform.
///
/// Lines are decoded only for the cases that are asked for: a journal has thousands, and decoding one
/// takes about 12 µs in a debug build.
private struct JournalIndex: Sendable {
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
