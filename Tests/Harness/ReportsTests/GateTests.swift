import ContractEvidence
import ContractReports
import EvidenceSamples
import Testing

/// What the gate says about evidence that `PlantedTests` has no journal of, or with other options or times.
@Suite struct GateTests {
  private static let day = 86_400.0
  private static let strict = Gate(required: [.live], maximumAge: 7 * day)
  private static let unproven =
    "things/second is unproven: it holds on fake, and on no live implementation (real)"

  private func sentences(
    _ matrix: Matrix, _ gate: Gate = strict, now: Double = EvidenceSample.now
  ) -> [String] {
    gate.problems(in: matrix, now: now).map(\.sentence)
  }

  /// A sample, and what the gate says about it.
  struct Judged: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var sample: EvidenceSample
    var gate: Gate
    var sentences: [String]

    init(
      _ name: String, _ sample: EvidenceSample, _ gate: Gate = strict, says sentences: String...
    ) {
      testDescription = name
      self.sample = sample
      self.gate = gate
      self.sentences = sentences
    }
  }

  private static func outcome(_ id: String, _ outcome: Outcome) -> EvidenceSample {
    EvidenceSample(outcomes: [id: outcome])
  }

  /// A sample in which the live implementation ran once more.
  private static func rerun(
    _ rerun: EvidenceSample.Rerun, commit: String? = nil
  ) -> EvidenceSample {
    var sample = EvidenceSample()
    sample.commit = commit
    sample.reruns = [rerun]
    return sample
  }

  private static func touching(_ clauses: Set<String>) -> EvidenceSample {
    var sample = EvidenceSample()
    sample.touching = clauses
    return sample
  }

  /// A sample whose fake declares a deviation until a day. The present, 1,800,000,000, is 2027-01-15.
  private static func deviating(until day: String) -> EvidenceSample {
    var sample = EvidenceSample()
    sample.deviations = [
      DeviationSummary(
        clause: "second", kind: "bug", reason: "slow", link: nil, isIntermittent: true, until: day)
    ]
    return sample
  }

  private static let future =
    "things@real ran at a time 2 days in the future; check the clock of the machine that ran it, and "
    + "run it again (3 clauses: first, second, third)"

  private static func allowing(unproven patterns: String...) -> Gate {
    Gate(allowedUnproven: patterns.map { CasePattern($0) })
  }

  private static let checkingMutants: Gate = {
    var gate = strict
    gate.checksMutants = true
    return gate
  }()

  private static let unwitnessed: Gate = {
    var gate = strict
    gate.forbidsUnwitnessed = true
    return gate
  }()

  private static let unversioned: Gate = {
    var gate = strict
    gate.forbidsUnversioned = true
    return gate
  }()

  private static let unversionedButUnproven: Gate = {
    var gate = allowing(unproven: "things")
    gate.forbidsUnversioned = true
    return gate
  }()

  private static let versioned: EvidenceSample = {
    var sample = EvidenceSample()
    sample.version = "Real 1.0"
    return sample
  }()

  private static func made(of parts: [String: [String]], touching: Set<String>? = nil)
    -> EvidenceSample
  {
    var sample = EvidenceSample()
    sample.parts = parts
    sample.touching = touching
    return sample
  }

  private static let judged: [Judged] = [
    .init("sound evidence", EvidenceSample()),
    .init(
      "a deviation of the only live implementation",
      outcome("second@real", .deviates(reason: "known")), says: unproven),
    .init(
      "an unproven clause that is allowed by name",
      outcome("second@real", .deviates(reason: "known")), allowing(unproven: "things/sec*")),
    .init(
      "an unproven clause, and another that is allowed",
      outcome("second@real", .deviates(reason: "known")), allowing(unproven: "things/third"),
      says: unproven),
    .init(
      "an unavailable implementation of a required kind",
      outcome("second@real", .unavailable(reason: "no network")),
      says: "things/second@real is unavailable: no network", unproven),
    .init(
      "an unavailable implementation that is allowed",
      outcome("second@real", .unavailable(reason: "no network")), allowing(unproven: "things")),
    .init(
      "a dropped clause that is allowed by name", EvidenceSample(dropped: ["third": "too slow"]),
      allowing(unproven: "things/third")),
    .init("old evidence without a maximum age", EvidenceSample(liveAge: 8 * day), Gate()),
    .init("a clock that is 10 minutes ahead", EvidenceSample(liveAge: -600)),
    .init(
      "live results from the future", EvidenceSample(liveAge: -2 * day), says: future),
    .init(
      "live results from the future without a maximum age", EvidenceSample(liveAge: -2 * day),
      Gate(), says: future),
    .init(
      "allowances that match nothing", EvidenceSample(),
      Gate(
        allowedUnproven: [CasePattern("things/sec*"), CasePattern("things/sexond")],
        allowedWithoutStrength: [
          CasePattern("thin*"), CasePattern("thin"), CasePattern("things/a"),
        ]
      ),
      says: "--allow unproven=things/sexond matches no clause; remove it",
      "--allow strength=thin matches no contract; remove it",
      "--allow strength=things/a matches no contract; remove it"),
    .init(
      "an own contract that may lack strength", EvidenceSample(saboteur: .notRun),
      Gate(allowedWithoutStrength: [CasePattern("thi*")])),
    .init(
      "an own contract that leaves its clauses to mutants, which nothing checks",
      EvidenceSample(saboteur: .notRun, leftToMutants: ["first", "second", "third"]),
      says: "things: no saboteur ran, so nothing shows that the contract's clauses can fail; it "
        + "leaves them to mutants, so run 'contracts mutate' and add --mutation-score"),
    .init(
      "an own contract that leaves its clauses to mutants, whose score is checked",
      EvidenceSample(saboteur: .notRun, leftToMutants: ["first", "second", "third"]),
      checkingMutants),
    .init(
      "a journal that does not say whose contract it is",
      EvidenceSample(saboteur: .notRun, isOwn: nil)),
    .init(
      "a failure of an earlier commit",
      rerun(.init(commit: "bb", age: 90, outcomes: ["second": .failed]), commit: "aa")),
    .init("a live implementation that one clause sees change", touching(["second"]), unwitnessed),
    .init(
      "a live implementation without a witness", EvidenceSample(), unwitnessed,
      says: "things@real has no witness, so nothing shows that it reaches the real thing; call "
        + "scope.witness(_:_:) where its fixture is made"),
    .init(
      "a live implementation that is made of what the fake is made of",
      made(of: ["fake": ["App.Memory"], "real": ["App.Memory", "App.Wrapper"]]),
      says: "things: real is unproven: it has no witness, and is made of what a fake is made of, "
        + "fake (App.Memory)"),
    .init(
      "a live implementation that is made like the fake, and touches the real thing",
      made(of: ["fake": ["App.Memory"], "real": ["App.Memory"]], touching: ["second"])),
    .init(
      "a live implementation that is made of something else",
      made(of: ["fake": ["App.Memory"], "real": ["App.Disk"]])),
    .init("fixtures of which nothing is known", made(of: ["fake": [], "real": []])),
    .init("a live implementation with a version", versioned, unversioned),
    .init(
      "a live implementation without a version", EvidenceSample(), unversioned,
      says: "things@real records no version of what it adapts; declare .version { _ in … }"),
    .init(
      "a live implementation that could not say its version",
      EvidenceSample(
        outcomes: Dictionary(
          uniqueKeysWithValues: ["first", "second", "third"].map {
            ("\($0)@real", .unavailable(reason: "no network"))
          })),
      unversionedButUnproven),
    .init("a deviation on its last day", deviating(until: "2027-01-15")),
    .init(
      "several clauses that are unavailable for one reason",
      EvidenceSample(outcomes: [
        "first@real": .unavailable(reason: "refused"),
        "second@real": .unavailable(reason: "refused"), "third@real": .unavailable(reason: "x"),
      ]), Gate(required: [.live], allowedUnproven: [CasePattern("things")]),
      says: "things@real is unavailable: refused (2 clauses: first, second)",
      "things/third@real is unavailable: x"),
  ]

  @Test(arguments: judged) func `the gate judges`(judged: Judged) {
    #expect(sentences(judged.sample.matrix, judged.gate) == judged.sentences)
  }

  @Test func `without any evidence nothing passes, with saboteurs only either`() {
    let saboteurs = EvidenceSample().records.filter { record in
      switch record.event {
      case .caseStarted, .caseFinished: false
      default: true
      }
    }
    for matrix in [Matrix([]), Matrix(saboteurs)] {
      #expect(
        sentences(matrix).first == "there is no evidence: the journals contain no result")
    }
  }

  @Test func `a case that the budget left out is rejected, though its clause agrees`() {
    var records = EvidenceSample().records
    let extra = ImplementationSummary(
      contract: "things", id: "other", kind: .live, lacks: [:], deviations: [])
    for clause in ["first", "second", "third"] {
      let id = CaseID(contract: "things", clause: clause, implementation: "other")
      let outcome: Outcome = clause == "second" ? .notRun(reason: "it is spent") : .passed
      for event: JournalRecord.Event in [
        .implementation(extra), .caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0)),
      ] {
        records.append(
          JournalRecord(run: "run-real", time: EvidenceSample.now - 1, event: event))
      }
    }
    let matrix = Matrix(records)
    #expect(matrix.tables[0].rows[1].verdict == .agree)
    #expect(sentences(matrix) == ["things/second@other was not run: it is spent"])
  }

  @Test func `rejects a fake's results and saboteurs that are too old or from the future`() {
    let old = sentences(
      EvidenceSample(liveAge: -8 * Self.day + 60).matrix, now: EvidenceSample.now + 8 * Self.day)
    #expect(old.count == 4)
    #expect(old.first == "things/first@fake last ran 8 days ago; the maximum is 7 days")
    #expect(old.last == "things: saboteurs last ran 8 days ago; the maximum is 7 days")
    let future = "ran at a time 3 days in the future; check the clock of the machine that ran it"
    #expect(
      sentences(
        EvidenceSample(liveAge: 4 * Self.day).matrix, Gate(), now: EvidenceSample.now - 3 * Self.day
      ) == [
        "things@fake \(future), and run it again (3 clauses: first, second, third)",
        "things: saboteurs \(future), and run it again",
      ])
    let failing = EvidenceSample(outcomes: ["second@real": .failed], liveAge: -2 * Self.day)
    #expect(sentences(failing.matrix).contains("things/second@real failed"))
  }

  @Test(
    arguments: [
      (
        EvidenceSample(clauses: ["it's"], outcomes: ["it's@fake": .failed]),
        "CONTRACT='things/it'\\''s@fake'"
      ),
      (EvidenceSample(liveAge: -2 * day), "CONTRACT='things@real'"),
    ])
  func `a problem names the command that runs the cases again`(
    sample: EvidenceSample, selection: String
  ) {
    let problems = Self.strict.problems(in: sample.matrix, now: EvidenceSample.now)
    #expect(problems.first?.command == "\(selection) swift test --filter Contract")
  }
}
