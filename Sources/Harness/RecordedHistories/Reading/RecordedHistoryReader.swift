import Foundation

/// Reads the lines of a recorded history, and collects its operations and problems.
struct RecordedHistoryReader<Model: RecordedModel> {
  typealias Problem = LinearizabilityFileError.Problem
  typealias Stated = PartlyStated<Model>
  typealias Operation = History<Stated.Command, Stated.Response>.Operation

  /// A call that has started and not ended.
  private struct Running {
    let line: Int
    let call: RecordedCall
    /// Whether the field `value` was a pair of key and value.
    let isPair: Bool
  }

  private(set) var operations: [Operation] = []
  private(set) var lines: [Int] = []
  private(set) var problems: [LinearizabilityFileError.Line] = []
  private(set) var failed = 0

  private var running: [Int: Running] = [:]
  private var isEvents: Bool?

  mutating func read(_ line: Data, _ number: Int) {
    do throws(Problem) {
      guard case .object(let fields) = try RecordedValue(json: line) else {
        throw .notJSON("expected one object in braces")
      }
      try read(fields, number)
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

  private mutating func read(_ line: [String: RecordedValue], _ number: Int) throws(Problem) {
    let isEvent = line["type"] != nil
    guard isEvent || line["call"] != nil else { throw .missing(field: "type or call") }
    if let isEvents, isEvents != isEvent { throw .mixedShapes }
    isEvents = isEvent
    guard let process = try integer("process", in: line) else { throw .missing(field: "process") }
    if isEvent {
      try readEvent(line, process, number)
    } else {
      try readOperation(line, process, number)
    }
  }

  private mutating func readOperation(
    _ line: [String: RecordedValue], _ process: Int, _ number: Int
  ) throws(Problem) {
    guard let start = try integer("call", in: line) else { throw .missing(field: "call") }
    let (call, function, _) = try call(of: line, process)
    guard let end = try integer("return", in: line) else {
      add(.init(client: process, .init(base: call, isStated: true), from: start), number)
      return
    }
    guard end >= start else { throw .returnsBeforeCall(call: start, end: end) }
    let response = try function.response(line["result"], to: call)
    add(completed(process, call, response, from: start, to: end), number)
  }

  private mutating func readEvent(
    _ line: [String: RecordedValue], _ process: Int, _ number: Int
  ) throws(Problem) {
    guard case .string(let type)? = line["type"] else {
      throw .wrongType(field: "type", needs: "a string")
    }
    if type == "invoke" {
      let (call, _, isPair) = try call(of: line, process)
      if let begun = running[process] {
        throw .stillRunning(process: process, since: begun.line)
      }
      running[process] = Running(line: number, call: call, isPair: isPair)
      return
    }
    guard ["ok", "fail", "info"].contains(type) else { throw .unknownType(type) }
    guard let begun = running[process] else { throw .notRunning(process: process) }
    // The call has ended even if this line is invalid.
    running[process] = nil
    let value = try endValue(line, begun, process)
    switch type {
    case "fail": failed += 1
    case "info": addPending(begun, process: process)
    default:
      let response = try response(line["result"], value, begun)
      add(completed(process, begun.call, response, from: begun.line, to: number), begun.line)
    }
  }

  /// The response of an `ok` event, or `nil` if it is not known.
  private func response(
    _ result: RecordedValue?, _ value: RecordedValue?, _ begun: Running
  ) throws(Problem) -> RecordedResponse? {
    guard let function = Model.functions[begun.call.function] else { return nil }
    let implied: RecordedValue? =
      function.answersInValue ? value : function.result == .success ? true : nil
    return try function.response(result ?? implied, to: begun.call)
  }

  /// The value of an event that ends a call.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem`` if the event belongs to another call.
  private func endValue(
    _ line: [String: RecordedValue], _ begun: Running, _ process: Int
  ) throws(Problem) -> RecordedValue? {
    let other = Problem.otherCall(process: process, since: begun.line)
    if let function = line["f"], function != .string(begun.call.function) { throw other }
    if let key = line["key"], key != begun.call.key { throw other }
    var value = line["value"]
    // The value of an event that is not `ok` may be an error.
    guard line["type"] == "ok" else { return value }
    if begun.isPair, line["key"] == nil, let pair = value, pair != .null {
      guard case .array(let parts) = pair, parts.count == 2 else {
        throw .badArgument(function: begun.call.function, needs: "a pair of key and value")
      }
      guard parts[0] == begun.call.key else { throw other }
      value = parts[1]
    }
    let answersInValue = Model.functions[begun.call.function]?.answersInValue == true
    if !answersInValue, let value, value != .null, value != begun.call.value { throw other }
    return value
  }

  private func call(
    of line: [String: RecordedValue], _ process: Int
  ) throws(Problem) -> (RecordedCall, RecordedFunction, isPair: Bool) {
    guard let name = line["f"] else { throw .missing(field: "f") }
    guard case .string(let name) = name else { throw .wrongType(field: "f", needs: "a string") }
    guard let function = Model.functions[name] else { throw .unknownFunction(name) }
    var call = RecordedCall(name, key: line["key"], value: line["value"] ?? .null)
    if Model.takesProcess, call.value == .null { call.value = .integer(process) }
    let isPair = Model.hasKeys && call.key == nil
    if isPair {
      guard case .array(let parts) = call.value, parts.count == 2 else {
        throw .missing(field: "key")
      }
      (call.key, call.value) = (parts[0], parts[1])
    }
    if function.argument == .none { call.value = .null }
    try function.check(call)
    return (call, function, isPair)
  }

  private func integer(_ name: String, in line: [String: RecordedValue]) throws(Problem) -> Int? {
    switch line[name] {
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
    let command = Stated.Command(base: begun.call, isStated: true)
    add(.init(client: process, command, from: begun.line), begun.line)
  }

  private func completed(
    _ process: Int, _ command: RecordedCall, _ response: RecordedResponse?, from start: Int,
    to end: Int
  ) -> Operation {
    .init(
      client: process, .init(base: command, isStated: response != nil), from: start, to: end,
      returning: .init(base: response))
  }
}
