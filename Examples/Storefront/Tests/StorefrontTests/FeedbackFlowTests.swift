import FeedbackPort
import Storefront
import Testing

@Suite struct FeedbackFlowTests {
  private let form = FeedbackForm(id: "7", title: "How was it?")

  @Test func `the form is shown`() async throws {
    #expect(try await FeedbackFlow(FakeFeedbackService(form)).begin("7") == .form(form))
  }

  @Test func `an unknown form cannot be retried`() async throws {
    let step = try await FeedbackFlow(FakeFeedbackService(form)).begin("8")
    #expect(step == .unavailable(canRetry: false))
  }

  @Test func `a second tap has no effect, and a form that timed out can be retried`() async throws {
    let service = FakeFeedbackService(form, timeLimit: .seconds(30))
    let began = AsyncStream<Void>.makeStream()
    service.onLoad { _ in began.continuation.finish() }
    let flow = FeedbackFlow(service)
    let first = Task { try await flow.begin("7") }
    for await _ in began.stream {}
    #expect(try await flow.begin("7") == .alreadyLoading)
    service.advance(by: .seconds(30))
    #expect(try await first.value == .unavailable(canRetry: true))
  }

  @Test func `a cancelled flow throws CancellationError`() async {
    let flow = FeedbackFlow(FakeFeedbackService(form))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await flow.begin("7")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
