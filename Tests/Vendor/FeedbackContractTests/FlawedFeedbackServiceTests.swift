import ContractTesting
import FeedbackContract
import Testing

/// Shows that the contract raises no false alarm: a minimal correct service passes.
@Suite struct FlawedFeedbackServiceTests {
  @Test(
    arguments: Contract.feedback.cases(
      for: .fake("flawless") { .flawed(FeedbackFlaws()) }
        .deviating(
          from: "late-answer-told-apart",
          because: "its vendor does not say which load an answer belongs to")))
  func `a service without a flaw holds`(_ clause: ContractCase<FeedbackFixture>) async throws {
    try await clause.verify()
  }
}
