/// Loads feedback forms, one at a time.
///
/// Every implementation satisfies `Contract.feedback`.
public protocol FeedbackService: Sendable {
  /// Loads a form.
  ///
  /// When this method has returned or thrown, the next load may begin.
  ///
  /// - Parameter id: The form's id. Its UTF-8 bytes reach the vendor unchanged.
  /// - Throws: ``MultipleFormLoadError`` at once if another load is in flight, on this or another
  ///   service; ``FeedbackTimeoutError`` if no answer arrives in time; `CancellationError` if the
  ///   task is cancelled; otherwise the vendor's error, unchanged.
  func loadForm(_ id: String) async throws -> FeedbackForm
}
