/// A load that was refused because another one is in flight; that one is left alone.
public struct MultipleFormLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The id of the form that was not loaded.
  public let id: String

  /// Reports that the form `id` was not loaded.
  public init(id: String) { self.id = id }

  public var description: String {
    "the form '\(id)' was not loaded, for another load is in flight: load it when that has ended"
  }
}

/// A load that nobody answered in time.
public struct FeedbackTimeoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The id of the form that was not loaded.
  public let id: String

  /// How long the load was waited for.
  public let timeLimit: Duration

  /// Reports that the form `id` did not come within `timeLimit`.
  public init(id: String, timeLimit: Duration) {
    self.id = id
    self.timeLimit = timeLimit
  }

  public var description: String {
    "the form '\(id)' did not come within \(timeLimit): it may be loaded again"
  }
}

/// A load of a form that does not exist.
public struct UnknownFormError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The id that no form has.
  public let id: String

  /// Reports that no form has this id.
  public init(id: String) { self.id = id }

  public var description: String { "no form has the id '\(id)': give the fake one that has" }
}
