import Foundation
import RecordedHistories
import Testing

@Suite struct LinearizabilityFileTests {
  private func judge(
    _ model: RecordedModelName, _ lines: String, initial: RecordedValue? = nil
  ) throws -> RecordedVerdict {
    try model.judge(Data(lines.utf8), initial: initial)
  }

  private func problems(
    _ model: RecordedModelName, _ lines: String
  ) -> [LinearizabilityFileError.Line] {
    do {
      _ = try judge(model, lines)
      return []
    } catch let error as LinearizabilityFileError {
      return error.lines
    } catch {
      Issue.record("\(error)")
      return []
    }
  }

  @Test func `whole operations are read in any order`() throws {
    let verdict = try judge(
      .register,
      """
      {"process": 1, "f": "read", "call": 12, "return": 13, "result": 3}
      {"process": 0, "f": "write", "value": 3, "call": 10, "return": 14}

      {"process": 2, "f": "cas", "value": [3, 4], "call": 15}
      {"process": 1, "f": "read", "call": 16, "return": 17, "result": 4}
      """)
    #expect(verdict.outcome == .linearizable)
    #expect(verdict.operations == 4)
    #expect(verdict.pending == 1)
    #expect(verdict.order == [2, 1, 4, 5])
  }

  @Test func `events are read in the order of their lines`() throws {
    let events = """
      {"process": 0, "type": "invoke", "f": "write", "value": 1}
      {"process": 0, "type": "ok", "f": "write", "value": 1}
      {"process": 1, "type": "invoke", "f": "read", "value": null}
      {"process": 1, "type": "ok", "f": "read", "value": %}
      """
    for (value, outcome) in [("1", RecordedVerdict.Outcome.linearizable), ("0", .notLinearizable)] {
      let verdict = try judge(.register, events.replacing("%", with: value), initial: 0)
      #expect(verdict.outcome == outcome)
    }
  }

  @Test func `a failed operation did not happen, and one without an end may have`() throws {
    let text = """
      {"process": 0, "type": "invoke", "f": "cas", "value": [5, 1]}
      {"process": 0, "type": "fail", "f": "cas", "value": [5, 1]}
      {"process": 1, "type": "invoke", "f": "write", "value": 7}
      {"process": 1, "type": "info", "f": "write", "value": 7, "error": "timeout"}
      {"process": 2, "type": "invoke", "f": "write", "value": 8}
      {"process": 3, "type": "invoke", "f": "read"}
      {"process": 3, "type": "ok", "f": "read", "value": %}
      """
    for value in ["null", "7", "8"] {
      let verdict = try judge(.register, text.replacing("%", with: value))
      #expect(verdict.outcome == .linearizable, "\(value)")
      #expect(verdict.failed == 1)
      #expect(verdict.pending == 2)
    }
    #expect(try judge(.register, text.replacing("%", with: "1")).outcome == .notLinearizable)
  }

  @Test func `a value can be a pair of key and value`() throws {
    let text = """
      {"process": 0, "type": "invoke", "f": "put", "value": ["a", 1]}
      {"process": 0, "type": "ok", "f": "put", "value": ["a", 1]}
      {"process": 0, "type": "invoke", "f": "get", "value": ["a", null]}
      {"process": 0, "type": "ok", "f": "get", "value": ["a", %]}
      {"process": 0, "type": "invoke", "f": "append", "key": "b", "value": "x"}
      {"process": 0, "type": "ok", "f": "append", "key": "b", "value": "x"}
      {"process": 0, "type": "invoke", "f": "get", "key": "b"}
      {"process": 0, "type": "ok", "f": "get", "key": "b", "value": "x"}
      """
    #expect(try judge(.keyValue, text.replacing("%", with: "1")).outcome == .linearizable)
    let wrong = try judge(.keyValue, text.replacing("%", with: "2"))
    #expect(wrong.outcome == .notLinearizable)
    #expect(wrong.blocked == [3])
    #expect(wrong.description.contains("Line 3 cannot be explained: get(\"a\") → 2"))
  }

  @Test func `a Boolean that is not recorded may be either`() throws {
    for f in ["add", "remove"] {
      let text = """
        {"process": 0, "f": "\(f)", "value": 1, "call": 1, "return": 2}
        {"process": 0, "f": "\(f)", "value": 1, "call": 3, "return": 4}
        """
      #expect(try judge(.set, text).outcome == .linearizable)
    }
    let recorded = """
      {"process": 0, "f": "add", "value": 1, "call": 1, "return": 2, "result": true}
      {"process": 0, "f": "add", "value": 1, "call": 3, "return": 4, "result": true}
      """
    #expect(try judge(.set, recorded).outcome == .notLinearizable)
  }

  @Test func `locks are held by their process`() throws {
    let text = """
      {"process": 0, "type": "invoke", "f": "acquire"}
      {"process": 0, "type": "ok", "f": "acquire"}
      {"process": 1, "type": "invoke", "f": "acquire"}
      {"process": 1, "type": "ok", "f": "acquire"}
      """
    #expect(try judge(.lock, text).outcome == .notLinearizable)
  }

  @Test func `strings are compared byte by byte`() throws {
    let verdict = try judge(
      .register,
      """
      {"process": 0, "f": "write", "value": {"e": ["\u{e9}"]}, "call": 1, "return": 2}
      {"process": 0, "f": "read", "call": 3, "return": 4, "result": {"e": ["e\u{301}"]}}
      """)
    #expect(verdict.outcome == .notLinearizable)
  }

  @Test func `every invalid line is reported with its number`() {
    let found = problems(
      .register,
      """
      {"process": 0, "type": "invoke", "f": "read"}
      not json
      {"process": 0, "type": "invoke", "f": "read"}
      {"process": 1, "type": "ok", "f": "read", "value": 1}
      {"type": "invoke", "f": "read"}
      {"process": "nemesis", "type": "invoke", "f": "read"}
      {"process": 2, "type": "begin", "f": "read"}
      {"process": 3, "type": "invoke", "f": "jump"}
      {"process": 4, "type": "invoke", "f": "cas", "value": 3}
      {"process": 0, "type": "ok", "f": "write", "value": 1}
      {"process": 0, "call": 3, "f": "read"}
      {"process": 5, "type": "invoke"}
      [1]
      """)
    #expect(found.map(\.number) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    let expected: [Int: LinearizabilityFileError.Problem] = [
      3: .stillRunning(process: 0, since: 1), 4: .notRunning(process: 1),
      5: .missing(field: "process"), 6: .wrongType(field: "process", needs: "an integer"),
      7: .unknownType("begin"), 8: .unknownFunction("jump"),
      10: .otherCall(process: 0, since: 1), 11: .mixedShapes, 12: .missing(field: "f"),
    ]
    for line in found {
      if let problem = expected[line.number] { #expect(line.problem == problem) }
    }
  }

  @Test func `impossible operations are rejected`() {
    let found = problems(
      .register,
      """
      {"process": 0, "f": "read", "call": 5, "return": 4, "result": 1}
      {"process": 1, "f": "read", "call": 1, "return": 9, "result": 1}
      {"process": 1, "f": "read", "call": 8, "return": 10, "result": 1}
      {"process": 2, "f": "read", "call": 1, "return": 2}
      {"process": 3, "f": "read", "call": 1.5}
      {"process": 3, "f": "write", "value": 18446744073709551617, "call": 1}
      """)
    #expect(found.map(\.number) == [1, 3, 4, 5, 6])
    #expect(found.first?.problem == .returnsBeforeCall(call: 5, end: 4))
    #expect(found.dropFirst().first?.problem == .overlaps(process: 1, line: 2))
  }

  @Test func `an encoded history is decoded to an equal one`() throws {
    let history = try History<RecordedCall, RecordedResponse>([
      .init(client: 0, .put("a/b", [1, "x", nil]), from: 1, to: 2, returning: .done),
      .init(client: 1, .get("a/b"), from: 1, to: 4, returning: .value([1, "x", nil])),
      .init(client: 2, .cas(1, old: 2, new: 3), from: 3, to: 5, returning: .value(false)),
      .init(client: 3, .append(1, "\n"), from: 6),
      .init(client: 4, .delete("a/b"), from: 7, to: 8, returning: .value(true)),
    ])
    let file = try LinearizabilityFile<KeyValueModel>(
      LinearizabilityFile<KeyValueModel>.encoded(history))
    #expect(file.history.operations.map(\.command.base) == history.operations.map(\.command))
    #expect(file.history.operations.map(\.end) == history.operations.map(\.end))
    for (read, written) in zip(file.history.operations, history.operations) {
      if case .returned(let response, _) = written.outcome {
        guard case .returned(let mine, _) = read.outcome else {
          Issue.record("\(read) is pending")
          continue
        }
        #expect(mine.base == response)
      }
    }
  }

  @Test func `an empty file is linearizable`() throws {
    #expect(try judge(.queue, "").outcome == .linearizable)
  }
}
