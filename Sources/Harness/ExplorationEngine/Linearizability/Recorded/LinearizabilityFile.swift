import Foundation

/// A recorded history in JSON lines, in one of two shapes.
///
/// Each line is one JSON object; lines of white space mean nothing, and fields that are not
/// named here are for the reader. Both shapes know `process` (an integer: who calls), `f` (the
/// function), `key` (in models with keys) and `value` (the argument, `null` if there is none).
///
/// **Operations**: a line is a whole operation, in any order.
///
///     {"process": 0, "f": "write", "value": 3, "call": 10, "return": 14}
///     {"process": 1, "f": "read", "call": 12, "return": 13, "result": 3}
///     {"process": 2, "f": "cas", "value": [3, 4], "call": 15}
///
/// `call` and `return` are integers of one clock that all processes share; without `return` (or
/// with `null`) the operation is pending: it may have happened at any time after, or never.
/// `result` is the response. Calls of one process may touch but not overlap.
///
/// **Events**: a line is the beginning or the end of an operation; the lines' order is time.
///
///     {"process": 0, "type": "invoke", "f": "write", "value": 3}
///     {"process": 0, "type": "ok", "f": "write", "value": 3}
///
/// `type` is `invoke`, `ok` (it happened), `fail` (it did not happen: the operation is dropped)
/// or `info` (nobody knows: pending for ever, as is what the file's end cuts off). The response
/// is `result` if that is there; else the `value` of an `ok` event is the response of a function
/// that reads, and a copy of the argument (or `null`) for any other. In models with keys the
/// `value` may be a pair `[key, value]` instead of a `key` beside it.
///
/// Functions, arguments and results by model:
///
/// | model | functions |
/// |---|---|
/// | register | `read` → value; `write` value; `cas` [old, new] → Boolean |
/// | key-value | `get` → value; `put` value; `append` string; `cas` [old, new] → Boolean; `delete` → Boolean |
/// | queue | `enqueue` value; `dequeue` → value, `null` if empty |
/// | stack | `push` value; `pop` → value, `null` if empty |
/// | set | `add`, `remove`, `contains` value → Boolean; `read` → array of all values |
/// | counter | `read` → integer; `add` integer; `addAndGet` integer → integer |
/// | lock | `acquire`, `release` → Boolean; the owner is `value`, or the process if that is `null` |
///
/// A Boolean that is not stated may have been either, except that an `ok` of `cas`, `acquire` or
/// `release` without `result` says `true`.
public struct LinearizabilityFile<Model: RecordedModel>: Sendable {
  /// What happened.
  public let history: History<PartlyStated<Model>.Command, PartlyStated<Model>.Response>

  /// The line of each operation of the history, from 1; of its call, if it has several.
  public let lines: [Int]

  /// How many operations are known not to have happened, and are not in the history.
  public let failed: Int

  /// Reads a file's bytes.
  ///
  /// - Throws: ``LinearizabilityFileError`` naming every line that cannot be used.
  public init(_ data: Data) throws(LinearizabilityFileError) {
    var reader = RecordedHistoryReader<Model>()
    var number = 0
    for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      reader.read(Data(line), number)
    }
    reader.finish()
    guard reader.problems.isEmpty else {
      throw LinearizabilityFileError(lines: reader.problems.sorted { $0.number < $1.number })
    }
    history = History(checked: reader.operations)
    lines = reader.lines
    failed = reader.failed
  }

  /// Writes a history in the shape of operations.
  ///
  /// - Returns: One line an operation, in the order of the calls.
  public static func encoded(_ history: History<Model.Command, Model.Response>) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = Data()
    for operation in history.operations.sorted(by: { $0.call < $1.call }) {
      let call = Model.call(operation.command)
      var fields: [String: RecordedValue] = [
        "process": .integer(operation.client), "f": .string(call.function), "value": call.value,
        "call": .integer(operation.call),
      ]
      fields["key"] = call.key
      if case .returned(let response, let end) = operation.outcome {
        fields["return"] = .integer(end)
        fields["result"] = Model.result(response)
      }
      data += try encoder.encode(fields) + [UInt8(ascii: "\n")]
    }
    return data
  }
}
