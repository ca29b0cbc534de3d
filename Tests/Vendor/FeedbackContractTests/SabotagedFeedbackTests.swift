import ContractTesting
import FeedbackContract
import Testing

/// The least correct service passes: the contract raises no false alarms.
@Suite struct SabotagedFeedbackTests {
  @Test(
    arguments: Contract.feedback.cases(
      for: .fake("flawless") { .sabotaged(.none) }
        .deviating(
          from: "late-answer-told-apart", because: "its vendor does not say what it answers")))
  func `a service without a flaw holds`(_ clause: ContractCase<FeedbackFixture>) async throws {
    try await clause.verify()
  }
}
