import ContractEvidence
import Foundation

/// Journals with something planted in them, for the reports, the comparison and the gate.
struct EvidenceSample {
  /// The clauses' ids.
  var clauses = ["first", "second", "third"]
  /// Outcomes that are not simply passed, by `clause@implementation`.
  var outcomes: [String: Outcome] = [:]
  /// The contract's revision.
  var revision = 1
  /// Clauses that the adopter dropped.
  var dropped: [String: String] = [:]
  /// When the live side ran, in seconds before ``now``.
  var liveAge = 60.0
  /// The revision that the live side knew, where it was another.
  var liveRevision: Int?
  /// The case that the live side was in when it crashed.
  var crash: String?
  /// Whether the saboteur escapes.
  var isWeak = false

  /// The time that ages are counted from.
  static let now = 1_800_000_000.0

  /// The records: a fake side and a live side, each a run of its own.
  var records: [JournalRecord] {
    side("fake", kind: .fake, revision: revision, start: Self.now - 60)
      + side("real", kind: .live, revision: liveRevision ?? revision, start: Self.now - liveAge)
  }

  /// The journal's text.
  var text: String { records.map { $0.line + "\n" }.joined() }

  /// The matrix of the records.
  var matrix: Matrix { Matrix(records) }

  private func side(
    _ name: String, kind: ImplementationKind, revision: Int, start: Double
  ) -> [JournalRecord] {
    var time = start
    func record(_ event: JournalRecord.Event) -> JournalRecord {
      time += 0.001
      return JournalRecord(run: "run-\(name)", time: time, event: event)
    }
    let summary = ContractSummary(
      id: "things", title: "Things", revision: revision,
      clauses: clauses.map {
        ClauseSummary(
          id: $0, sentence: "a thing does \($0) & <that>", source: "RFC 9 §1", group: nil,
          requires: [], absenceOf: nil, file: "Suite/Things.swift",
          path: "/repo/Suite/Things.swift", line: 7)
      }, dropped: dropped)
    let deviations = outcomes.compactMap { key, outcome -> DeviationSummary? in
      guard case .deviates(let reason) = outcome, key.hasSuffix("@\(name)") else { return nil }
      return DeviationSummary(
        clause: String(key.prefix { $0 != "@" }), kind: "bug", reason: reason,
        link: "https://bugs.example/1", isIntermittent: false)
    }
    var records = [
      record(.runStarted(platform: "linux")), record(.contract(summary)),
      record(
        .implementation(
          ImplementationSummary(
            contract: "things", id: name, kind: kind, lacks: [:], deviations: deviations))),
    ]
    for clause in clauses where dropped[clause] == nil {
      let id = CaseID(contract: "things", clause: clause, implementation: name)
      records.append(record(.caseStarted(id)))
      if crash == "\(clause)@\(name)" { return records }
      let outcome = outcomes["\(clause)@\(name)"] ?? .passed
      let issues =
        outcome == .failed
        ? [
          IssueSummary(
            message: "got \"2\" <not> 1 | & more", file: "Suite/Things.swift",
            path: "/repo/Suite/Things.swift", line: 42)
        ] : []
      records.append(
        record(.caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0.25, issues: issues))))
    }
    if kind == .fake {
      for clause in clauses where dropped[clause] == nil {
        records.append(
          record(
            .saboteur(
              SaboteurResult(
                contract: "things", saboteur: "twister", clause: clause, isCaught: !isWeak,
                message: isWeak ? "escaped" : "got 2"))))
      }
    }
    return records + [record(.runFinished)]
  }
}
