import Foundation

/// A recorded history of whole operations or of events, one JSON object a line.
///
/// The fields of a line are `process` (an integer that identifies the caller), `f` (the function),
/// `key` (in models with keys) and `value` (the argument, or `null`). Blank lines and unknown fields
/// are ignored.
///
/// **Operations**: each line is a whole operation. The lines may have any order.
///
///     {"process": 0, "f": "write", "value": 3, "call": 10, "return": 14}
///     {"process": 1, "f": "read", "call": 12, "return": 13, "result": 3}
///     {"process": 2, "f": "cas", "value": [3, 4], "call": 15}
///
/// `call` and `return` are integer stamps of one clock that the processes share. An operation
/// without `return`, or with `null`, is pending: it may have happened at any time after its call,
/// or never. `result` is the response. Calls of one process must not overlap.
///
/// **Events**: each line is the start or the end of an operation. The order of the lines is the
/// order of time.
///
///     {"process": 0, "type": "invoke", "f": "write", "value": 3}
///     {"process": 0, "type": "ok", "f": "write", "value": 3}
///
/// `type` is `invoke`, `ok` (the operation happened), `fail` (it did not happen and is dropped) or
/// `info` (unknown). After `info`, and at the end of the file, an operation is pending. The
/// response is `result`, if the event has one. Otherwise the `value` of an `ok` event is the
/// response of a function that reads, and a copy of the argument (or `null`) for other functions. A
/// compare-and-set that returned `false` is an `ok` with the result `false`: a `fail` did not happen.
/// In models with keys, `value` may be a pair `[key, value]` in place of the field `key`.
///
/// Functions, arguments and results by model:
///
/// | model | functions |
/// |---|---|
/// | register | `read` → value; `write` value; `cas` [old, new] → Boolean |
/// | key-value | `get` → value; `put` value; `append` string; `cas` [old, new] → Boolean; `delete` → Boolean |
/// | queue | `enqueue` value; `dequeue` → value, `null` if empty |
/// | stack | `push` value; `pop` → value, `null` if empty |
/// | set | `add`, `remove`, `contains` value → Boolean; `read` → array of the values |
/// | counter | `read` → integer; `add` integer; `addAndGet` integer → integer |
/// | lock | `acquire`, `release` → Boolean; the owner is `value`, or the process if that is `null` |
///
/// A Boolean that is not recorded may have been either, except that an `ok` of `cas`, `acquire` or
/// `release` without `result` means `true`.
public struct LinearizabilityFile<Model: RecordedModel>: Sendable {
  /// The operations of the file, without those that failed.
  public let history: History<PartlyStated<Model>.Command, PartlyStated<Model>.Response>

  /// The line number of each operation of the history, from 1; for events, the line of its call.
  public let lines: [Int]

  /// The number of operations that failed, so that they did not happen.
  public let failed: Int

  /// Reads the bytes of a file.
  ///
  /// - Throws: ``LinearizabilityFileError`` with every invalid line.
  public init(_ data: Data) throws(LinearizabilityFileError) {
    var reader = RecordedHistoryReader<Model>()
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated()
    where !line.allSatisfy({ [0x20, 0x09, 0x0d].contains($0) }) { reader.read(line, index + 1) }
    reader.finish()
    guard reader.problems.isEmpty else {
      throw LinearizabilityFileError(lines: reader.problems.sorted { $0.number < $1.number })
    }
    history = History(checked: reader.operations)
    self.lines = reader.lines
    failed = reader.failed
  }

  /// Writes a history in the form of operations.
  ///
  /// - Returns: A line for each operation, in the order of the calls.
  public static func encoded(_ history: History<RecordedCall, RecordedResponse>) -> Data {
    var text = ""
    for operation in history.operations.sorted(by: { $0.call < $1.call }) {
      let call = operation.command
      var fields: [String: RecordedValue] = [
        "process": .integer(operation.client), "f": .string(call.function), "value": call.value,
        "call": .integer(operation.call),
      ]
      fields["key"] = call.key
      if case .returned(let response, let end) = operation.outcome {
        fields["return"] = .integer(end)
        if case .value(let value) = response { fields["result"] = value }
      }
      text += RecordedValue.object(fields).json + "\n"
    }
    return Data(text.utf8)
  }
}
