import ContractEvidence
import ContractReports
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
    Matrix(start + records).cells.first?.result.outcome
  }

  /// The start of a run.
  private func run(_ name: String, commit: String?, on platform: String = "") -> JournalRecord {
    record(name, 0, .runStarted(RunSummary(platform: platform, commit: commit)))
  }

  @Test func `fakes come before live implementations`() {
    #expect(Matrix(start).tables.first?.columns.map(\.name) == ["fake", "live"])
  }

  @Test func `a crash that the journal attributes to one case is no result of the others`() {
    let other = CaseID(contract: "c", clause: "a", implementation: "fake")
    let crash = [
      record("s", 3, .caseStarted(id)), record("s", 3, .caseStarted(other)),
      record("s", 4, .processCrashed(other, signal: 5)),
    ]
    #expect(Matrix(start + crash).results.map(\.outcome) == [.crashed(signal: 5)])
    #expect(Matrix(start + crash).results.map(\.id) == [other])
    let failed = [record("r", 1, .caseStarted(id)), record("r", 2, end(.failed))]
    let results = Matrix(start + failed + crash).results
    #expect(results.first { $0.id == id }?.outcome == .failed, "what failed before still fails")
  }

  @Test func `an intermittent deviation says how often the clause held`() {
    let deviation = DeviationSummary(
      clause: "a", kind: "bug", reason: "it is slow", link: nil, isIntermittent: true)
    let live = ImplementationSummary(
      contract: "c", id: "live", kind: .live, lacks: [:], deviations: [deviation])
    var records = start + [record("r", 0.5, .implementation(live))]
    for number in 1...100 {
      let outcome: Outcome =
        number.isMultiple(of: 50) ? .deviates(reason: "it is slow") : .passed
      records.append(record("run-\(number)", Double(number), end(outcome)))
    }
    for count in [records.count - 1, records.count] {
      let notes = Matrix(Array(records.prefix(count))).tables.first?.notes ?? []
      let deviating = count == records.count ? 2 : 1
      let held = count == records.count ? 98 : 98
      #expect(
        notes.map(\.outcome) == [
          .deviates(reason: "it is slow; held in \(held) of \(held + deviating) runs")
        ])
    }
  }

  @Test func `a clock that is set back during a case makes no difference`() {
    #expect(
      outcome([record("r", 5, .caseStarted(id)), record("r", 4, end(.passed))]) == .passed)
  }

  @Test func `only a pass of a later commit replaces a failure`() {
    for bad in [[record("r", 3, .caseStarted(id))], [record("r", 3, end(.failed))]] {
      let good = [record("s", 4, .caseStarted(id)), record("s", 5, end(.passed))]
      #expect(
        outcome([run("r", commit: "aa"), run("s", commit: "bb")] + bad + good) == .passed)
      #expect(
        outcome([run("r", commit: "aa"), run("s", commit: "aa")] + bad + good)
          == .flaky(reason: "failed in 1 of 2 runs of commit aa"))
      let flaky = Outcome.flaky(reason: "failed in 1 of 2 runs")
      #expect(outcome(bad + good) == flaky, "no commit is known")
      let old = [record("s", 1, .caseStarted(id)), record("s", 2, end(.passed))]
      #expect(outcome(bad + old) == flaky)
      #expect(
        outcome([run("r", commit: "bb"), run("s", commit: "aa")] + bad + old)?.isFailure == true)
      #expect(
        outcome([run("r", commit: "bb"), run("s", commit: "aa")] + bad + old)?.name != "flaky")
    }
  }

  @Test func `failures of one commit stay failures, and an unavailable machine takes nothing away`()
  {
    let failed = [record("r", 1, end(.failed)), record("s", 2, end(.timedOut(seconds: 1)))]
    #expect(outcome(failed) == .timedOut(seconds: 1))
    let away = record("s", 2, end(.unavailable(reason: "x")))
    #expect(outcome([record("r", 1, end(.failed)), away]) == .failed)
    #expect(outcome([record("r", 1, end(.passed)), away]) == .passed)
    #expect(outcome([away]) == .unavailable(reason: "x"))
  }

  @Test func `a case that the budget left out takes nothing away, and adds nothing`() {
    let out = Outcome.notRun(reason: "the budget is spent")
    #expect(outcome([record("r", 1, end(.passed)), record("s", 2, end(out))]) == .passed)
    #expect(outcome([record("r", 1, end(out))]) == out)
    let runs = [run("r", commit: "aa"), run("s", commit: "bb")]
    #expect(outcome(runs + [record("r", 1, end(.passed)), record("s", 2, end(out))]) == out)
  }

  @Test func `a case that held when it was tried again is flaky, with the rate of all runs`() {
    let retried = Outcome.flaky(reason: "failed in 1 of 2 tries: got 2")
    #expect(outcome([record("r", 1, end(retried))]) == retried)
    let all = (1...9).map { run("r\($0)", commit: $0 < 8 ? "aa" : "bb") }
    let ends = (1...9).map {
      record("r\($0)", Double($0), end([2, 9].contains($0) ? retried : .passed))
    }
    #expect(
      outcome(all + ends)
        == .flaky(
          reason: "failed in 1 of 2 runs of commit bb, and passed when tried again in 1; of all 9 "
            + "runs, 2 failed or were flaky"))
  }

  // MARK: - Platforms

  /// The matrix of a live implementation on two platforms.
  private func matrix(linux: Outcome, macOS: Outcome?) -> Matrix {
    var records =
      start.map { record in
        var record = record
        record.run = "l"
        return record
      } + [run("l", commit: "aa", on: "linux"), record("l", 9, end(linux))]
    guard let macOS else { return Matrix(records) }
    records += start.map { record in
      var record = record
      record.run = "m"
      return record
    }
    records += [run("m", commit: "aa", on: "macos"), record("m", 1, end(macOS))]
    return Matrix(records)
  }

  @Test func `platforms with equal results share a column`() {
    let matrix = self.matrix(linux: .passed, macOS: .passed)
    #expect(matrix.tables.first?.columns.map(\.name) == ["fake", "live"])
    #expect(matrix.tables.first?.columns.last?.platforms == ["linux", "macos"])
    #expect(matrix.cells.map(\.name) == ["c/a@live"])
  }

  @Test func `a saboteur that escapes on one platform has escaped`() {
    func saboteur(_ run: String, _ time: Double, isCaught: Bool) -> JournalRecord {
      record(
        run, time,
        .saboteur(
          SaboteurResult(
            contract: "c", saboteur: "s", clause: "a", isCaught: isCaught,
            message: isCaught ? "" : "escaped")))
    }
    let runs = [run("l", commit: "aa", on: "linux"), run("m", commit: "aa", on: "macos")]
    let matrix = Matrix(
      start + runs + [saboteur("m", 1, isCaught: false), saboteur("l", 2, isCaught: true)])
    #expect(matrix.tables.first?.saboteurs.map(\.message) == ["escaped (on macos)"])
    #expect(matrix.tables.first?.saboteurs.map(\.isCaught) == [false])
    let fixed = Matrix(
      start + [
        run("l", commit: "aa"), saboteur("l", 1, isCaught: false), run("m", commit: "bb"),
        saboteur("m", 2, isCaught: true),
      ])
    #expect(fixed.tables.first?.saboteurs.map(\.isCaught) == [true])
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
}
