import ContractEvidence
import Testing

/// The environment selects cases, and a selection that matches none fails the run.
@Suite struct SelectionTests {
  @Test func `one case can be selected`() async throws {
    let run = try await SpecimenRun(
      "sound|saboteurs", environment: ["CONTRACT": "counter/adds@sound"])
    #expect(run.status == 0)
    #expect(run.matrix.results.map(\.id.description) == ["counter/adds@sound"])
    #expect(run.matrix.tables.first?.saboteurs.isEmpty == true)
  }

  @Test func `a clause selects its saboteurs too`() async throws {
    let run = try await SpecimenRun("sound|saboteurs", environment: ["CONTRACT": "counter/adds"])
    #expect(run.status == 0)
    #expect(run.matrix.results.count == 2)
    #expect(run.matrix.tables.first?.saboteurs.map(\.saboteur) == ["stuck"])
  }

  @Test func `one saboteur can be selected`() async throws {
    let run = try await SpecimenRun(
      "sound|saboteurs", environment: ["CONTRACT": "@saboteur.stuck"])
    #expect(run.status == 0)
    #expect(run.matrix.results.isEmpty)
    #expect(run.matrix.tables.first?.saboteurs.map(\.saboteur) == ["stuck"])
  }

  @Test func `a kind can be selected`() async throws {
    let run = try await SpecimenRun("sound|saboteurs", environment: ["CONTRACT_KIND": "live"])
    #expect(run.status == 0)
    #expect(Set(run.matrix.results.map(\.id.implementation)) == ["sound-live"])
  }

  @Test(
    arguments: [
      (["CONTRACT": "nonsense"], "CONTRACT='nonsense' matches no case of the tests that ran"),
      (["CONTRACT": "counter/adds,other"], "CONTRACT='other' matches no case"),
      (["CONTRACT": "countre/adds"], "that ran; did you mean 'counter/adds'?"),
      (["CONTRACT": "counter/add@sound"], "'counter/adds@sound'?"),
      (["CONTRACT": "@soud"], "that ran; did you mean '@sound'?"),
      (["CONTRACT": "!counter"], "the selection matches no case of the tests that ran"),
      (["CONTRACT_KIND": "recorded"], "the selection matches no case of the tests that ran"),
      (["CONTRACT_KIND": "alive"], "CONTRACT_KIND='alive' is not valid: give one or more of"),
      (["CONTRACT_REQUIRE": "all"], "CONTRACT_REQUIRE='all' is not valid: give one or more"),
    ])
  func `a selection that matches no case fails the run and says why`(
    environment: [String: String], sentence: String
  ) async throws {
    let run = try await SpecimenRun("sound", environment: environment)
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
  }

  @Test func `a run that leaves cases out says how many at its end`() async throws {
    for (environment, count, reason) in [
      (["CONTRACT": "counter/adds@sound"], 5, "CONTRACT='counter/adds@sound'"),
      (["CONTRACT_KIND": "fake"], 3, "CONTRACT_KIND='fake'"),
      (["CONTRACT_SHARD": "1/2"], 3, "other shards run them, CONTRACT_SHARD=1/2"),
    ] {
      let run = try await SpecimenRun("sound", environment: environment)
      #expect(run.status == 0)
      #expect(run.matrix.omissions == [.init(count: count, reason: reason)])
      let last = "not the whole run: \(count) cases left out (\(reason))"
      #expect(run.output.contains("\n\(last)\n"), "\(run.output)")
    }
    let whole = try await SpecimenRun("sound")
    #expect(!whole.output.contains("not the whole run"))
  }

  @Test func `a shard that holds none of the selected cases says so`() async throws {
    var empty = 0
    for number in 1...3 {
      let run = try await SpecimenRun(
        "sound",
        environment: ["CONTRACT": "counter/adds@sound", "CONTRACT_SHARD": "\(number)/3"])
      #expect(run.status == 0)
      guard run.matrix.results.isEmpty else { continue }
      empty += 1
      #expect(
        run.output.contains("1 case left out (other shards run them, CONTRACT_SHARD=\(number)/3)"))
    }
    #expect(empty == 2)
    let nothing = try await SpecimenRun(
      "sound", environment: ["CONTRACT": "counter/none@sound", "CONTRACT_SHARD": "1/3"])
    #expect(nothing.status == 1, "no shard holds a case")
  }

  @Test func `a test that verifies none of its cases fails the run`() async throws {
    let run = try await SpecimenRun("ignored")
    #expect(run.status == 1)
    #expect(
      run.output.contains("no case of 'counter' ran, although a test took 6, such as counter/adds@")
    )
    #expect(run.matrix.tables.first?.contract.id == "counter")
    let list = try await SpecimenRun("ignored", arguments: ["--list-tests"])
    #expect(list.status == 0)
    #expect(list.journal.records.isEmpty, "listing runs nothing")
  }

  @Test func `a journal that can't be written is a problem of the run`() async throws {
    let run = try await SpecimenRun(
      "sound", environment: ["CONTRACT_JOURNAL_FOLDER": "/dev/null/nowhere"])
    #expect(run.status == 1)
    #expect(run.output.contains("can't open the journal /dev/null/nowhere/"))
    #expect(run.output.contains("6 cases · 4 passed"), "the cases ran nevertheless")
  }
}
