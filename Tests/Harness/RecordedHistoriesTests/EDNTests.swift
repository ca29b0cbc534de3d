import Foundation
import RecordedHistories
import Testing

/// Histories as Jepsen writes them.
@Suite struct EDNTests {
  private func judge(
    _ model: RecordedModelName, _ text: String, _ interpretation: RecordedInterpretation = .init(),
    initial: RecordedValue? = nil
  ) throws -> RecordedVerdict {
    try model.judge(Data(text.utf8), initial: initial, interpretation)
  }

  private func problems(
    _ text: String, _ model: RecordedModelName = .register
  ) -> [LinearizabilityFileError.Line] {
    do {
      _ = try judge(model, text)
      return []
    } catch let error as LinearizabilityFileError {
      return error.lines
    } catch {
      Issue.record("\(error)")
      return []
    }
  }

  private static let maps = [
    "{:process 0, :type :invoke, :f :write, :value 1, :index 0, :time 12345N}",
    "{:process :nemesis, :type :info, :f :start, :value nil, :index 1}",
    "{:process 0, :type :ok, :f :write, :value 1, :index 2}",
    "{:process 1 :type :invoke :f :cas :value [1 2]}",
    "{:process 1 :type :ok :f :cas :value [1 2]}",
    "{:process 2, :type :invoke, :f :write, :value 7}",
    "{:process 2, :type :info, :f :write, :value :timed-out, :error [:net \"slow\"]}",
    "{:process 0, :type :invoke, :f :read, :value nil}",
    "{:process 0, :type :ok, :f :read, :value %}",
  ]

  /// The same history in several layouts.
  private static let layouts: [String] = {
    let lines: String = maps.joined(separator: "\n")
    let tagged: String = maps.map { "#jepsen.history.Op" + $0 }.joined(separator: " ")
    return [
      lines, "[\(lines)]\n", "; from a test\n(\(tagged))",
      "\u{feff}" + maps.joined(separator: "\r\n"),
      "#_ {:process 5} " + maps.joined(separator: " ,"),
    ]
  }()

  @Test(arguments: layouts)
  func `maps are read in a vector or not, with tags or not`(text: String) throws {
    for value in ["2", "7"] {
      let verdict = try judge(.register, text.replacing("%", with: value))
      #expect(verdict.outcome == .linearizable, "\(value)")
      #expect(verdict.operations == 4)
      #expect(verdict.pending == 1)
    }
    #expect(try judge(.register, text.replacing("%", with: "1")).outcome == .notLinearizable)
  }

  @Test func `Jepsen's log is read, and its other lines are left out`() throws {
    let text = """
      INFO  jepsen.core - Worker 1 starting
      INFO  jepsen.util - :nemesis	:info	:start	nil
      INFO  jepsen.util - 0	:invoke	:write	3
      INFO  jepsen.util - 1	:invoke	:read	nil
      INFO  jepsen.util - 0	:ok	:write	3
      INFO  jepsen.util - 1	:ok	:read	%
      INFO  jepsen.util - 2	:invoke	:cas	[3 4]
      INFO  jepsen.util - 2	:info	:cas	:timed-out
      INFO  jepsen.util - 1	:invoke	:read	nil
      INFO  jepsen.util - 1	:ok	:read	4
      """
    let verdict = try judge(.register, text.replacing("%", with: "3"))
    #expect(verdict.outcome == .linearizable)
    #expect(verdict.operations == 4)
    #expect(try judge(.register, text.replacing("%", with: "9")).outcome == .notLinearizable)
    let short = text.replacing("INFO  jepsen.util - ", with: "").replacing("%", with: "3")
      .split(separator: "\n").dropFirst(2).joined(separator: "\n")
    #expect(try judge(.register, short).outcome == .linearizable)
  }

  @Test func `values of EDN keep their meaning`() throws {
    func read(_ written: String, _ read: String) throws -> RecordedVerdict.Outcome {
      try judge(
        .register,
        """
        {:process 0, :type :invoke, :f :write, :value \(written)}
        {:process 0, :type :ok, :f :write, :value \(written)}
        {:process 0, :type :invoke, :f :read, :value nil}
        {:process 0, :type :ok, :f :read, :value \(read)}
        """
      ).outcome
    }
    let same = [
      ("[1 2]", "(1, 2)"), ("#{1}", "[1]"), ("\"a\\n\\u00e9\"", "\"a\n\u{e9}\""), ("12N", "12"),
      ("2.0", "2"), ("-3", "-3"), (":a", ":a"),
      ("{:a 1, \"b\" [nil true]}", "{\"b\" [nil true] :a 1}"),
      ("#inst \"2020\"", "\"2020\""), ("\\c", "\"c\""), ("1.5M", "1.5"), ("sym/bol", "sym/bol"),
    ]
    for (one, other) in same { #expect(try read(one, other) == .linearizable, "\(one) \(other)") }
    for (one, other) in [("1", "\"1\""), (":a", "\"a\""), ("nil", "false"), ("1", "2")] {
      #expect(try read(one, other) == .notLinearizable, "\(one) \(other)")
    }
  }

  @Test func `pairs of key and value are read as in JSON`() throws {
    let text = """
      {:process 0, :type :invoke, :f :write, :value [8 1]}
      {:process 0, :type :ok, :f :write, :value [8 1]}
      {:process 1, :type :invoke, :f :read, :value [8 nil]}
      {:process 1, :type :info, :f :read, :value :timeout}
      {:process 2, :type :invoke, :f :read, :value [8 nil]}
      {:process 2, :type :ok, :f :read, :value [8 %]}
      """
    #expect(try judge(.keyValue, text.replacing("%", with: "1")).outcome == .linearizable)
    #expect(try judge(.keyValue, text.replacing("%", with: "2")).outcome == .notLinearizable)
  }

  @Test func `every invalid map is reported with its line`() {
    let found = problems(
      """
      {:process 0, :type :invoke, :f :read, :value nil}
      {:process 1, :type :invoke, :f :jump, :value nil}
      {:process 2, :type :begin, :f :read}
      {:process 3, :process 4, :type :invoke, :f :read}
      {:process 5, :type :invoke, :f :write, :value 99999999999999999999}
      ]
      {:process 0, :type :ok, :f :read, :value [1)}
      """)
    #expect(found.map(\.number) == [2, 3, 4, 5, 6, 7], "\(found)")
    #expect(
      found.map(\.problem).prefix(4) == [
        .unknownFunction("jump"), .unknownType("begin"), .repeated(field: "process"),
        .badNumber("99999999999999999999"),
      ])
    #expect(problems("{:process 0, :type :invoke, :f :write, :value \"x").count == 1)
    #expect(problems("{:process 0, :type :invoke :f :read} }").count == 1)
    let deep = String(repeating: "[", count: 100_000)
    #expect(!problems("{:process 0, :type :invoke, :f :write, :value \(deep)").isEmpty)
  }

  // MARK: - Events with two meanings

  /// Two compare-and-sets, of which one must have returned true.
  private let failures = """
    {:process 0, :type :invoke, :f :write, :value 1}
    {:process 0, :type :ok, :f :write, :value 1}
    {:process 1, :type :invoke, :f :cas, :value [1 2]}
    {:process 1, :type :fail, :f :cas, :value [1 2]}
    {:process 0, :type :invoke, :f :read, :value nil}
    {:process 0, :type :ok, :f :read, :value %}
    """

  @Test func `the meaning of a failed compare-and-set must be given if it matters`() throws {
    let text = failures.replacing("%", with: "1")
    #expect(problems(text) == [.init(number: 4, problem: .failedCASIsAmbiguous)])
    #expect("\(problems(text)[0].problem)".contains("--failed-cas false"))
    #expect(try judge(.register, text, .init(failedCAS: .dropped)).outcome == .linearizable)
    let strict = try judge(.register, text, .init(failedCAS: .returnedFalse))
    #expect(strict.outcome == .notLinearizable)
    #expect(strict.failed == 0)
    // Wrong or right whatever it means: no option is needed.
    #expect(try judge(.register, failures.replacing("%", with: "5")).outcome == .notLinearizable)
    let other = text.replacing("[1 2]", with: "[3 2]")
    #expect(try judge(.register, other).outcome == .linearizable)
  }

  @Test func `the meaning of a read of nil must be given if it matters`() throws {
    let text = failures.replacing("[1 2]", with: "[3 2]").replacing("%", with: "nil")
    #expect(problems(text) == [.init(number: 6, problem: .nilReadIsAmbiguous)])
    #expect(try judge(.register, text, .init(nilRead: .unknown)).outcome == .linearizable)
    #expect(try judge(.register, text, .init(nilRead: .absent)).outcome == .notLinearizable)
  }

  @Test func `a stated result has one meaning`() throws {
    let text = """
      {"process": 0, "type": "invoke", "f": "write", "value": 1}
      {"process": 0, "type": "ok", "f": "write", "value": 1}
      {"process": 1, "type": "invoke", "f": "read"}
      {"process": 1, "type": "ok", "f": "read", "result": null}
      """
    #expect(try judge(.register, text).outcome == .notLinearizable)
  }
}
