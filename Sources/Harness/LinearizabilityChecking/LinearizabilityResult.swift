internal import ExplorationEngine

/// The result of checking a history.
public enum LinearizabilityResult<Response: Sendable>: Sendable {
  /// An order explains every response. It is given by the operations' indices in the history.
  ///
  /// Pending operations that need not have happened are left out.
  case linearizable(order: [Int])

  /// No order explains the responses.
  case notLinearizable(LinearizabilityViolation<Response>)

  /// The search reached a limit; the history may be either.
  case unknown(UnknownReason)

  /// The limit that stopped a search.
  public enum UnknownReason: Sendable, Hashable {
    case steps(Int)
    case memory(bytes: Int)
    case time(Duration)
  }
}

/// The point at which the search for an order could not continue.
public struct LinearizabilityViolation<Response: Sendable>: Sendable {
  /// An operation that could come next by its stamps, but has another response than the model.
  public struct Blocked: Sendable {
    /// The operation's index in the history.
    public let operation: Int
    /// The model's response after the prefix.
    public let expected: Response
  }

  /// The longest order found, as indices into the history.
  public let prefix: [Int]

  /// The operations that could come after the prefix by their stamps.
  public let blocked: [Blocked]

  /// The operations of the partition with the violation, as indices into the history.
  public let partition: [Int]
}

extension LinearizabilityViolation: Equatable where Response: Equatable {}
extension LinearizabilityViolation.Blocked: Equatable where Response: Equatable {}
extension LinearizabilityResult: Equatable where Response: Equatable {}

extension LinearizabilityResult.UnknownReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .steps(let steps): "undecided after \(steps) steps; raise the limit or split the history"
    case .memory(let bytes): "undecided within \(bytes) bytes of memory; raise the limit"
    case .time(let time): "undecided after \(time); raise the limit"
    }
  }
}

/// The limits of a check, for its partitions together. Beyond them the result is unknown.
public struct LinearizabilityLimits: Sendable {
  /// The most operations to try, in all orders together.
  public var steps: Int
  /// The most memory in bytes for visited configurations and states, estimated.
  public var memory: Int
  /// The most real time.
  public var time: Duration

  /// Creates limits; the defaults suit a test.
  public init(
    steps: Int = 1_000_000_000, memory: Int = 1 << 30, time: Duration = .seconds(60)
  ) {
    self.steps = steps
    self.memory = memory
    self.time = time
  }
}
