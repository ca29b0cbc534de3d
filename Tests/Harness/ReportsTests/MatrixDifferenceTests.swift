import ContractEvidence
import ContractReports
import EvidenceSamples
import Testing

/// Changes that `PlantedTests` has no journal of.
@Suite struct MatrixDifferenceTests {
  private let sound = EvidenceSample().matrix

  @Test func `a case that holds again is newly passing`() {
    let broken = EvidenceSample(outcomes: ["second@fake": .failed]).matrix
    let better = MatrixDifference(from: broken, to: sound)
    #expect(better.newlyPassing.map(\.description) == ["things/second@fake"])
    #expect(better.exitStatus == 0)
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

  @Test func `live evidence is lost if the fake failed before, and if nothing ran after`() {
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

  // MARK: - Deviations

  private let deviation = DeviationSummary(
    clause: "second", kind: "bug", reason: "a known bug", link: "https://bugs.example/1",
    isIntermittent: false)

  @Test func `a deviation with another reason, kind or last day has changed`() {
    var before = EvidenceSample()
    before.deviations = [deviation]
    for change in [\DeviationSummary.reason, \.kind] {
      var after = before
      after.deviations[0][keyPath: change] = "planned"
      let difference = MatrixDifference(from: before.matrix, to: after.matrix)
      #expect(difference.deviations.map(\.kind) == [.changed])
      #expect(difference.exitStatus == 0)
    }
    var after = before
    after.deviations[0].until = "2027-01-31"
    after.deviations[0].isIntermittent = true
    #expect(
      MatrixDifference(from: before.matrix, to: after.matrix).deviations.first?.sentence
        == "the deviation changed: was bug: a known bug (https://bugs.example/1), is bug, "
        + "intermittent, until 2027-01-31: a known bug (https://bugs.example/1)")
  }

  // MARK: - Platforms

  @Test func `each platform is compared with itself`() {
    var base = EvidenceSample(outcomes: ["second@real": .failed])
    base.reruns = [.init(platform: "macos", age: 30)]
    var head = EvidenceSample()
    head.reruns = [.init(platform: "macos", age: 30, outcomes: ["third": .failed])]
    let difference = MatrixDifference(from: base.matrix, to: head.matrix)
    #expect(difference.newlyFailing == ["things/third@real (macos)"])
    #expect(difference.newlyPassing == ["things/second@real (linux)"])
    let gone = MatrixDifference(from: base.matrix, to: sound)
    #expect(gone.dropped == ["things@real (macos)"])
  }

  @Test func `matrices of two systems can be compared`() {
    let linux = EvidenceSample().matrix
    let macOS = Matrix(
      EvidenceSample(outcomes: ["second@real": .failed]).records.map { record in
        var record = record
        if case .runStarted = record.event {
          record.event = .runStarted(RunSummary(platform: "macos"))
        }
        return record
      })
    let difference = MatrixDifference(from: linux, to: macOS)
    #expect(difference.newlyFailing == ["things/second@real (macos)"])
    #expect(difference.dropped.isEmpty)
    #expect(difference.deviations.isEmpty)
  }
}
