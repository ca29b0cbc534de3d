import ContractEvidence
import ContractReports
import Foundation
import Testing

@testable import ContractLiveCalls
@testable import ContractTesting
@testable import harness_specimens

/// A live case that failed may be tried again.
@Suite struct RetryTests {
  /// Runs one clause whose origin gives these answers; 3 is the right one.
  private func run(
    _ shop: LiveShop, answers: [Int], _ environment: [String: String] = [:],
    _ change: (Implementation<Shop>) -> Implementation<Shop> = { $0 }
  ) async throws -> (outcome: Outcome?, calls: Int) {
    shop.answers.withLock { $0 = answers }
    let one = shop.live("one").retrying(2, because: "the sandbox answers 503 under load")
    let run = try await shop.run(shop.contract(["first"]), on: [change(one)], environment)
    return (run.matrix.outcomes["first@one"], run.calls.count)
  }

  @Test(arguments: [([4], 2), ([4, 5], 3), ([-1], 2)])
  func `a case that fails and then holds is flaky, and no failure of the test`(
    answers: [Int], calls: Int
  ) async throws {
    try await withLiveShop { shop in
      let run = try await run(shop, answers: answers)
      #expect(run.calls == calls)
      guard case .flaky(let reason) = run.outcome else {
        Issue.record("\(String(describing: run.outcome))")
        return
      }
      #expect(reason.hasPrefix("failed in \(calls - 1) of \(calls) tries: "), "\(reason)")
      let journal = try Journal(contentsOf: try #require(shop.journalFiles.first).path)
      #expect(Matrix(journal).results.first?.issues.isEmpty == false, "the journal says how")
    }
  }

  @Test func `a case that fails each time is failed, and fails the test once`() async throws {
    try await withLiveShop { shop in
      try await withKnownIssue {
        let run = try await run(shop, answers: [4, 5, 6, 3])
        #expect(run.outcome == .failed)
        #expect(run.calls == 3)
      } matching: { issue in
        "\(issue)".contains("the answer") && "\(issue)".contains("to run only this case")
      }
    }
  }

  @Test func `a case that holds is tried once`() async throws {
    try await withLiveShop { shop in
      let run = try await run(shop, answers: [3])
      #expect(run.outcome == .passed)
      #expect(run.calls == 1)
    }
  }

  @Test func `a declared deviation, and what is unavailable, are tried once`() async throws {
    try await withLiveShop { shop in
      let deviating = try await run(shop, answers: [4, 3]) {
        $0.deviating(from: "first", because: "it is stuck")
      }
      #expect(deviating.outcome == .deviates(reason: "it is stuck"))
      #expect(deviating.calls == 1)
      let unavailable = try await run(shop, answers: [-1, 3]) {
        $0.unavailable { $0 is Refusal ? "it refused" : nil }
      }
      #expect(unavailable.outcome == .unavailable(reason: "it refused"))
      #expect(unavailable.calls == 1)
    }
  }

  @Test func `a failure stays one if the real thing goes away before the next try`() async throws {
    try await withLiveShop { shop in
      try await withKnownIssue {
        let run = try await run(shop, answers: [4, -1]) {
          $0.unavailable { $0 is Refusal ? "it refused" : nil }
        }
        #expect(run.outcome == .failed)
        #expect(run.calls == 2)
      } matching: {
        "\($0)".contains("to run only this case")
      }
    }
  }

  @Test func `each try costs as much as the first`() async throws {
    try await withLiveShop { shop in
      try await withKnownIssue {
        let run = try await run(shop, answers: [4, 4, 3], ["CONTRACT_BUDGET": "11"]) {
          $0.costs(5)
        }
        #expect(run.outcome == .failed)
        #expect(run.calls == 2)
      } matching: {
        "\($0)".contains("to run only this case")
      }
    }
  }

  @Test func `the rate is that of all journals`() async throws {
    try await withLiveShop { shop in
      for answers in [[4], [], [], [4]] { _ = try await run(shop, answers: answers) }
      var journal = Journal()
      for file in try shop.journalFiles {
        journal.records += try Journal(contentsOf: file.path).records
      }
      guard case .flaky(let reason) = Matrix(journal).outcomes["first@one"] else {
        Issue.record("not flaky")
        return
      }
      #expect(reason.hasPrefix("failed in 2 of 4 runs"), "\(reason)")
      #expect(reason.hasSuffix(", and passed when tried again in 2"), "\(reason)")
    }
  }

  // MARK: - Declarations

  private static func declared(
    _ change: (Implementation<Shop>) -> Implementation<Shop>,
    _ make: (String) -> Implementation<Shop> = { .live($0) { _ in Shop { _ in 3 } } }
  ) -> [String] {
    let contract = Contract<Shop>("shop", "Shop") {
      Clause("first", "it answers") { _ in check(true, "it holds") }
    }
    return contract.problems(with: [change(make("one"))]).map(\.message)
  }

  @Test func `fakes and recordings can't have retries, costs and limits`() {
    for make: (String) -> Implementation<Shop> in [
      { .fake($0) { Shop { _ in 3 } } }, { .recorded($0) { _ in Shop { _ in 3 } } },
    ] {
      #expect(
        Self.declared({ $0.retrying(2, because: "it is slow") }, make) == [
          "shop: 'one' has .retrying(…), and is no live implementation: what fails sometimes in "
            + "memory is wrong; remove it"
        ])
      #expect(
        Self.declared({ $0.costs(1).limited(to: 1, per: .seconds(1)) }, make) == [
          "shop: 'one' has .costs(…), which only a live implementation can have; remove it",
          "shop: 'one' has .limited(to:per:), which only a live implementation can have; remove it",
        ])
    }
  }

  @Test func `numbers that can't be, and reasons that are none, are problems`() {
    let messages = [
      Self.declared { $0.costs(0) }, Self.declared { $0.limited(to: 0, per: .seconds(1)) },
      Self.declared { $0.limited(to: 1, per: .zero) },
      Self.declared { $0.limited(to: 2, per: .seconds(1)).costs(3) },
      Self.declared { $0.retrying(11, because: "it is slow") },
      Self.declared { $0.retrying(0, because: "it is slow") },
      Self.declared { $0.retrying(1, because: "TODO") },
    ]
    for (message, part) in zip(
      messages,
      [
        "at least 1 call; correct it", "so no case could ever start", "so no case could ever start",
        "a case costs 3; raise the limit", "can try 1 to 10 times more",
        "can try 1 to 10 times more", "which is no reason; write it",
      ])
    {
      #expect(message.count == 1)
      #expect(message.first?.contains(part) == true, "\(message)")
    }
    #expect(
      Self.declared {
        $0.costs(2).limited(to: 2, per: .seconds(1)).retrying(10, because: "it is slow")
      }.isEmpty)
  }
}
