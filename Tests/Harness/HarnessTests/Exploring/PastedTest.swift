import ContractExploration
import ContractTesting
import Testing

/// The test that exploration prints for the implementation `capped`.
struct PastedTest {
  @Test func `a pasted test fails like the exploration`() async throws {
    try await withKnownIssue {
      try await smallestFailure()
    } matching: { issue in
      "\(issue)".contains("12. add(")
    }
  }

  func smallestFailure() async throws {
    try await explore(
      TallySpecification(), on: .capped,
      commands: [
        .add(9),  // 9
        .add(9),  // 18
        .add(9),  // 27
        .add(9),  // 36
        .add(9),  // 45
        .add(9),  // 54
        .add(9),  // 63
        .add(9),  // 72
        .add(9),  // 81
        .add(9),  // 90
        .add(9),  // 99
        .add(9),  // expected 108, got 100
      ])
  }
}

extension Contract<any Tally> {
  /// A contract of the clause that exploration prints for the implementation `capped`. It shows that
  /// the clause compiles; no test runs it, so that the run's journal has no such contract.
  static let pasted = Contract("pasted-tally", "Tally") {
    Clause(
      "smallest-failure", "add(9) responds 108 after 11 commands",
      from: "exploration, seed 3009186609"
    ) { fixture in
      let specification = TallySpecification()
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      _ = try await specification.perform(.add(9), on: fixture)
      let response = try await specification.perform(.add(9), on: fixture)
      checkEqual(response, 108, "the response to add(9)")
    }
  }
}
