import FeedbackPort
import Testing

@Suite struct FakeFeedbackServiceTests {
  private static let form = FeedbackForm(id: "\u{e9}", title: "Tell us", questions: ["Why?"])

  @Test func `a known form is loaded at once`() async throws {
    let service = FakeFeedbackService(Self.form)
    #expect(try await service.loadForm("\u{e9}") == Self.form)
    #expect(service.requestedIDs == ["\u{e9}"])
    #expect(!service.isListening)
  }

  @Test func `ids with different bytes are different`() async {
    let service = FakeFeedbackService(Self.form)
    await #expect(throws: UnknownFormError(id: "e\u{301}")) {
      try await service.loadForm("e\u{301}")
    }
  }

  @Test func `the first of two forms with the same id is loaded`() async throws {
    let service = FakeFeedbackService(Self.form, FeedbackForm(id: Self.form.id, title: "No"))
    #expect(try await service.loadForm(Self.form.id) == Self.form)
  }

  @Test func `only advance makes a load time out`() async throws {
    let service = FakeFeedbackService(timeLimit: .seconds(10))
    let began = AsyncStream<Void>.makeStream()
    service.onLoad { _ in began.continuation.finish() }
    let load = Task { try await service.loadForm("form") }
    for await _ in began.stream {}
    service.advance(by: .seconds(9))
    #expect(service.isListening)
    service.advance(by: .seconds(1))
    await #expect(throws: FeedbackTimeoutError(id: "form", timeLimit: .seconds(10))) {
      try await load.value
    }
  }

  @Test func `a load is refused while another client listens`() async throws {
    let service = FakeFeedbackService(Self.form)
    service.isVendorTaken = true
    await #expect(throws: MultipleFormLoadError.self) { try await service.loadForm(Self.form.id) }
    service.isVendorTaken = false
    #expect(try await service.loadForm(Self.form.id) == Self.form)
  }

  @Test func `error descriptions name the form`() {
    #expect("\(MultipleFormLoadError(id: "a"))".contains("'a'"))
    #expect("\(FeedbackTimeoutError(id: "a", timeLimit: .seconds(3)))".contains("3.0 seconds"))
    #expect("\(UnknownFormError(id: "a"))".contains("'a'"))
  }
}
