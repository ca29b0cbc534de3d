/// A model of a map from keys to values. Each key is a partition.
public struct KeyValueModel: SequentialModel {
  /// A call on one key.
  public enum Command: Sendable, Hashable {
    case get(RecordedValue)
    case put(RecordedValue, RecordedValue)
    /// Appends text to the value; an absent value counts as empty.
    case append(RecordedValue, String)
    /// Stores `new` if the value is `old`; an absent value counts as ``initialValue``.
    case cas(RecordedValue, old: RecordedValue, new: RecordedValue)
    /// Removes the value and returns whether there was one.
    case delete(RecordedValue)

    /// The key that the call accesses.
    public var key: RecordedValue {
      switch self {
      case .get(let key), .put(let key, _), .append(let key, _), .cas(let key, _, _),
        .delete(let key):
        key
      }
    }
  }

  /// The result of a call.
  public enum Response: Sendable, Hashable {
    /// The value, or ``initialValue`` if the key is absent.
    case value(RecordedValue)
    case done
    /// Whether a compare-and-set stored its value.
    case swapped(Bool)
    /// Whether a delete removed a value.
    case deleted(Bool)
  }

  /// The value of an absent key: `null`, or `""` in stores without absence.
  public let initialValue: RecordedValue

  public var initialState: [RecordedValue: RecordedValue] { [:] }

  /// Creates a model of an empty map.
  public init(initialValue: RecordedValue = .null) { self.initialValue = initialValue }

  public func apply(
    _ command: Command, to state: inout [RecordedValue: RecordedValue]
  ) -> Response {
    switch command {
    case .get(let key):
      return .value(state[key] ?? initialValue)
    case .put(let key, let value):
      state[key] = value
      return .done
    case .append(let key, let text):
      if case .string(let old)? = state[key] {
        state[key] = .string(old + text)
      } else {
        state[key] = .string(text)
      }
      return .done
    case .cas(let key, let old, let new):
      guard (state[key] ?? initialValue) == old else { return .swapped(false) }
      state[key] = new
      return .swapped(true)
    case .delete(let key):
      return .deleted(state.removeValue(forKey: key) != nil)
    }
  }

  public func isReadOnly(_ command: Command) -> Bool {
    if case .get = command { return true }
    return false
  }

  public func partition(of command: Command) -> AnyHashable? { command.key }

  public func isReadOnly(_ command: Command, returning response: Response) -> Bool {
    switch response {
    case .swapped(false), .deleted(false): true
    case .value, .done, .swapped, .deleted: isReadOnly(command)
    }
  }
}

extension KeyValueModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .get(let key): "get(\(key))"
    case .put(let key, let value): "put(\(key), \(value))"
    case .append(let key, let text): "append(\(key), \(text.debugDescription))"
    case .cas(let key, let old, let new): "cas(\(key), old: \(old), new: \(new))"
    case .delete(let key): "delete(\(key))"
    }
  }
}

extension KeyValueModel.Response: CustomStringConvertible {
  public var description: String {
    switch self {
    case .value(let value): "\(value)"
    case .done: "done"
    case .swapped(let flag), .deleted(let flag): "\(flag)"
    }
  }
}
