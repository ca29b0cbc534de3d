import FeedbackPort
import Testing

/// The contract of feedback services checks the fake's behaviour.
@Suite struct FeedbackErrorTests {
  @Test func `error descriptions name the form`() {
    #expect("\(MultipleFormLoadError(id: "a"))".contains("'a'"))
    #expect("\(FeedbackTimeoutError(id: "a", timeLimit: .seconds(3)))".contains("3.0 seconds"))
    #expect("\(UnknownFormError(id: "a"))".contains("'a'"))
  }
}
