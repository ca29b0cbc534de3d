import ContractEvidence

/// The runs of one journal, in a form in which one change is one assignment.
///
/// There are four clauses, a fake, the live implementations `real` and `other`, and a saboteur for each clause. Every
/// implementation has a run on each platform, and the saboteurs have one. `other` deviates from `third` as declared, so
/// only `real` shows that clause. `other` sometimes deviates from `first`.
struct PairedRuns: Sendable {
  static let clauses = ["first", "second", "third", "fourth"]
  static let implementations = ["fake", "real", "other"]
  static let contract = "things"

  var runs: [Run] = []

  /// One run of an implementation, or of the saboteurs.
  struct Run: Sendable {
    var id: String
    var platform: String
    var implementation: ImplementationSummary?
    var clauses = PairedRuns.clauses.map(PairedRuns.clause)
    var revision = 1
    var dropped: [String: String] = [:]
    var isOwn = true
    var withoutSaboteur: [String] = []
    var leftToMutants: [String] = []
    /// The ends of each case by clause; one that is missing never started.
    var results: [String: [Outcome]] = [:]
    /// The clauses whose cases started without an end.
    var unfinished: Set<String> = []
    /// Whether each clause's saboteur is caught; one that is missing did not run.
    var caught: [String: Bool] = [:]
    var isTouched = true
    /// What comes before the last record.
    var others: [JournalRecord.Event] = []
    var digest: String?
    var isEnded = true
    /// Changes the finished lines.
    var edit: @Sendable (inout [String]) -> Void = { _ in }
  }

  /// Sound runs.
  init(on platforms: [String]) {
    for platform in platforms {
      for name in Self.implementations { runs.append(Self.run(of: name, on: platform)) }
    }
    var saboteurs = Run(id: "saboteurs", platform: platforms[0])
    for clause in Self.clauses { saboteurs.caught[clause] = true }
    runs.append(saboteurs)
  }

  static func run(of name: String, on platform: String) -> Run {
    var run = Run(id: "\(name)-\(platform)", platform: platform)
    var deviations: [DeviationSummary] = []
    for clause in clauses { run.results[clause] = [.passed] }
    if name == "other" {
      deviations = [deviation("first", intermittent: true), deviation("third")]
      run.results["third"] = [.deviates(reason: "known")]
    }
    run.implementation = ImplementationSummary(
      contract: contract, id: name, kind: name == "fake" ? .fake : .live, lacks: [:],
      deviations: deviations, version: name == "fake" ? nil : "\(name) 1.0")
    return run
  }

  static func clause(_ id: String) -> ClauseSummary {
    ClauseSummary(
      id: id, sentence: "a thing does \(id)", source: "RFC 9", group: nil, requires: [],
      absenceOf: nil, file: "Suite/Things.swift", path: "/repo/Suite/Things.swift", line: 7)
  }

  static func deviation(_ clause: String, intermittent: Bool = false) -> DeviationSummary {
    DeviationSummary(
      clause: clause, kind: "bug", reason: "known", link: nil, isIntermittent: intermittent)
  }

  /// Changes the run of an implementation on a platform, or on all of them; `saboteurs` is one, too.
  mutating func change(_ name: String, on platform: String? = nil, _ body: (inout Run) -> Void) {
    for index in runs.indices {
      let run = runs[index]
      guard (run.implementation?.id ?? run.id) == name, platform == nil || run.platform == platform
      else { continue }
      body(&runs[index])
    }
  }

  /// Changes every run.
  mutating func changeAll(_ body: (inout Run) -> Void) {
    for index in runs.indices { body(&runs[index]) }
  }

  /// The journal's text: one run after the other, a second apart.
  var text: String {
    var text = ""
    for (index, run) in runs.enumerated() {
      text += run.lines(from: EvidenceTime.now - 1000 + Double(index)).map { $0 + "\n" }.joined()
    }
    return text
  }

  var journal: Journal { Journal(text: text, path: "journal") }
}

/// The time that ages are computed from.
enum EvidenceTime {
  static let now = 1_800_000_000.0
}

extension PairedRuns.Run {
  func id(_ clause: String) -> CaseID {
    CaseID(
      contract: PairedRuns.contract, clause: clause, implementation: implementation?.id ?? "")
  }

  /// The run's lines, a millisecond apart.
  fileprivate func lines(from start: Double) -> [String] {
    var time = start
    var lines = events.map { event in
      time += 0.001
      return JournalRecord(run: id, time: time, event: event).line
    }
    edit(&lines)
    return lines
  }

  private var events: [JournalRecord.Event] {
    var contract = ContractSummary(
      id: PairedRuns.contract, title: "Things", revision: revision, clauses: clauses,
      dropped: dropped, clausesWithoutSaboteur: withoutSaboteur, leftToMutants: leftToMutants,
      isOwn: isOwn)
    if let digest { contract.digest = digest }
    var events: [JournalRecord.Event] = [
      .runStarted(RunSummary(platform: platform, commit: "1a2b3c")), .contract(contract),
    ]
    if let implementation {
      events.append(.implementation(implementation))
      for clause in clauses.map(\.id) where dropped[clause] == nil {
        guard let outcomes = results[clause] else { continue }
        events.append(.caseStarted(id(clause)))
        if unfinished.contains(clause) { continue }
        for outcome in outcomes { events.append(end(clause, outcome)) }
      }
    }
    for (clause, isCaught) in caught.sorted(by: { $0.key < $1.key }) {
      events.append(
        .saboteur(
          SaboteurResult(
            contract: PairedRuns.contract, saboteur: "twister", clause: clause, isCaught: isCaught,
            message: isCaught ? "got 2" : "escaped")))
    }
    return events + others + (isEnded ? [.runFinished] : [])
  }

  func end(_ clause: String, _ outcome: Outcome) -> JournalRecord.Event {
    let isLive = implementation?.kind == .live
    let issue = IssueSummary(message: "got 2", file: "Suite/Things.swift", path: nil, line: 9)
    return .caseFinished(
      CaseResult(
        id: id(clause), outcome: outcome, seconds: 0.25,
        issues: outcome == .failed ? [issue] : [],
        witness: isLive ? WitnessSummary(name: "the file", isTouched: isTouched) : nil))
  }
}
