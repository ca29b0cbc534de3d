/// A load was refused because another one is in flight. The other load continues.
public struct MultipleFormLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The id of the form that was not loaded.
  public let id: String

  /// Creates an error for the form with an id.
  public init(id: String) { self.id = id }

  public var description: String {
    "form '\(id)' not loaded because another load is in flight; retry when that load has ended"
  }
}

/// A load timed out.
public struct FeedbackTimeoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The id of the form that was not loaded.
  public let id: String

  /// How long the service waited for an answer.
  public let timeLimit: Duration

  /// Creates an error for the form with an id.
  public init(id: String, timeLimit: Duration) {
    self.id = id
    self.timeLimit = timeLimit
  }

  public var description: String {
    "form '\(id)' not loaded: the load timed out after \(timeLimit) and may be retried"
  }
}

/// The requested form does not exist.
public struct UnknownFormError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The id that was requested.
  public let id: String

  /// Creates an error for an id.
  public init(id: String) { self.id = id }

  public var description: String {
    "no form has the id '\(id)'; pass such a form to FakeFeedbackService"
  }
}
