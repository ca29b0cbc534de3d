/// A number that is added to and read; it wraps at the ends of 64 bits.
public struct CounterModel: SequentialModel {
  /// A call on the counter.
  public enum Command: Sendable, Hashable {
    case read
    case add(Int)
    /// Adds and gives back the sum.
    case addAndGet(Int)
  }

  /// What a call gives back.
  public enum Response: Sendable, Hashable {
    case value(Int)
    case done
  }

  /// The number from which counting starts.
  public let initialState: Int

  /// A counter at 0, or at another number.
  public init(initial: Int = 0) { initialState = initial }

  public func apply(_ command: Command, to state: inout Int) -> Response {
    switch command {
    case .read:
      return .value(state)
    case .add(let amount):
      state &+= amount
      return .done
    case .addAndGet(let amount):
      state &+= amount
      return .value(state)
    }
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .read }
}

extension CounterModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .read: "read"
    case .add(let amount): "add(\(amount))"
    case .addAndGet(let amount): "addAndGet(\(amount))"
    }
  }
}

extension CounterModel.Response: CustomStringConvertible {
  public var description: String {
    switch self {
    case .value(let value): "\(value)"
    case .done: "done"
    }
  }
}
