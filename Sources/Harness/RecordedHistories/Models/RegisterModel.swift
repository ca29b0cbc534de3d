/// A model of one value with read, write and compare-and-set.
public struct RegisterModel: SequentialModel {
  /// A call on the register.
  public enum Command: Sendable, Hashable {
    case read
    case write(RecordedValue)
    /// Stores `new` if the value is `old`.
    case cas(old: RecordedValue, new: RecordedValue)
  }

  /// The result of a call.
  public enum Response: Sendable, Hashable {
    case value(RecordedValue)
    case done
    /// Whether a compare-and-set stored its value.
    case swapped(Bool)
  }

  /// The value before the first write.
  public let initialState: RecordedValue

  /// Creates a model of a register.
  public init(initial: RecordedValue = .null) { initialState = initial }

  public func apply(_ command: Command, to state: inout RecordedValue) -> Response {
    switch command {
    case .read:
      return .value(state)
    case .write(let value):
      state = value
      return .done
    case .cas(let old, let new):
      guard state == old else { return .swapped(false) }
      state = new
      return .swapped(true)
    }
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .read }

  public func isReadOnly(_ command: Command, returning response: Response) -> Bool {
    command == .read || response == .swapped(false)
  }
}

extension RegisterModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .read: "read"
    case .write(let value): "write(\(value))"
    case .cas(let old, let new): "cas(old: \(old), new: \(new))"
    }
  }
}

extension RegisterModel.Response: CustomStringConvertible {
  public var description: String {
    switch self {
    case .value(let value): "\(value)"
    case .done: "done"
    case .swapped(let swapped): "\(swapped)"
    }
  }
}
