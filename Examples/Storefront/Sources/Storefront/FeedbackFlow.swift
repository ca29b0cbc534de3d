public import FeedbackPort

/// Asks the user for feedback. Failures are steps of the flow, not errors.
public struct FeedbackFlow: Sendable {
  private let service: any FeedbackService

  /// Creates a flow.
  public init(_ service: any FeedbackService) { self.service = service }

  /// What the app shows next.
  public enum Step: Hashable, Sendable {
    /// The form.
    case form(FeedbackForm)
    /// Nothing new, because a form is already loading.
    case alreadyLoading
    /// A message that no form is available. A retry can help only if `canRetry` is true.
    case unavailable(canRetry: Bool)
  }

  /// Loads a form and returns the next step.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func begin(_ id: String) async throws -> Step {
    do {
      return .form(try await service.loadForm(id))
    } catch is MultipleFormLoadError {
      return .alreadyLoading
    } catch is FeedbackTimeoutError {
      return .unavailable(canRetry: true)
    } catch let error as CancellationError {
      throw error
    } catch {
      return .unavailable(canRetry: false)
    }
  }
}
