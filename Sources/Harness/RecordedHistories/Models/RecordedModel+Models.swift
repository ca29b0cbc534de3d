extension RegisterModel: RecordedModel {
  public init(initial: RecordedValue?) { self.init(initial: initial ?? .null) }

  public static func command(
    _ call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> Command {
    switch call.function {
    case "read": return .read
    case "write": return .write(call.value)
    case "cas":
      let (old, new) = try call.pair()
      return .cas(old: old, new: new)
    default: throw .unknownFunction(call.function)
    }
  }

  public static func call(_ command: Command) -> RecordedCall {
    switch command {
    case .read: RecordedCall("read")
    case .write(let value): RecordedCall("write", value: value)
    case .cas(let old, let new): RecordedCall("cas", value: [old, new])
    }
  }

  public static func answersInValue(_ command: Command) -> Bool { command == .read }

  public static func mayOmitValue(_ command: Command) -> Bool { command == .read }

  public static func failure(of command: Command) -> Response? {
    if case .cas = command { return .swapped(false) }
    return nil
  }

  public static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response? {
    switch command {
    case .read: .value(try stated(result, command))
    case .write: .done
    case .cas: try flag(result, command).map(Response.swapped)
    }
  }

  public static func result(_ response: Response) -> RecordedValue {
    switch response {
    case .value(let value): value
    case .done: .null
    case .swapped(let flag): .bool(flag)
    }
  }
}

extension KeyValueModel: RecordedModel {
  public init(initial: RecordedValue?) { self.init(initialValue: initial ?? .null) }

  public static func command(
    _ call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> Command {
    guard let key = call.key else { throw .missing(field: "key") }
    switch call.function {
    case "get", "read": return .get(key)
    case "put", "write": return .put(key, call.value)
    case "append":
      guard case .string(let text) = call.value else {
        throw .badArgument(function: call.function, needs: "a string")
      }
      return .append(key, text)
    case "cas":
      let (old, new) = try call.pair()
      return .cas(key, old: old, new: new)
    case "delete": return .delete(key)
    default: throw .unknownFunction(call.function)
    }
  }

  public static func call(_ command: Command) -> RecordedCall {
    switch command {
    case .get(let key): RecordedCall("get", key: key)
    case .put(let key, let value): RecordedCall("put", key: key, value: value)
    case .append(let key, let text): RecordedCall("append", key: key, value: .string(text))
    case .cas(let key, let old, let new): RecordedCall("cas", key: key, value: [old, new])
    case .delete(let key): RecordedCall("delete", key: key)
    }
  }

  public static func answersInValue(_ command: Command) -> Bool {
    if case .get = command { return true }
    return false
  }

  public static func mayOmitValue(_ command: Command) -> Bool { answersInValue(command) }

  public static func failure(of command: Command) -> Response? {
    if case .cas = command { return .swapped(false) }
    return nil
  }

  public static func text(of state: [RecordedValue: RecordedValue]) -> String {
    // Each key is a partition, so there is at most one.
    state.isEmpty
      ? "absent"
      : state.map { "\($0): \($1)" }.sorted().joined(separator: ", ")
  }

  public static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response? {
    switch command {
    case .get: .value(try stated(result, command))
    case .put, .append: .done
    case .cas: try flag(result, command).map(Response.swapped)
    case .delete: try flag(result, command).map(Response.deleted)
    }
  }

  public static func result(_ response: Response) -> RecordedValue {
    switch response {
    case .value(let value): value
    case .done: .null
    case .swapped(let flag), .deleted(let flag): .bool(flag)
    }
  }
}

extension QueueModel: RecordedModel {
  /// Creates a model of an empty queue; `initial` is ignored.
  public init(initial: RecordedValue?) { self.init() }

  public static func command(
    _ call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> Command {
    switch call.function {
    case "enqueue": return .enqueue(call.value)
    case "dequeue": return .dequeue
    default: throw .unknownFunction(call.function)
    }
  }

  public static func call(_ command: Command) -> RecordedCall {
    switch command {
    case .enqueue(let value): RecordedCall("enqueue", value: value)
    case .dequeue: RecordedCall("dequeue")
    }
  }

  public static func answersInValue(_ command: Command) -> Bool { command == .dequeue }

  public static func text(of state: [RecordedValue]) -> String { "\(RecordedValue.array(state))" }

  public static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response? {
    command == .dequeue ? .taken(try stated(result, command)) : .done
  }

  public static func result(_ response: Response) -> RecordedValue { response.recorded }
}

extension QueueModel.Response {
  /// The response of a call that removes a value; `null` means that there was none.
  fileprivate static func taken(_ value: RecordedValue) -> Self {
    .value(value == .null ? nil : value)
  }

  fileprivate var recorded: RecordedValue {
    switch self {
    case .done: .null
    case .value(let value): value ?? .null
    }
  }
}

extension StackModel: RecordedModel {
  /// Creates a model of an empty stack; `initial` is ignored.
  public init(initial: RecordedValue?) { self.init() }

  public static func command(
    _ call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> Command {
    switch call.function {
    case "push": return .push(call.value)
    case "pop": return .pop
    default: throw .unknownFunction(call.function)
    }
  }

  public static func call(_ command: Command) -> RecordedCall {
    switch command {
    case .push(let value): RecordedCall("push", value: value)
    case .pop: RecordedCall("pop")
    }
  }

  public static func answersInValue(_ command: Command) -> Bool { command == .pop }

  public static func text(of state: [RecordedValue]) -> String { "\(RecordedValue.array(state))" }

  public static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response? {
    command == .pop ? .taken(try stated(result, command)) : .done
  }

  public static func result(_ response: Response) -> RecordedValue { response.recorded }
}

extension SetModel: RecordedModel {
  /// Creates a model of an empty set; `initial` is ignored.
  public init(initial: RecordedValue?) { self.init() }

  public static func command(
    _ call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> Command {
    switch call.function {
    case "add": return .add(call.value)
    case "remove": return .remove(call.value)
    case "contains": return .contains(call.value)
    case "read": return .read
    default: throw .unknownFunction(call.function)
    }
  }

  public static func call(_ command: Command) -> RecordedCall {
    switch command {
    case .add(let value): RecordedCall("add", value: value)
    case .remove(let value): RecordedCall("remove", value: value)
    case .contains(let value): RecordedCall("contains", value: value)
    case .read: RecordedCall("read")
    }
  }

  public static func text(of state: Set<RecordedValue>) -> String { "\(Response.values(state))" }

  public static func answersInValue(_ command: Command) -> Bool { command == .read }

  public static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response? {
    guard command == .read else { return try flag(result, command).map(Response.flag) }
    guard case .array(let values)? = result else {
      throw .badResult(function: "read", needs: "an array of the values")
    }
    return .values(Set(values))
  }

  public static func result(_ response: Response) -> RecordedValue {
    switch response {
    case .flag(let flag): .bool(flag)
    case .values(let values): .array(values.sorted { $0.description < $1.description })
    }
  }
}

extension CounterModel: RecordedModel {
  /// Creates a model of a counter, which starts at 0 if `initial` is not an integer.
  public init(initial: RecordedValue?) {
    if case .integer(let value)? = initial {
      self.init(initial: value)
    } else {
      self.init()
    }
  }

  public static func command(
    _ call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> Command {
    switch call.function {
    case "read": return .read
    case "add": return .add(try call.integer())
    case "addAndGet": return .addAndGet(try call.integer())
    default: throw .unknownFunction(call.function)
    }
  }

  public static func call(_ command: Command) -> RecordedCall {
    switch command {
    case .read: RecordedCall("read")
    case .add(let amount): RecordedCall("add", value: .integer(amount))
    case .addAndGet(let amount): RecordedCall("addAndGet", value: .integer(amount))
    }
  }

  public static func answersInValue(_ command: Command) -> Bool { command == .read }

  public static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response? {
    if case .add = command { return .done }
    guard case .integer(let value)? = result else {
      throw .badResult(function: call(command).function, needs: "an integer")
    }
    return .value(value)
  }

  public static func result(_ response: Response) -> RecordedValue {
    switch response {
    case .value(let value): .integer(value)
    case .done: .null
    }
  }
}

extension LockModel: RecordedModel {
  public static func text(of state: RecordedValue?) -> String {
    state.map { "held by \($0)" } ?? "free"
  }

  /// Creates a model of a free lock; `initial` is ignored.
  public init(initial: RecordedValue?) { self.init() }

  public static func command(
    _ call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> Command {
    switch call.function {
    case "acquire": return .acquire(owner: call.value)
    case "release": return .release(owner: call.value)
    default: throw .unknownFunction(call.function)
    }
  }

  public static func call(_ command: Command) -> RecordedCall {
    switch command {
    case .acquire(let owner): RecordedCall("acquire", value: owner)
    case .release(let owner): RecordedCall("release", value: owner)
    }
  }

  public static func answersInValue(_ command: Command) -> Bool { false }

  public static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Bool? {
    try flag(result, command)
  }

  public static func result(_ response: Bool) -> RecordedValue { .bool(response) }
}
