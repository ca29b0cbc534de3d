import ContractExploration
import ContractTesting
import FeedbackContract
import Testing

/// What the vendor's SDK answered is kept as traces, with which the fake is compared.
@Suite struct FeedbackTraceTests {
  private static let traces = "Traces/feedback-third-party.jsonl"

  @Test func `the SDK answers as recorded`() async throws {
    try await explore(
      .feedback, on: Implementation<FeedbackFixture>.thirdPartyClass.map { FeedbackSession($0) },
      recordingTo: Self.traces, deviating: [.lateAnswer])
  }

  @Test func `the fake answers as the SDK did, except to a late answer`() async throws {
    try await verifyTraces(
      .feedback, in: Self.traces,
      on: Implementation<FeedbackFixture>.inMemory.map { FeedbackSession($0) },
      deviating: [.lateAnswer])
  }

  @Test func `the fake agrees with its specification`() async throws {
    try await explore(
      .feedback, on: Implementation<FeedbackFixture>.inMemory.map { FeedbackSession($0) })
  }
}

extension TraceDeviation<FeedbackSpecification> {
  fileprivate static let lateAnswer = TraceDeviation(
    because: "the SDK's callbacks do not say which load they answer"
  ) { step in
    guard case .answerLate(let late, let answer) = step.command else { return false }
    return step.recorded.isResult(of: late) && step.answer.isResult(of: answer)
  }
}

extension FeedbackSpecification.Response {
  /// Whether the response is what a load makes of an answer.
  fileprivate func isResult(of answer: VendorAnswer) -> Bool {
    switch (self, answer) {
    case (.form(_, let title, let questions), .form(let otherTitle, let otherQuestions)):
      title == otherTitle && questions == otherQuestions
    case (.failed(let code), .failure(let otherCode)): code == otherCode
    default: false
    }
  }
}
