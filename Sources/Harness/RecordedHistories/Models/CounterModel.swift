/// A model of a 64-bit counter that wraps on overflow.
public struct CounterModel: SequentialModel {
  /// A call on the counter.
  public enum Command: Sendable, Hashable {
    case read
    case add(Int)
    /// Adds a number and returns the sum.
    case addAndGet(Int)
  }

  /// The result of a call.
  public enum Response: Sendable, Hashable {
    case value(Int)
    case done
  }

  /// The counter's initial value.
  public let initialState: Int

  /// Creates a model of a counter.
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
