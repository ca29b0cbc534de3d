import Foundation

/// A recorded history, in JSON Lines or in Jepsen's EDN, of whole operations or of events.
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
/// response of a function that reads, and a copy of the argument (or `null`) for other functions.
/// In models with keys, `value` may be a pair `[key, value]` in place of the field `key`.
///
/// **EDN**: the same fields with keywords as names, as Jepsen writes them to `history.edn`:
/// `{:process 0, :type :invoke, :f :read, :value nil}`, in a vector or not. Jepsen's log and
/// `history.txt`, with process, type, function and value in a row, are read as well. A process that
/// is a keyword, such as `:nemesis`, is no caller and is left out.
///
/// A `fail` of `cas` and an `ok` of a read with `null` have two meanings in Jepsen's histories; see
/// ``RecordedInterpretation``.
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

  /// The first line of a `fail` of a compare-and-set, if there is one.
  let failedCASLine: Int?

  /// The first line of a read whose value is `null`, if there is one.
  let nilReadLine: Int?

  /// Reads the bytes of a file.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - interpretation: The meaning of events that have two. By default a `fail` of a
  ///     compare-and-set did not happen, and `null` is the value that a read returned.
  /// - Throws: ``LinearizabilityFileError`` with every invalid line.
  public init(
    _ data: Data, _ interpretation: RecordedInterpretation = .init()
  ) throws(LinearizabilityFileError) {
    var reader = RecordedHistoryReader<Model>(interpretation)
    data.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      RecordedSyntax(of: bytes).read(bytes) { line, number in reader.read(line, number) }
    }
    reader.finish()
    guard reader.problems.isEmpty else {
      throw LinearizabilityFileError(lines: reader.problems.sorted { $0.number < $1.number })
    }
    history = History(checked: reader.operations)
    lines = reader.lines
    failed = reader.failed
    failedCASLine = reader.failedCASLine
    nilReadLine = reader.nilReadLine
  }

  /// Writes a history in the form of operations.
  ///
  /// - Returns: A line for each operation, in the order of the calls.
  public static func encoded(_ history: History<Model.Command, Model.Response>) -> Data {
    var text = ""
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
      text += RecordedValue.object(fields).json + "\n"
    }
    return Data(text.utf8)
  }
}
