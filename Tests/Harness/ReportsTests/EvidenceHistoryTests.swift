import ContractEvidence
import ContractReports
import EvidenceSamples
import Testing

@Suite struct EvidenceHistoryTests {
  /// A journal of one run of the live implementation, some days before 2027-01-15.
  private func journal(
    _ name: String, daysAgo: Double, commit: String, platform: String = "linux",
    _ outcomes: [String: Outcome] = [:]
  ) -> (name: String, journal: Journal) {
    let sample = EvidenceSample(
      clauses: ["first", "second"], outcomes: outcomes, saboteur: .caught)
    let records = sample.records.map { record in
      var record = record
      record.run = name
      record.time -= daysAgo * 86_400
      if case .runStarted(var run) = record.event {
        run.commit = commit
        run.platform = platform
        record.event = .runStarted(run)
      }
      return record
    }
    return (name, Journal(records: records))
  }

  @Test func `a failing case says since when it fails, and when it held last`() throws {
    let history = EvidenceHistory([
      journal("d", daysAgo: 0, commit: "dddd", ["first@real": .crashed(signal: 5)]),
      journal("a", daysAgo: 9, commit: "aaaa", ["first@real": .failed]),
      journal("c", daysAgo: 1, commit: "cccc", ["first@real": .failed]),
      journal("b", daysAgo: 5, commit: "bbbb", ["first@real": .deviates(reason: "r")]),
    ])
    #expect(history.points.map(\.name) == ["a", "b", "c", "d"])
    #expect(history.points.map(\.failed) == [1, 0, 1, 1])
    #expect(history.points.map(\.deviating) == [0, 1, 0, 0])
    #expect(history.points.map(\.shownClauses) == [2, 2, 2, 2])
    #expect(history.failing.map(\.name) == ["things/first@real (linux)"])
    #expect(
      try #require(history.failing.first).sentence
        == "fails since 2027-01-14 (commit cccc), in 2 journals; held last on 2027-01-10 (commit "
        + "bbbb)")
    #expect(history.flaky.isEmpty, "another commit is no flakiness")
  }

  @Test func `a case that fails again and again on one platform is not another platform's`() {
    let history = EvidenceHistory([
      journal("a", daysAgo: 2, commit: "aaaa", platform: "macos", ["first@real": .failed]),
      journal("b", daysAgo: 1, commit: "bbbb", ["first@real": .passed]),
    ])
    #expect(history.failing.map(\.name) == ["things/first@real (macos)"])
    #expect(history.failing.first?.lastHeld == nil)
    #expect(history.failing.first?.sentence.hasSuffix("in 1 journal; never held before") == true)
  }

  @Test func `a case that held when it was tried again is flaky`() {
    let retried = Outcome.flaky(reason: "failed in 1 of 2 tries")
    let history = EvidenceHistory([
      journal("a", daysAgo: 3, commit: "aaaa", ["first@real": retried]),
      journal("b", daysAgo: 2, commit: "bbbb", ["first@real": retried]),
    ])
    #expect(
      history.flaky.map(\.sentence) == [
        "failed in 1 of 1 run of commit aaaa, and passed when tried again in 1",
        "failed in 1 of 1 run of commit bbbb, and passed when tried again in 1",
      ])
  }

  @Test func `a case that held and failed on one commit is flaky, and a merged run counts once`() {
    let failing = journal("a", daysAgo: 3, commit: "aaaa", ["second@real": .failed])
    let history = EvidenceHistory([
      failing, journal("b", daysAgo: 2, commit: "aaaa"), journal("c", daysAgo: 1, commit: "aaaa"),
      ("merged", failing.journal),
    ])
    #expect(history.flaky.map(\.name) == ["things/second@real (linux)"])
    #expect(history.flaky.first?.sentence == "failed in 1 of 3 runs of commit aaaa")
    #expect(history.failing.isEmpty)
  }

  @Test func `a journal that did not run a case says nothing about it`() {
    let history = EvidenceHistory([
      journal("a", daysAgo: 3, commit: "aaaa", ["first@real": .failed]),
      journal("b", daysAgo: 2, commit: "bbbb", ["first@real": .unavailable(reason: "down")]),
    ])
    #expect(history.failing.first?.since.name == "a")
    #expect(history.failing.first?.count == 1)
  }

  @Test func `the text is a table with the failures below it`() {
    let history = EvidenceHistory([
      journal("a", daysAgo: 1, commit: "aaaa"),
      journal("b", daysAgo: 0, commit: "bbbb", ["first@real": .failed]),
    ])
    #expect(
      HistoryReport(history).text == """
        2 journals from 2027-01-14 to 2027-01-15: 1 failing, 0 flaky, 0 with problems

        date        commit  cases  failed  deviate  problems  seen to fail
        2027-01-14  aaaa        4       0        0         0        2 of 2
        2027-01-15  bbbb        4       1        0         0        2 of 2

        failing:
          things/first@real (linux): fails since 2027-01-15 (commit bbbb), in 1 journal; held last on \
        2027-01-14 (commit aaaa)

        """)
  }

  @Test func `no journals give a sentence`() {
    #expect(HistoryReport(EvidenceHistory([])).text.hasPrefix("no journal has results\n"))
  }
}
