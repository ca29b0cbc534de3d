import ContractEvidence
import Foundation
import Testing

@testable import ContractLiveCalls
@testable import ContractTesting

/// `CONTRACT_BUDGET` says how many live calls a run may make.
@Suite struct LiveBudgetTests {
  private static let all = ["first@one", "first@two", "second@one", "second@two"]

  /// Both implementations, whose cases cost some calls each.
  private func both(of shop: LiveShop, costing calls: Int) -> [Implementation<Shop>] {
    shop.both.map { $0.costs(calls) }
  }

  @Test func `the cases with the oldest evidence run, and the others are not run`() async throws {
    try await withLiveShop { shop in
      let implementations = both(of: shop, costing: 5)
      let budget = ["CONTRACT_BUDGET": "10"]
      var runs: [[String]] = []
      for _ in 1...3 {
        let run = try await shop.run(on: implementations, budget)
        #expect(run.calls.count == 2)
        #expect(run.matrix.results.count { $0.outcome.name == "not-run" } == 2)
        #expect(run.matrix.summary.text.contains("2 not run"))
        runs.append(run.calls)
      }
      #expect(Set(runs[0] + runs[1]) == Set(Self.all), "the second run has those that never ran")
      #expect(runs[2] == runs[0], "and the third has the oldest")
    }
  }

  @Test func `a case that was not run says why, and is no evidence`() async throws {
    try await withLiveShop { shop in
      let run = try await shop.run(
        on: [shop.live("one").costs(3)], ["CONTRACT_BUDGET": "4"])
      #expect(
        run.matrix.outcomes == [
          "first@one": .passed,
          "second@one": .notRun(
            reason: "CONTRACT_BUDGET=4 is spent on cases with older evidence; it never ran"),
        ])
      #expect(run.matrix.tables[0].rows.map(\.verdict) == [.agree, .unproven])
      let text = TerminalReport(run.matrix).text
      #expect(text.contains("○ one: CONTRACT_BUDGET=4 is spent"), "\(text)")
      let larger = try await shop.run(
        on: [shop.live("one").costs(9)], ["CONTRACT_BUDGET": "4"])
      let day = Day(at: Date().timeIntervalSince1970)
      #expect(
        larger.matrix.outcomes["first@one"]
          == .notRun(
            reason: "it costs 9, more than the whole CONTRACT_BUDGET=4; it last ran on \(day)"))
    }
  }

  @Test func `an implementation without a cost, and a fake, are not limited`() async throws {
    try await withLiveShop { shop in
      let fake = Implementation.fake("fake", shop.live("fake").make)
      let run = try await shop.run(
        on: [shop.live("one"), fake], ["CONTRACT_BUDGET": "0"])
      #expect(run.calls == ["first@fake", "first@one", "second@fake", "second@one"])
    }
  }

  @Test func `a budget for which no live implementation declares a cost is a problem`() async throws
  {
    try await withLiveShop { shop in
      let budget = ["CONTRACT_BUDGET": "4"]
      let fake = Implementation.fake("fake", shop.live("fake").make)
      let run = try await shop.run(
        on: [shop.live("one").limited(to: 9, per: .seconds(1))], budget)
      #expect(
        run.matrix.problems == [
          "CONTRACT_BUDGET=4 limits nothing, because no live implementation says what its cases cost; "
            + "add .costs(_:) of ContractLiveCalls to it, or remove the variable"
        ])
      #expect(
        try await shop.run(on: [fake], budget).matrix.problems == [], "there is nothing to limit"
      )
      let limited = [shop.live("two").costs(1), shop.live("three")]
      #expect(try await shop.run(on: limited, budget).matrix.problems == [])
    }
  }

  @Test func `a case that runs twice costs twice`() async throws {
    try await withLiveShop { shop in
      let one = shop.live("one").costs(1)
      let recorder = RunRecorder(
        environment: ["CONTRACT_JOURNAL_FOLDER": shop.journals.path, "CONTRACT_BUDGET": "3"],
        isReporting: false)
      try await RunRecorder.$override.withValue(recorder) {
        let contract = shop.contract(["first"])
        for one in (1...5).flatMap({ _ in contract.cases(for: one) }) { try await one.verify() }
      }
      _ = recorder.finish()
      let journal = try Journal(contentsOf: try #require(recorder.journal))
      let starts = journal.records.count {
        if case .caseStarted = $0.event { true } else { false }
      }
      #expect(starts == 3)
    }
  }

  @Test func `a value that is no number is a problem`() async throws {
    try await withLiveShop { shop in
      let run = try await shop.run(on: shop.both, ["CONTRACT_BUDGET": "-1"])
      #expect(run.calls == Self.all)
      #expect(
        run.matrix.problems == [
          "CONTRACT_BUDGET='-1' is not valid: give the number of live calls that the run may make, "
            + "such as 200"
        ])
    }
  }
}
