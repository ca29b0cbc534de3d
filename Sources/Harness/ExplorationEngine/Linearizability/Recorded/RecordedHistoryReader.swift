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
    let command: Model.Command
    /// Whether the field `value` was a pair of key and value.
    let isPair: Bool
  }

  private(set) var operations: [Operation] = []
  private(set) var lines: [Int] = []
  private(set) var problems: [LinearizabilityFileError.Line] = []
  private(set) var failed = 0

  private var running: [Int: Running] = [:]
  private var isEvents: Bool?
  private let decoder = JSONDecoder()

  mutating func read(_ line: Data, _ number: Int) {
    if line.allSatisfy({ [0x20, 0x09, 0x0d].contains($0) }) { return }
    do throws(Problem) {
      try read(fields(line), number)
    } catch {
      problems.append(.init(number: number, problem: error))
    }
  }

  /// Adds the calls that have not ended as pending, and finds overlapping calls of one process.
  mutating func finish() {
    for begun in running.values.sorted(by: { $0.line < $1.line }) {
      addPending(begun, process: process(of: begun))
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

  private func process(of begun: Running) -> Int {
    running.first { $0.value.line == begun.line }?.key ?? 0
  }

  // MARK: - Lines

  private func fields(_ line: Data) throws(Problem) -> [String: RecordedValue] {
    do {
      return try decoder.decode([String: RecordedValue].self, from: line)
    } catch DecodingError.dataCorrupted(let context) {
      throw .notJSON(context.debugDescription)
    } catch {
      throw .notJSON("expected one object in braces")
    }
  }

  private mutating func read(
    _ fields: [String: RecordedValue], _ number: Int
  ) throws(Problem) {
    let isEvent = fields["type"] != nil
    guard isEvent || fields["call"] != nil else { throw .missing(field: "type or call") }
    if let isEvents, isEvents != isEvent { throw .mixedShapes }
    isEvents = isEvent
    guard let process = try integer("process", in: fields) else {
      throw .missing(field: "process")
    }
    if isEvent {
      try readEvent(fields, process, number)
    } else {
      try readOperation(fields, process, number)
    }
  }

  private mutating func readOperation(
    _ fields: [String: RecordedValue], _ process: Int, _ number: Int
  ) throws(Problem) {
    guard let start = try integer("call", in: fields) else { throw .missing(field: "call") }
    let (call, _) = try call(in: fields, process)
    let command = try Model.command(call)
    guard let end = try integer("return", in: fields) else {
      add(.init(client: process, .init(base: command, isStated: true), from: start), number)
      return
    }
    guard end >= start else { throw .returnsBeforeCall(call: start, end: end) }
    let response = try Model.response(fields["result"], to: command)
    add(completed(process, command, response, from: start, to: end), number)
  }

  private mutating func readEvent(
    _ fields: [String: RecordedValue], _ process: Int, _ number: Int
  ) throws(Problem) {
    guard case .string(let type)? = fields["type"] else {
      throw .wrongType(field: "type", needs: "a string")
    }
    if type == "invoke" {
      let (call, isPair) = try call(in: fields, process)
      let command = try Model.command(call)
      if let begun = running[process] {
        throw .stillRunning(process: process, since: begun.line)
      }
      running[process] = Running(line: number, call: call, command: command, isPair: isPair)
      return
    }
    guard ["ok", "fail", "info"].contains(type) else { throw .unknownType(type) }
    guard let begun = running[process] else { throw .notRunning(process: process) }
    // The call has ended even if this line is invalid.
    running[process] = nil
    let value = try endValue(fields, begun, process)
    switch type {
    case "fail":
      failed += 1
    case "info":
      addPending(begun, process: process)
    default:
      var result = fields["result"]
      if result == nil {
        result = Model.answersInValue(begun.command) ? value : implied(by: begun)
      }
      let response = try Model.response(result, to: begun.command)
      add(completed(process, begun.command, response, from: begun.line, to: number), begun.line)
    }
  }

  /// The value of an event that ends a call.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem`` if the event belongs to another call.
  private func endValue(
    _ fields: [String: RecordedValue], _ begun: Running, _ process: Int
  ) throws(Problem) -> RecordedValue? {
    let other = Problem.otherCall(process: process, since: begun.line)
    if let function = fields["f"], function != .string(begun.call.function) { throw other }
    if let key = fields["key"], key != begun.call.key { throw other }
    var value = fields["value"]
    if begun.isPair, fields["key"] == nil, let pair = value, pair != .null {
      guard case .array(let parts) = pair, parts.count == 2 else {
        throw .badArgument(function: begun.call.function, needs: "a pair of key and value")
      }
      guard parts[0] == begun.call.key else { throw other }
      value = parts[1]
    }
    if !Model.answersInValue(begun.command), fields["type"] == .string("ok"),
      let value, value != .null, value != begun.call.value
    {
      throw other
    }
    return value
  }

  /// The result of an `ok` event without one, for functions that return whether they took effect.
  private func implied(by begun: Running) -> RecordedValue? {
    ["cas", "acquire", "release"].contains(begun.call.function) ? .bool(true) : nil
  }

  private func call(
    in fields: [String: RecordedValue], _ process: Int
  ) throws(Problem) -> (RecordedCall, isPair: Bool) {
    guard let name = fields["f"] else { throw .missing(field: "f") }
    guard case .string(let function) = name else {
      throw .wrongType(field: "f", needs: "a string")
    }
    var call = RecordedCall(function, key: fields["key"], value: fields["value"] ?? .null)
    if Model.self == LockModel.self, call.value == .null { call.value = .integer(process) }
    guard Model.self == KeyValueModel.self, call.key == nil else { return (call, false) }
    guard case .array(let parts) = call.value, parts.count == 2 else {
      throw .missing(field: "key")
    }
    return (RecordedCall(function, key: parts[0], value: parts[1]), true)
  }

  private func integer(
    _ field: String, in fields: [String: RecordedValue]
  ) throws(Problem) -> Int? {
    switch fields[field] {
    case nil, .null: return nil
    case .integer(let value): return value
    default: throw .wrongType(field: field, needs: "an integer")
    }
  }

  // MARK: - Operations

  private mutating func add(_ operation: Operation, _ line: Int) {
    operations.append(operation)
    lines.append(line)
  }

  private mutating func addPending(_ begun: Running, process: Int) {
    let command = Stated.Command(base: begun.command, isStated: true)
    add(.init(client: process, command, from: begun.line), begun.line)
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
