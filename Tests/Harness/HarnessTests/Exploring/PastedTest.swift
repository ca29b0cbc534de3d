import ContractExploration
import ContractTesting
import Testing

@testable import harness_specimens

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
        .add(2),  // 2
        .add(9),  // 11
        .add(9),  // 20
        .add(9),  // 29
        .add(9),  // 38
        .add(9),  // 47
        .add(9),  // 56
        .add(9),  // 65
        .add(9),  // 74
        .add(9),  // 83
        .add(9),  // 92
        .add(9),  // expected 101, got 100
      ])
  }
}

extension Contract<any Tally> {
  /// A contract of the clause that exploration prints for the implementation `capped`. It shows
  /// that the clause compiles; no test runs it, so that the run's journal has no such contract.
  static let pasted = Contract("pasted-tally", "Tally") {
    Clause(
      "smallest-failure", "add(9) responds 101 after 11 commands",
      from: "exploration, seed 3009186611"
    ) { fixture in
      let specification = TallySpecification()
      _ = try await specification.perform(.add(2), on: fixture)
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
      checkEqual(response, 101, "the response to add(9)")
    }
  }
}
