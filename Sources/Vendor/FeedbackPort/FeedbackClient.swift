/// The feedback service as a value: a struct of closures instead of a class behind a protocol.
///
/// It serves where a test replaces one function and a class would be ceremony:
/// `FeedbackClient { id in FeedbackForm(id: id, title: "Hello") }`.
public struct FeedbackClient: FeedbackService {
  private let load: @Sendable (String) async throws -> FeedbackForm

  /// Makes a service of a function that keeps the promises of ``FeedbackService/loadForm(_:)``.
  public init(loadForm load: @escaping @Sendable (String) async throws -> FeedbackForm) {
    self.load = load
  }

  public func loadForm(_ id: String) async throws -> FeedbackForm { try await load(id) }
}
