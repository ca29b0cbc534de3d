/// A place that feedback forms are loaded from, one at a time.
///
/// Every implementation promises the clauses of `FeedbackContract`.
public protocol FeedbackService: Sendable {
  /// Loads a form.
  ///
  /// However a load ends, the next one may begin once this call has returned.
  /// - Parameter id: The form's id, passed on octet for octet.
  /// - Throws: ``MultipleFormLoadError`` at once while another load is in flight, whoever began it;
  ///   ``FeedbackTimeoutError`` when no answer has come in time; `CancellationError` when the task
  ///   is cancelled; otherwise the vendor's error as it is.
  func loadForm(_ id: String) async throws -> FeedbackForm
}
