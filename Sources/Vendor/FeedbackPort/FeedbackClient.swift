/// A feedback service as a value: a struct with a closure instead of a class behind a protocol.
///
/// Use it if a test replaces one function and a class would be too much:
/// `FeedbackClient { id in FeedbackForm(id: id, title: "Hello") }`.
public struct FeedbackClient: FeedbackService {
  private let load: @Sendable (String) async throws -> FeedbackForm

  /// Creates a service from a function with the contract of ``FeedbackService/loadForm(_:)``.
  public init(loadForm load: @escaping @Sendable (String) async throws -> FeedbackForm) {
    self.load = load
  }

  public func loadForm(_ id: String) async throws -> FeedbackForm { try await load(id) }
}
