import ContractEvidence
import Testing

@Suite struct MatrixDifferenceTests {
  private let sound = EvidenceSample().matrix

  @Test func `the same evidence makes no difference`() {
    let difference = MatrixDifference(from: sound, to: sound)
    #expect(difference.exitStatus == 0)
    #expect(difference.text == "no difference\n")
  }

  @Test func `newly failing and newly passing are told apart`() {
    let broken = EvidenceSample(outcomes: ["second@fake": .failed]).matrix
    let worse = MatrixDifference(from: sound, to: broken)
    #expect(worse.newlyFailing.map(\.description) == ["things/second@fake"])
    #expect(worse.exitStatus == 1)
    #expect(worse.text == "newly failing (1):\n  things/second@fake\n")
    let better = MatrixDifference(from: broken, to: sound)
    #expect(better.newlyPassing.map(\.description) == ["things/second@fake"])
    #expect(better.exitStatus == 0)
  }

  @Test func `a proof that is lost is newly unproven`() {
    let away = EvidenceSample(outcomes: ["third@real": .unavailable(reason: "no network")]).matrix
    let difference = MatrixDifference(from: sound, to: away)
    #expect(difference.newlyUnproven == ["things/third"])
    #expect(difference.exitStatus == 2)
  }

  @Test func `a clause that is gone or dropped is dropped, a new one is added`() {
    let fewer = EvidenceSample(clauses: ["first", "second"]).matrix
    #expect(MatrixDifference(from: sound, to: fewer).dropped == ["things/third"])
    #expect(MatrixDifference(from: sound, to: fewer).exitStatus == 4)
    #expect(MatrixDifference(from: fewer, to: sound).added == ["things/third"])
    #expect(MatrixDifference(from: fewer, to: sound).exitStatus == 0)
    let dropped = EvidenceSample(dropped: ["third": "slow"]).matrix
    #expect(MatrixDifference(from: sound, to: dropped).exitStatus == 4)
  }

  @Test func `several changes add up in the exit status`() {
    let worse = EvidenceSample(
      clauses: ["first", "second"],
      outcomes: ["first@fake": .failed, "second@real": .unavailable(reason: "x")]
    ).matrix
    #expect(MatrixDifference(from: sound, to: worse).exitStatus == 7)
  }

  @Test func `an implementation that is gone is dropped`() {
    let records = EvidenceSample().records
    let fakeOnly = Matrix(records.filter { $0.run == "run-fake" })
    let difference = MatrixDifference(from: sound, to: fakeOnly)
    #expect(difference.dropped == ["things@real"])
    #expect(difference.newlyUnproven == ["things/first", "things/second", "things/third"])
    #expect(difference.exitStatus == 6)
  }

  @Test func `a proof is lost where a fake lied before, and where nothing ran after`() {
    let lie = EvidenceSample(outcomes: ["second@fake": .failed]).matrix
    let away = EvidenceSample(outcomes: ["second@real": .unavailable(reason: "x")]).matrix
    #expect(MatrixDifference(from: lie, to: away).newlyUnproven == ["things/second"])
    let nothing = Matrix(
      EvidenceSample().records.filter { record in
        switch record.event {
        case .caseStarted(let id): id.clause != "second"
        case .caseFinished(let result): result.id.clause != "second"
        default: true
        }
      })
    #expect(MatrixDifference(from: sound, to: nothing).newlyUnproven == ["things/second"])
  }
}
