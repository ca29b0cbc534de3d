import ContractEvidence
import ContractReports
import Foundation

/// Sample journals with planted faults, for reports, comparisons and the gate.
package struct EvidenceSample: Sendable {
  /// The clauses' ids.
  package var clauses: [String]
  /// The outcomes other than passed, by `clause@implementation`.
  package var outcomes: [String: Outcome]
  /// The contract's revision.
  package var revision: Int
  /// The clauses that the adopter left out, with the reasons.
  package var dropped: [String: String]
  /// When the live implementation ran, in seconds before ``now``.
  package var liveAge: Double
  /// The revision that the live implementation ran, if it is another one.
  package var liveRevision: Int?
  /// The case in which the process crashed.
  package var crash: String?
  /// What the saboteur's run shows.
  package var saboteur: Saboteur
  /// Whether the contract is the package's own; `nil` leaves the field out.
  package var isOwn: Bool?
  /// The clauses that the contract leaves to mutants.
  package var leftToMutants: [String]

  /// The deviations of the fake, declared in addition to those that ``outcomes`` shows.
  package var deviations: [DeviationSummary] = []
  /// Further runs of the live implementation.
  package var reruns: [Rerun] = []
  /// The commit of the first two runs.
  package var commit: String?
  /// The clauses that touch the live implementation's witness, or `nil` if it has none.
  package var touching: Set<String>?
  /// What the live implementation says of itself.
  package var version: String?
  /// The types that the fixtures are made of, by implementation.
  package var parts: [String: [String]] = [:]

  /// A further run of the live implementation.
  package struct Rerun: Sendable {
    /// The platform.
    package var platform: String
    /// The commit.
    package var commit: String?
    /// When it ran, in seconds before ``EvidenceSample/now``.
    package var age: Double
    /// The outcomes other than passed, by clause.
    package var outcomes: [String: Outcome]

    package init(
      platform: String = "linux", commit: String? = nil, age: Double,
      outcomes: [String: Outcome] = [:]
    ) {
      self.platform = platform
      self.commit = commit
      self.age = age
      self.outcomes = outcomes
    }
  }

  /// The result of the only saboteur.
  package enum Saboteur: Sendable {
    case caught
    case escaped
    case notRun
  }

  /// The time that ages are computed from.
  package static let now = 1_800_000_000.0

  package init(
    clauses: [String] = ["first", "second", "third"], outcomes: [String: Outcome] = [:],
    revision: Int = 1, dropped: [String: String] = [:], liveAge: Double = 60,
    liveRevision: Int? = nil, crash: String? = nil, saboteur: Saboteur = .caught,
    isOwn: Bool? = true, leftToMutants: [String] = []
  ) {
    self.clauses = clauses
    self.outcomes = outcomes
    self.revision = revision
    self.dropped = dropped
    self.liveAge = liveAge
    self.liveRevision = liveRevision
    self.crash = crash
    self.saboteur = saboteur
    self.isOwn = isOwn
    self.leftToMutants = leftToMutants
  }

  /// The records of two runs, one of a fake and one of a live implementation.
  package var records: [JournalRecord] {
    let base = RunSummary(platform: "linux", commit: commit)
    var records =
      run("fake", base, kind: .fake, revision: revision, start: Self.now - 60)
      + run(
        "real", base, kind: .live, revision: liveRevision ?? revision, start: Self.now - liveAge)
    for (index, rerun) in reruns.enumerated() {
      var sample = self
      sample.crash = nil
      sample.outcomes = Dictionary(
        rerun.outcomes.map { ("\($0)@real", $1) }, uniquingKeysWith: { $1 })
      records += sample.run(
        "real", RunSummary(platform: rerun.platform, commit: rerun.commit), id: "rerun-\(index)",
        kind: .live, revision: revision, start: Self.now - rerun.age)
    }
    return records
  }

  /// The journal's text.
  package var text: String { records.map { $0.line + "\n" }.joined() }

  /// The matrix of the records.
  package var matrix: Matrix { Matrix(records) }

  private func run(
    _ name: String, _ summary: RunSummary, id: String? = nil, kind: ImplementationKind,
    revision: Int, start: Double
  ) -> [JournalRecord] {
    let runSummary = summary
    var time = start
    func record(_ event: JournalRecord.Event) -> JournalRecord {
      time += 0.001
      return JournalRecord(run: id ?? "run-\(name)", time: time, event: event)
    }
    var summary = ContractSummary(
      id: "things", title: "Things", revision: revision,
      clauses: clauses.map {
        ClauseSummary(
          id: $0, sentence: "a thing does \($0) & <that>", source: "RFC 9 §1", group: nil,
          requires: [], absenceOf: nil, file: "Suite/Things.swift",
          path: "/repo/Suite/Things.swift", line: 7)
      }, dropped: dropped)
    summary.isOwn = isOwn
    summary.leftToMutants = leftToMutants
    let deviations = outcomes.compactMap { key, outcome -> DeviationSummary? in
      guard case .deviates(let reason) = outcome, key.hasSuffix("@\(name)") else { return nil }
      return DeviationSummary(
        clause: String(key.prefix { $0 != "@" }), kind: "bug", reason: reason,
        link: "https://bugs.example/1", isIntermittent: false)
    }
    var records = [
      record(.runStarted(runSummary)), record(.contract(summary)),
      record(
        .implementation(
          ImplementationSummary(
            contract: "things", id: name, kind: kind, lacks: [:],
            deviations: deviations + (kind == .fake ? self.deviations : []),
            version: kind == .live ? version : nil, parts: parts[name]))),
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
      let witness = touching.map {
        WitnessSummary(name: "the file", isTouched: $0.contains(clause))
      }
      records.append(
        record(
          .caseFinished(
            CaseResult(
              id: id, outcome: outcome, seconds: 0.25, issues: issues,
              witness: kind == .live ? witness : nil))))
    }
    if kind == .fake, saboteur != .notRun {
      for clause in clauses where dropped[clause] == nil {
        records.append(
          record(
            .saboteur(
              SaboteurResult(
                contract: "things", saboteur: "twister", clause: clause,
                isCaught: saboteur == .caught,
                message: saboteur == .caught ? "got 2" : "escaped"))))
      }
    }
    return records + [record(.runFinished)]
  }
}
