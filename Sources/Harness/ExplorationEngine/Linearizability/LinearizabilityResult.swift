/// What the search found out about a history.
public enum LinearizabilityResult<Response: Sendable>: Sendable {
  /// One order of the operations, given by their indices, that explains every response.
  ///
  /// Pending operations that need not have happened are left out.
  case linearizable(order: [Int])

  /// No order explains the responses.
  case notLinearizable(LinearizabilityViolation<Response>)

  /// The search was stopped by a limit; the history may be either.
  case unknown(UnknownReason)

  /// The limit that stopped a search.
  public enum UnknownReason: Sendable, Hashable {
    case steps(Int)
    case memory(bytes: Int)
    case time(Duration)
  }
}

/// Where the search for an order got stuck.
public struct LinearizabilityViolation<Response: Sendable>: Sendable {
  /// An operation that could have come next, had the model agreed with its response.
  public struct Blocked: Sendable {
    /// The operation's index in the history.
    public let operation: Int
    /// What the model answers after the prefix.
    public let expected: Response
  }

  /// The longest order found, as indices into the history.
  public let prefix: [Int]

  /// The operations that no order can place after the prefix.
  public let blocked: [Blocked]

  /// The operations of the partition at fault, as indices into the history.
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

/// How much a search may use before it gives up as unknown; shared by all partitions.
public struct LinearizabilityLimits: Sendable {
  /// The number of operations tried, in all orders together.
  public var steps: Int
  /// The bytes held by the memo and the states, estimated.
  public var memory: Int
  /// The wall time.
  public var time: Duration

  /// Limits that suit a test: a billion steps, 1 GiB, one minute.
  public init(
    steps: Int = 1_000_000_000, memory: Int = 1 << 30, time: Duration = .seconds(60)
  ) {
    self.steps = steps
    self.memory = memory
    self.time = time
  }
}
