public import FeedbackPort

/// Asks the user for feedback, and gets by without.
public struct FeedbackFlow: Sendable {
  private let service: any FeedbackService

  /// Makes a flow.
  public init(_ service: any FeedbackService) { self.service = service }

  /// What the user is to see.
  public enum Step: Hashable, Sendable {
    /// The form.
    case form(FeedbackForm)
    /// Nothing new: a form is on its way already.
    case alreadyLoading
    /// That there is no form now, and whether to try again makes sense.
    case unavailable(canRetry: Bool)
  }

  /// Loads the form, and says what comes next.
  ///
  /// - Throws: `CancellationError` when the user has left.
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
