import ContractEvidence
import Testing

@Suite struct GateTests {
  private let strict = Gate(required: [.live], maximumAge: 7 * 86_400)

  private func objections(to sample: EvidenceSample, _ gate: Gate? = nil) -> [Gate.Objection] {
    (gate ?? strict).objections(to: sample.matrix, now: EvidenceSample.now)
  }

  @Test func `sound evidence opens the gate`() {
    #expect(objections(to: EvidenceSample()).isEmpty)
  }

  @Test func `no evidence at all keeps it shut`() {
    let objections = strict.objections(to: Matrix([]), now: 0)
    #expect(objections.first?.sentence.contains("no evidence at all") == true)
  }

  @Test func `a lie of the fake is named with its command`() throws {
    let objection = try #require(
      objections(to: EvidenceSample(outcomes: ["second@fake": .failed])).first)
    #expect(objection.sentence == "things/second@fake failed")
    #expect(objection.command == "CONTRACT='things/second@fake' swift test --filter Contract")
  }

  @Test func `a change of the live side is named, and leaves its clause unproven`() {
    let objections = objections(to: EvidenceSample(outcomes: ["second@real": .failed]))
    #expect(
      objections.map(\.sentence) == [
        "things/second@real failed",
        "things/second is unproven: fake holds it, and no live implementation did (real)",
      ])
    #expect(
      objections.last?.command
        == "CONTRACT='things/second@real' CONTRACT_KIND=live swift test --filter Contract")
  }

  @Test func `a clause that only the fake holds may be allowed by name`() {
    let sample = EvidenceSample(outcomes: ["second@real": .deviates(reason: "known")])
    #expect(objections(to: sample).count == 1)
    let lenient = Gate(allowedUnproven: [CasePattern("things/sec*")])
    #expect(objections(to: sample, lenient).isEmpty)
    let other = Gate(allowedUnproven: [CasePattern("things/third")])
    #expect(objections(to: sample, other).count == 1)
  }

  @Test func `an unavailable live side is refused where it is required`() {
    let sample = EvidenceSample(outcomes: ["second@real": .unavailable(reason: "no network")])
    let required = objections(to: sample)
    #expect(required.first?.sentence == "things/second@real is unavailable: no network")
    let lenient = Gate(allowedUnproven: [CasePattern("things")])
    #expect(objections(to: sample, lenient).isEmpty)
  }

  @Test func `a stale proof is refused with its age`() {
    let stale = EvidenceSample(liveAge: 8 * 86_400)
    let objections = objections(to: stale)
    #expect(objections.count == 3)
    #expect(objections.first?.sentence.contains("8.0 days ago") == true)
    #expect(self.objections(to: stale, Gate()).isEmpty, "any age will do")
  }

  @Test func `a proof of another revision is no proof`() {
    let objections = objections(to: EvidenceSample(revision: 2, liveAge: 120, liveRevision: 1))
    #expect(objections.count == 3)
    #expect(objections.first?.sentence.contains("another revision of the contract") == true)
  }

  @Test func `a crash, a dropped clause and an escaped saboteur are refused`() {
    let crash = objections(to: EvidenceSample(crash: "second@real"))
    #expect(crash.contains { $0.sentence.hasPrefix("things/second@real crashed") })
    #expect(crash.contains { $0.sentence == "things/third@real has not run" })
    let dropped = objections(to: EvidenceSample(dropped: ["third": "too slow"]))
    #expect(dropped.map(\.sentence) == ["things/third was not run: too slow"])
    #expect(objections(to: EvidenceSample(isWeak: true)).count == 3)
  }

  @Test func `an allowance that names no clause is refused`() {
    let gate = Gate(allowedUnproven: [CasePattern("things/sec*"), CasePattern("things/sexond")])
    #expect(
      objections(to: EvidenceSample(), gate).map(\.sentence) == [
        "'things/sexond' may stay unproven, and it names no clause: remove it"
      ])
  }

  @Test func `a dropped clause may be allowed by name`() {
    let sample = EvidenceSample(dropped: ["third": "too slow"])
    #expect(
      objections(to: sample, Gate(allowedUnproven: [CasePattern("things/third")])).isEmpty)
  }

  @Test func `a proof from the future is refused, a clock that is a little fast is not`() {
    #expect(objections(to: EvidenceSample(liveAge: -600)).isEmpty)
    let ahead = objections(to: EvidenceSample(liveAge: -2 * 86_400))
    #expect(
      ahead.first?.sentence
        == "things/first was proven at a time that is 2.0 days ahead: check the clock of the machine "
        + "that ran real")
    #expect(ahead.count == 3)
    #expect(objections(to: EvidenceSample(liveAge: -2 * 86_400), Gate()).isEmpty, "any age will do")
  }

  @Test func `a fake that ran too long ago is refused`() {
    let later = EvidenceSample.now + 8 * 86_400
    let objections = strict.objections(
      to: EvidenceSample(liveAge: -8 * 86_400 + 60).matrix, now: later)
    #expect(objections.count == 3)
    #expect(
      objections.first?.sentence
        == "things/first@fake was last run 8.0 days ago, and at most 7.0 days are allowed")
  }

  @Test func `saboteurs alone are no evidence, and a part of the cases is not enough`() {
    let records = EvidenceSample().records
    let saboteurs = records.filter { record in
      switch record.event {
      case .caseStarted, .caseFinished: false
      default: true
      }
    }
    let first = strict.objections(to: Matrix(saboteurs), now: EvidenceSample.now).first
    #expect(first?.sentence.contains("no evidence at all") == true)
    let part = records.filter { record in
      if case .caseFinished(let result) = record.event {
        result.id.clause != "third"
      } else {
        if case .caseStarted(let id) = record.event { id.clause != "third" } else { true }
      }
    }
    #expect(
      strict.objections(to: Matrix(part), now: EvidenceSample.now).map(\.sentence) == [
        "things/third@fake has not run", "things/third@real has not run",
      ])
  }

  @Test func `a selection with a quote in it stays one word of its command`() {
    let objection = objections(
      to: EvidenceSample(clauses: ["it's"], outcomes: ["it's@fake": .failed]))
    #expect(objection.first?.command?.hasPrefix("CONTRACT='things/it'\\''s@fake' swift") == true)
  }
}
