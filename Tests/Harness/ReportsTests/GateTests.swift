import ContractEvidence
import ContractReports
import EvidenceSamples
import Testing

@Suite struct GateTests {
  private let strict = Gate(required: [.live], maximumAge: 7 * 86_400)

  private func problems(in sample: EvidenceSample, _ gate: Gate? = nil) -> [Gate.Problem] {
    (gate ?? strict).problems(in: sample.matrix, now: EvidenceSample.now)
  }

  @Test func `passes with sound evidence`() {
    #expect(problems(in: EvidenceSample()).isEmpty)
  }

  @Test func `fails without any evidence`() {
    let problems = strict.problems(in: Matrix([]), now: 0)
    #expect(
      problems.first?.sentence == "there is no evidence: the journals contain no result")
  }

  @Test func `names a fake's failure and the command that reruns it`() throws {
    let problem = try #require(
      problems(in: EvidenceSample(outcomes: ["second@fake": .failed])).first)
    #expect(problem.sentence == "things/second@fake failed")
    #expect(problem.command == "CONTRACT='things/second@fake' swift test --filter Contract")
  }

  @Test func `names a live failure, which also leaves the clause unproven`() {
    let problems = problems(in: EvidenceSample(outcomes: ["second@real": .failed]))
    #expect(
      problems.map(\.sentence) == [
        "things/second@real failed",
        "things/second is unproven: it holds on fake, and on no live implementation (real)",
      ])
    #expect(
      problems.last?.command
        == "CONTRACT='things/second@real' CONTRACT_KIND=live swift test --filter Contract")
  }

  @Test func `accepts an unproven clause that is allowed by name`() {
    let sample = EvidenceSample(outcomes: ["second@real": .deviates(reason: "known")])
    #expect(problems(in: sample).count == 1)
    let lenient = Gate(allowedUnproven: [CasePattern("things/sec*")])
    #expect(problems(in: sample, lenient).isEmpty)
    let other = Gate(allowedUnproven: [CasePattern("things/third")])
    #expect(problems(in: sample, other).count == 1)
  }

  @Test func `rejects an unavailable implementation of a required kind`() {
    let sample = EvidenceSample(outcomes: ["second@real": .unavailable(reason: "no network")])
    let required = problems(in: sample)
    #expect(required.first?.sentence == "things/second@real is unavailable: no network")
    let lenient = Gate(allowedUnproven: [CasePattern("things")])
    #expect(problems(in: sample, lenient).isEmpty)
  }

  @Test func `rejects a proof that is too old, and names its age`() {
    let old = EvidenceSample(liveAge: 8 * 86_400)
    let problems = problems(in: old)
    #expect(problems.count == 3)
    #expect(problems.first?.sentence.contains("8.0 days ago") == true)
    #expect(self.problems(in: old, Gate()).isEmpty, "there is no maximum age")
  }

  @Test func `judges a proof of an earlier run by the date of that run`() {
    func sample(_ days: Double) -> EvidenceSample {
      EvidenceSample(
        outcomes: ["second@real": .proven(at: EvidenceSample.now - days * 86_400)])
    }
    #expect(problems(in: sample(6)).isEmpty)
    #expect(
      problems(in: sample(8)).map(\.sentence) == [
        "things/second was last proven by a live implementation 8.0 days ago; the maximum is 7.0 "
          + "days"
      ])
    #expect(problems(in: sample(-1)).first?.sentence.contains("in the future") == true)
  }

  @Test func `rejects a case that the budget left out, though another proves its clause`() {
    let sample = EvidenceSample(outcomes: ["second@real": .notRun(reason: "it is spent")])
    #expect(
      problems(in: sample).map(\.sentence) == [
        "things/second@real was not run: it is spent",
        "things/second is unproven: it holds on fake, and on no live implementation (real)",
      ])
    let both = EvidenceSample(outcomes: ["second@real": .passed])
    var records = both.records
    let extra = ImplementationSummary(
      contract: "things", id: "other", kind: .live, lacks: [:], deviations: [])
    for clause in both.clauses {
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
    #expect(
      strict.problems(in: matrix, now: EvidenceSample.now).map(\.sentence)
        == ["things/second@other was not run: it is spent"])
  }

  @Test func `rejects a proof of another revision`() {
    let problems = problems(in: EvidenceSample(revision: 2, liveAge: 120, liveRevision: 1))
    #expect(problems.count == 3)
    #expect(problems.first?.sentence.contains("another revision of the contract") == true)
  }

  @Test func `rejects a crash, a dropped clause and an escaped saboteur`() {
    let crash = problems(in: EvidenceSample(crash: "second@real"))
    #expect(crash.contains { $0.sentence.hasPrefix("things/second@real crashed") })
    #expect(crash.contains { $0.sentence == "things/third@real has not run" })
    let dropped = problems(in: EvidenceSample(dropped: ["third": "too slow"]))
    #expect(dropped.map(\.sentence) == ["things/third was not run: too slow"])
    #expect(problems(in: EvidenceSample(saboteur: .escaped)).count == 3)
  }

  @Test func `rejects an allowance that matches nothing`() {
    let gate = Gate(
      allowedUnproven: [CasePattern("things/sec*"), CasePattern("things/sexond")],
      allowedWithoutStrength: [CasePattern("thin*"), CasePattern("thin"), CasePattern("things/a")])
    #expect(
      problems(in: EvidenceSample(), gate).map(\.sentence) == [
        "--allow unproven=things/sexond matches no clause; remove it",
        "--allow strength=thin matches no contract; remove it",
        "--allow strength=things/a matches no contract; remove it",
      ])
  }

  @Test func `accepts a dropped clause that is allowed by name`() {
    let sample = EvidenceSample(dropped: ["third": "too slow"])
    #expect(problems(in: sample, Gate(allowedUnproven: [CasePattern("things/third")])).isEmpty)
  }

  @Test(arguments: [Gate(), Gate(required: [.live], maximumAge: 7 * 86_400)])
  func `rejects live results from the future, but accepts a clock that is 10 minutes ahead`(
    _ gate: Gate
  ) {
    #expect(problems(in: EvidenceSample(liveAge: -600), gate).isEmpty)
    let ahead = problems(in: EvidenceSample(liveAge: -2 * 86_400), gate)
    #expect(
      ahead.map(\.sentence) == [
        "things@real ran at a time 2.0 days in the future; check the clock of the machine that ran "
          + "it, and run it again (3 clauses: first, second, third)"
      ])
  }

  @Test func `rejects a fake's results and saboteurs from the future`() {
    let earlier = EvidenceSample.now - 3 * 86_400
    let sentences = Gate().problems(
      in: EvidenceSample(liveAge: 4 * 86_400).matrix, now: earlier
    ).map(\.sentence)
    let future = "ran at a time 3.0 days in the future; check the clock of the machine that ran it"
    #expect(
      sentences == [
        "things@fake \(future), and run it again (3 clauses: first, second, third)",
        "things: saboteurs \(future), and run it again",
      ])
  }

  @Test func `a failure that is dated in the future is reported as a failure`() {
    let sample = EvidenceSample(
      outcomes: ["second@real": .failed], liveAge: -2 * 86_400)
    #expect(problems(in: sample).contains { $0.sentence == "things/second@real failed" })
  }

  @Test func `rejects a fake's results that are too old`() {
    let later = EvidenceSample.now + 8 * 86_400
    let problems = strict.problems(
      in: EvidenceSample(liveAge: -8 * 86_400 + 60).matrix, now: later)
    #expect(problems.count == 4, "the saboteurs are too old as well")
    #expect(
      problems.first?.sentence
        == "things/first@fake last ran 8.0 days ago; the maximum is 7.0 days")
  }

  @Test func `rejects saboteurs without cases, and a part of the cases`() {
    let records = EvidenceSample().records
    let saboteurs = records.filter { record in
      switch record.event {
      case .caseStarted, .caseFinished: false
      default: true
      }
    }
    let first = strict.problems(in: Matrix(saboteurs), now: EvidenceSample.now).first
    #expect(first?.sentence.contains("there is no evidence") == true)
    let part = records.filter { record in
      if case .caseFinished(let result) = record.event {
        result.id.clause != "third"
      } else {
        if case .caseStarted(let id) = record.event { id.clause != "third" } else { true }
      }
    }
    #expect(
      strict.problems(in: Matrix(part), now: EvidenceSample.now).map(\.sentence) == [
        "things/third@fake has not run", "things/third@real has not run",
      ])
  }

  @Test func `quotes a selection for the shell`() {
    let problems = problems(
      in: EvidenceSample(clauses: ["it's"], outcomes: ["it's@fake": .failed]))
    #expect(problems.first?.command?.hasPrefix("CONTRACT='things/it'\\''s@fake' swift") == true)
  }

  // MARK: - Strength

  @Test func `rejects an own contract for which no saboteur ran`() {
    let sample = EvidenceSample(saboteur: .notRun)
    let problems = problems(in: sample)
    #expect(
      problems.map(\.sentence) == [
        "things: no saboteur ran, so nothing shows that the contract's clauses can fail"
      ])
    #expect(
      problems.first?.command == "CONTRACT='things@saboteur.*' swift test --filter Contract")
    #expect(strict.notes(on: sample.matrix).isEmpty)
    let lenient = Gate(allowedWithoutStrength: [CasePattern("thi*")])
    #expect(self.problems(in: sample, lenient).isEmpty)
  }

  @Test func `only notes that no saboteur ran for another package's contract`() {
    let sample = EvidenceSample(saboteur: .notRun, isOwn: false)
    #expect(problems(in: sample).isEmpty)
    #expect(
      strict.notes(on: sample.matrix) == [
        "things: no saboteur ran; the contract comes from another package, which has to show its "
          + "strength"
      ])
    #expect(strict.notes(on: EvidenceSample(isOwn: false).matrix).isEmpty)
  }

  @Test func `accepts a journal that does not say whose contract it is`() {
    let sample = EvidenceSample(saboteur: .notRun, isOwn: nil)
    #expect(problems(in: sample).isEmpty)
    #expect(strict.notes(on: sample.matrix).isEmpty)
  }

  @Test func `rejects strength for another revision, too old or in part`() {
    var sample = EvidenceSample(saboteur: .notRun)
    let others = EvidenceSample(revision: 2).records.filter { record in
      switch record.event {
      case .contract, .saboteur: record.run == "run-fake"
      default: false
      }
    }.map { record in
      var record = record
      record.run = "old"
      record.time -= 1000
      return record
    }
    let outdated = strict.problems(in: Matrix(sample.records + others), now: EvidenceSample.now)
    #expect(outdated.map(\.sentence).first?.hasPrefix("things: no saboteur ran") == true)
    sample.saboteur = .caught
    let part = sample.records.filter { record in
      if case .saboteur(let result) = record.event { result.clause != "second" } else { true }
    }
    #expect(
      strict.problems(in: Matrix(part), now: EvidenceSample.now).map(\.sentence)
        == ["things: no saboteur ran for second"])
    let later = strict.problems(
      in: EvidenceSample(liveAge: -8 * 86_400 + 60).matrix, now: EvidenceSample.now + 8 * 86_400)
    #expect(
      later.map(\.sentence).contains(
        "things: saboteurs last ran 8.0 days ago; the maximum is 7.0 days"))
  }

  // MARK: - Platforms and commits

  @Test func `rejects a failure on one platform and a flaky case`() {
    var mac = EvidenceSample()
    mac.reruns = [.init(platform: "macos", age: 90, outcomes: ["second": .failed])]
    #expect(problems(in: mac).map(\.sentence) == ["things/second@real (macos) failed"])
    var flaky = EvidenceSample()
    flaky.commit = "aa"
    flaky.reruns = [.init(commit: "aa", age: 90, outcomes: ["second": .failed])]
    #expect(
      problems(in: flaky).map(\.sentence) == [
        "things/second@real flaky: failed in 1 of 2 runs of commit aa",
        "things/second is unproven: it holds on fake, and on no live implementation (real)",
      ])
    flaky.reruns[0].commit = "bb"
    #expect(problems(in: flaky).isEmpty)
  }

  @Test func `clauses that are unavailable for one reason are one problem`() {
    let away = Outcome.unavailable(reason: "the connection was refused")
    let sample = EvidenceSample(
      outcomes: ["first@real": away, "second@real": away, "third@real": .unavailable(reason: "x")])
    let required = problems(in: sample).filter { $0.sentence.contains("unavailable") }
    #expect(
      required.map(\.sentence) == [
        "things@real is unavailable: the connection was refused (2 clauses: first, second)",
        "things/third@real is unavailable: x",
      ])
    #expect(required.first?.command == "CONTRACT='things@real' swift test --filter Contract")
  }

  // MARK: - Witnesses

  @Test func `rejects a live implementation that never touches what it adapts`() {
    var sample = EvidenceSample()
    sample.touching = []
    #expect(
      problems(in: sample).map(\.sentence) == [
        "things: real is unproven: none of its 3 cases changed the file, so it may not reach the real thing"
      ])
    #expect(sample.matrix.tables.first?.rows.map(\.verdict) == [.unproven, .unproven, .unproven])
    sample.touching = ["second"]
    #expect(problems(in: sample).isEmpty)
    #expect(sample.matrix.tables.first?.rows.map(\.verdict) == [.agree, .agree, .agree])
  }

  @Test func `rejects a live implementation without a witness on request`() {
    var gate = strict
    gate.forbidsUnwitnessed = true
    var sample = EvidenceSample()
    #expect(
      problems(in: sample, gate).map(\.sentence) == [
        "things@real has no witness, so nothing shows that it reaches the real thing; call "
          + "scope.witness(_:_:) where its fixture is made"
      ])
    sample.touching = ["second"]
    #expect(problems(in: sample, gate).isEmpty)
  }

  // MARK: - Deviations

  @Test func `rejects new deviations on request, and notes them otherwise`() {
    let hidden = EvidenceSample(outcomes: ["second@fake": .deviates(reason: "a known bug")]).matrix
    let changes = MatrixDifference(from: EvidenceSample().matrix, to: hidden)
    var gate = strict
    #expect(gate.problems(in: hidden, changes: changes, now: EvidenceSample.now).isEmpty)
    #expect(
      gate.notes(on: hidden, changes: changes) == [
        "things/second@fake: new deviation: bug: a known bug (https://bugs.example/1)"
      ])
    gate.forbidsNewDeviations = true
    #expect(
      gate.problems(in: hidden, changes: changes, now: EvidenceSample.now).map(\.sentence) == [
        "things/second@fake: new deviation: bug: a known bug (https://bugs.example/1)"
      ])
    #expect(gate.notes(on: hidden, changes: changes).isEmpty)
  }

  @Test func `rejects a deviation after its last day`() {
    var sample = EvidenceSample()
    // 1,800,000,000 is 2027-01-15.
    for (day, count) in [("2027-01-14", 1), ("2027-01-15", 0), ("2030-01-01", 0)] {
      sample.deviations = [
        DeviationSummary(
          clause: "second", kind: "bug", reason: "slow", link: nil, isIntermittent: true, until: day
        )
      ]
      #expect(problems(in: sample).count == count, "\(day)")
    }
    sample.deviations[0].until = "2027-01-14"
    #expect(
      problems(in: sample).first?.sentence
        == "things/second@fake was to deviate until 2027-01-14: slow")
  }
}
