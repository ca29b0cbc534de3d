import ContractEvidence
import ContractReports
import EvidenceSamples
import Testing

@Suite struct MatrixDifferenceTests {
  private let sound = EvidenceSample().matrix

  @Test func `equal matrices have no difference`() {
    let difference = MatrixDifference(from: sound, to: sound)
    #expect(difference.exitStatus == 0)
    #expect(difference.text == "no difference\n")
  }

  @Test func `lists newly failing and newly passing cases separately`() {
    let broken = EvidenceSample(outcomes: ["second@fake": .failed]).matrix
    let worse = MatrixDifference(from: sound, to: broken)
    #expect(worse.newlyFailing.map(\.description) == ["things/second@fake"])
    #expect(worse.exitStatus == 1)
    #expect(worse.text == "newly failing (1):\n  things/second@fake\n")
    let better = MatrixDifference(from: broken, to: sound)
    #expect(better.newlyPassing.map(\.description) == ["things/second@fake"])
    #expect(better.exitStatus == 0)
  }

  @Test func `a clause without its live proof is newly unproven`() {
    let unavailable = EvidenceSample(outcomes: ["third@real": .unavailable(reason: "no network")])
      .matrix
    let difference = MatrixDifference(from: sound, to: unavailable)
    #expect(difference.newlyUnproven == ["things/third"])
    #expect(difference.exitStatus == 2)
  }

  @Test func `lists removed, dropped and added clauses`() {
    let fewer = EvidenceSample(clauses: ["first", "second"]).matrix
    #expect(MatrixDifference(from: sound, to: fewer).dropped == ["things/third"])
    #expect(MatrixDifference(from: sound, to: fewer).exitStatus == 4)
    #expect(MatrixDifference(from: fewer, to: sound).added == ["things/third"])
    #expect(MatrixDifference(from: fewer, to: sound).exitStatus == 0)
    let dropped = EvidenceSample(dropped: ["third": "slow"]).matrix
    #expect(MatrixDifference(from: sound, to: dropped).exitStatus == 4)
  }

  @Test func `the exit status is the sum of the changes`() {
    let worse = EvidenceSample(
      clauses: ["first", "second"],
      outcomes: ["first@fake": .failed, "second@real": .unavailable(reason: "x")]
    ).matrix
    #expect(MatrixDifference(from: sound, to: worse).exitStatus == 7)
  }

  @Test func `a removed implementation is dropped`() {
    let records = EvidenceSample().records
    let fakeOnly = Matrix(records.filter { $0.run == "run-fake" })
    let difference = MatrixDifference(from: sound, to: fakeOnly)
    #expect(difference.dropped == ["things@real"])
    #expect(difference.newlyUnproven == ["things/first", "things/second", "things/third"])
    #expect(difference.exitStatus == 6)
  }

  @Test func `a proof is lost if the fake failed before, and if nothing ran after`() {
    let failing = EvidenceSample(outcomes: ["second@fake": .failed]).matrix
    let unavailable = EvidenceSample(outcomes: ["second@real": .unavailable(reason: "x")]).matrix
    #expect(MatrixDifference(from: failing, to: unavailable).newlyUnproven == ["things/second"])
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
