import ContractEvidence
import SeededRandom
import Testing

@Suite struct MatrixTests {
  private let id = CaseID(contract: "c", clause: "a", implementation: "live")

  private func record(_ run: String, _ time: Double, _ event: JournalRecord.Event) -> JournalRecord
  {
    JournalRecord(run: run, time: time, event: event)
  }

  private func end(_ outcome: Outcome) -> JournalRecord.Event {
    .caseFinished(CaseResult(id: id, outcome: outcome, seconds: 1))
  }

  /// The declarations at the beginning of every journal.
  private var start: [JournalRecord] {
    let clause = ClauseSummary(
      id: "a", sentence: "it holds", source: "RFC 1", group: nil, requires: [], absenceOf: nil,
      file: "M/F.swift", line: 1)
    let contract = ContractSummary(id: "c", title: "C", revision: 1, clauses: [clause])
    let fake = ImplementationSummary(
      contract: "c", id: "fake", kind: .fake, lacks: [:], deviations: [])
    let live = ImplementationSummary(
      contract: "c", id: "live", kind: .live, lacks: [:], deviations: [])
    return [
      record("r", 0, .contract(contract)), record("r", 0, .implementation(live)),
      record("r", 0, .implementation(fake)),
    ]
  }

  private func outcome(_ records: [JournalRecord]) -> Outcome? {
    Matrix(start + records).results.first?.outcome
  }

  @Test func `fakes come before live implementations`() {
    #expect(Matrix(start).tables.first?.implementations.map(\.id) == ["fake", "live"])
  }

  @Test func `a case that started and never ended has crashed`() {
    #expect(outcome([record("r", 1, .caseStarted(id))]) == .crashed(signal: 0))
    #expect(
      outcome([record("r", 1, .caseStarted(id)), record("r", 2, end(.passed))]) == .passed)
  }

  @Test func `a clock that is set back during a case makes no difference`() {
    #expect(
      outcome([record("r", 5, .caseStarted(id)), record("r", 4, end(.passed))]) == .passed)
  }

  @Test func `a later run replaces a crash, an earlier one does not`() {
    let crash = [record("r", 3, .caseStarted(id))]
    let good = [record("s", 4, .caseStarted(id)), record("s", 5, end(.passed))]
    #expect(outcome(crash + good) == .passed)
    let old = [record("s", 1, .caseStarted(id)), record("s", 2, end(.passed))]
    #expect(outcome(crash + old) == .crashed(signal: 0))
  }

  @Test func `the worst result of a run counts`() {
    let twice = [
      record("r", 1, .caseStarted(id)), record("r", 2, end(.failed)),
      record("r", 3, .caseStarted(id)), record("r", 4, end(.passed)),
    ]
    #expect(outcome(twice) == .failed)
  }

  @Test func `the order of records and duplicates make no difference`() {
    let records =
      start + [
        record("r", 1, .caseStarted(id)), record("r", 2, end(.passed)),
        record("s", 3, .caseStarted(id)), record("s", 4, end(.failed)),
      ]
    let matrix = Matrix(records)
    #expect(Matrix(records.reversed()) == matrix)
    #expect(Matrix(records + records) == matrix)
    for seed in 0..<50 {
      var generator = SplitMix64(seed: UInt64(seed))
      #expect(Matrix((records + records).shuffled(using: &generator)) == matrix)
    }
  }

  @Test func `the order of records with the same time makes no difference`() {
    func end(_ message: String) -> JournalRecord {
      let issue = IssueSummary(message: message, file: nil, path: nil, line: nil)
      return record(
        "r", message == "early" ? 2 : 3,
        .caseFinished(CaseResult(id: id, outcome: .failed, seconds: 1, issues: [issue])))
    }
    let other = ContractSummary(id: "c", title: "D", revision: 1, clauses: [])
    let records =
      start + [
        record("r", 1, .caseStarted(id)), end("early"), end("late"),
        record("r", 0, .contract(other)), record("r", 5, .problem("one")),
        record("s", 5, .problem("two")),
      ]
    let matrix = Matrix(records)
    #expect(Matrix(records.reversed()) == matrix)
    for seed in 0..<50 {
      var generator = SplitMix64(seed: UInt64(seed))
      #expect(Matrix(records.shuffled(using: &generator)) == matrix)
    }
  }

  @Test func `the digest depends on the clauses' sentences and the revision`() {
    func digest(_ sentence: String, revision: Int = 1) -> String {
      ContractSummary(
        id: "c", title: "C", revision: revision,
        clauses: [
          ClauseSummary(
            id: "a", sentence: sentence, source: nil, group: nil, requires: [], absenceOf: nil,
            file: "F.swift", line: 1)
        ]
      ).digest
    }
    #expect(digest("x") == digest("x"))
    #expect(digest("x") != digest("y"))
    #expect(digest("x") != digest("x", revision: 2))
    #expect(digest("x").count == 16)
  }
}
