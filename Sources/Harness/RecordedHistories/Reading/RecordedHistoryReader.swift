/// Reads the lines of a recorded history, and collects its operations and problems.
struct RecordedHistoryReader<Model: RecordedModel> {
  typealias Problem = LinearizabilityFileError.Problem
  typealias Stated = PartlyStated<Model>
  typealias Operation = History<Stated.Command, Stated.Response>.Operation

  /// A call that has started and not ended.
  private struct Running {
    let line: Int
    /// The number of the event. Several events can stand on one line of EDN.
    let stamp: Int
    let call: RecordedCall
    let command: Model.Command
    /// Whether the field `value` was a pair of key and value.
    let isPair: Bool
  }

  private(set) var operations: [Operation] = []
  private(set) var lines: [Int] = []
  private(set) var problems: [LinearizabilityFileError.Line] = []
  private(set) var failed = 0
  private(set) var failedCASLine: Int?
  private(set) var nilReadLine: Int?

  private let interpretation: RecordedInterpretation
  private var running: [Int: Running] = [:]
  private var isEvents: Bool?
  /// The number of lines or maps read.
  private var count = 0

  init(_ interpretation: RecordedInterpretation) { self.interpretation = interpretation }

  mutating func read(_ line: Result<RecordedLine, Problem>, _ number: Int) {
    count += 1
    do throws(Problem) {
      try read(line.get(), number)
    } catch {
      problems.append(.init(number: number, problem: error))
    }
  }

  /// Adds the calls that have not ended as pending, and finds overlapping calls of one process.
  mutating func finish() {
    for (process, begun) in running.sorted(by: { $0.value.line < $1.value.line }) {
      addPending(begun, process: process)
    }
    guard isEvents == false else { return }
    var last: [Int: Int] = [:]
    for index in operations.indices.sorted(by: { isBefore($0, $1) }) {
      let operation = operations[index]
      if let before = last[operation.client], let end = operations[before].end,
        end > operation.call
      {
        problems.append(
          .init(
            number: lines[index],
            problem: .overlaps(process: operation.client, line: lines[before])))
      }
      last[operation.client] = index
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (operations[left].call, operations[left].end ?? .max, left)
      < (operations[right].call, operations[right].end ?? .max, right)
  }

  // MARK: - Lines

  private mutating func read(_ line: RecordedLine, _ number: Int) throws(Problem) {
    // Jepsen's keywords, such as `:nemesis`, name what is no caller.
    if case .string(let name)? = line.process, name.hasPrefix(":") { return }
    let isEvent = line.type != nil
    guard isEvent || line.call != nil else { throw .missing(field: "type or call") }
    if let isEvents, isEvents != isEvent { throw .mixedShapes }
    isEvents = isEvent
    guard let process = try integer("process", line.process) else {
      throw .missing(field: "process")
    }
    if isEvent {
      try readEvent(line, process, number)
    } else {
      try readOperation(line, process, number)
    }
  }

  private mutating func readOperation(
    _ line: RecordedLine, _ process: Int, _ number: Int
  ) throws(Problem) {
    guard let start = try integer("call", line.call) else { throw .missing(field: "call") }
    let (call, _) = try call(of: line, process)
    let command = try Model.command(call)
    guard let end = try integer("return", line.end) else {
      add(.init(client: process, .init(base: command, isStated: true), from: start), number)
      return
    }
    guard end >= start else { throw .returnsBeforeCall(call: start, end: end) }
    let response = try Model.response(line.result, to: command)
    add(completed(process, command, response, from: start, to: end), number)
  }

  private mutating func readEvent(
    _ line: RecordedLine, _ process: Int, _ number: Int
  ) throws(Problem) {
    guard case .string(let type)? = line.type else {
      throw .wrongType(field: "type", needs: "a string")
    }
    if type == "invoke" {
      let (call, isPair) = try call(of: line, process)
      let command = try Model.command(call)
      if let begun = running[process] {
        throw .stillRunning(process: process, since: begun.line)
      }
      running[process] = Running(
        line: number, stamp: count, call: call, command: command, isPair: isPair)
      return
    }
    guard ["ok", "fail", "info"].contains(type) else { throw .unknownType(type) }
    guard let begun = running[process] else { throw .notRunning(process: process) }
    // The call has ended even if this line is invalid.
    running[process] = nil
    let value = try endValue(line, begun, process)
    switch type {
    case "fail":
      try addFailed(begun, process, number)
    case "info":
      addPending(begun, process: process)
    default:
      let response = try response(line.result, value, begun, number)
      add(completed(process, begun.command, response, from: begun.stamp, to: count), begun.line)
    }
  }

  /// The response of an `ok` event, or `nil` if it is not known.
  private mutating func response(
    _ result: RecordedValue?, _ value: RecordedValue?, _ begun: Running, _ number: Int
  ) throws(Problem) -> Model.Response? {
    guard result == nil else { return try Model.response(result, to: begun.command) }
    guard Model.answersInValue(begun.command) else {
      return try Model.response(implied(by: begun), to: begun.command)
    }
    if value == .null, Model.mayOmitValue(begun.command) {
      nilReadLine = nilReadLine ?? number
      if interpretation.nilRead == .unknown { return nil }
    }
    return try Model.response(value, to: begun.command)
  }

  /// Drops a call that failed, unless its failure is a response.
  private mutating func addFailed(
    _ begun: Running, _ process: Int, _ number: Int
  ) throws(Problem) {
    if let response = Model.failure(of: begun.command) {
      failedCASLine = failedCASLine ?? number
      if interpretation.failedCAS == .returnedFalse {
        add(completed(process, begun.command, response, from: begun.stamp, to: count), begun.line)
        return
      }
    }
    failed += 1
  }

  /// The value of an event that ends a call.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem`` if the event belongs to another call.
  private func endValue(
    _ line: RecordedLine, _ begun: Running, _ process: Int
  ) throws(Problem) -> RecordedValue? {
    let other = Problem.otherCall(process: process, since: begun.line)
    if let function = line.function, function != .string(begun.call.function) { throw other }
    if let key = line.key, key != begun.call.key { throw other }
    var value = line.value
    // What an event that is not `ok` has as its value may be an error, such as `:timed-out`.
    guard line.type == .string("ok") else { return value }
    if begun.isPair, line.key == nil, let pair = value, pair != .null {
      guard case .array(let parts) = pair, parts.count == 2 else {
        throw .badArgument(function: begun.call.function, needs: "a pair of key and value")
      }
      guard parts[0] == begun.call.key else { throw other }
      value = parts[1]
    }
    if !Model.answersInValue(begun.command), let value, value != .null, value != begun.call.value {
      throw other
    }
    return value
  }

  /// The result of an `ok` event without one, for functions that return whether they took effect.
  private func implied(by begun: Running) -> RecordedValue? {
    ["cas", "acquire", "release"].contains(begun.call.function) ? .bool(true) : nil
  }

  private func call(
    of line: RecordedLine, _ process: Int
  ) throws(Problem) -> (RecordedCall, isPair: Bool) {
    guard let name = line.function else { throw .missing(field: "f") }
    guard case .string(let function) = name else {
      throw .wrongType(field: "f", needs: "a string")
    }
    var call = RecordedCall(function, key: line.key, value: line.value ?? .null)
    if Model.self == LockModel.self, call.value == .null { call.value = .integer(process) }
    guard Model.self == KeyValueModel.self, call.key == nil else { return (call, false) }
    guard case .array(let parts) = call.value, parts.count == 2 else {
      throw .missing(field: "key")
    }
    return (RecordedCall(function, key: parts[0], value: parts[1]), true)
  }

  private func integer(_ name: String, _ value: RecordedValue?) throws(Problem) -> Int? {
    switch value {
    case nil, .null: return nil
    case .integer(let value): return value
    default: throw .wrongType(field: name, needs: "an integer")
    }
  }

  // MARK: - Operations

  private mutating func add(_ operation: Operation, _ line: Int) {
    operations.append(operation)
    lines.append(line)
  }

  private mutating func addPending(_ begun: Running, process: Int) {
    let command = Stated.Command(base: begun.command, isStated: true)
    add(.init(client: process, command, from: begun.stamp), begun.line)
  }

  private func completed(
    _ process: Int, _ command: Model.Command, _ response: Model.Response?, from start: Int,
    to end: Int
  ) -> Operation {
    .init(
      client: process, .init(base: command, isStated: response != nil), from: start, to: end,
      returning: .init(base: response))
  }
}
