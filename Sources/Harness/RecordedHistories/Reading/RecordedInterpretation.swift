/// How to read the two events of Jepsen that have two meanings.
public struct RecordedInterpretation: Sendable, Hashable {
  /// The meaning of a `fail` event of a compare-and-set.
  public enum FailedCAS: String, Sendable, CaseIterable {
    /// The call returned `false`, because the comparison failed.
    case returnedFalse = "false"
    /// The call did not happen.
    case dropped
  }

  /// The meaning of an `ok` event of a read with the value `null`.
  public enum NilRead: String, Sendable, CaseIterable {
    /// The read returned that there is no value.
    case absent
    /// The value was not recorded.
    case unknown
  }

  /// The meaning of a `fail` event of a compare-and-set, or `nil` if that is not known.
  public var failedCAS: FailedCAS?

  /// The meaning of an `ok` event of a read with the value `null`, or `nil` if that is not known.
  public var nilRead: NilRead?

  /// Creates an interpretation; by default, no meaning is known.
  public init(failedCAS: FailedCAS? = nil, nilRead: NilRead? = nil) {
    self.failedCAS = failedCAS
    self.nilRead = nilRead
  }

  /// The interpretation that explains the fewest histories.
  var strictest: Self { Self(failedCAS: failedCAS ?? .returnedFalse, nilRead: nilRead ?? .absent) }

  /// The interpretation that explains the most histories: it leaves out what the other requires.
  var mildest: Self { Self(failedCAS: failedCAS ?? .dropped, nilRead: nilRead ?? .unknown) }
}
