import CookieHistories
import CookiePort
import Foundation
import RecordedHistories
import Testing

@Suite struct CookieHistoryModelTests {
  private typealias HistoryFile = LinearizabilityFile<CookieHistoryModel>

  private func verdict(_ lines: String...) throws -> RecordedVerdict {
    try RecordedVerdict(Data(lines.joined(separator: "\n").utf8), CookieHistoryModel())
  }

  /// Returns the problem of a file of one line, or `nil`.
  private func problem(_ line: String) throws -> LinearizabilityFileError.Problem? {
    do throws(LinearizabilityFileError) {
      _ = try HistoryFile(Data(line.utf8))
      return nil
    } catch {
      try #require(error.lines.count == 1, "\(error)")
      #expect(error.lines[0].number == 1)
      return error.lines[0].problem
    }
  }

  private static let session = [
    #"{"process":0,"f":"store","value":["a=1; Path=/","https://example.com/"],"call":1,"return":2,"result":"stored"}"#,
    #"{"process":0,"f":"store","value":["a=2; Path=/","https://example.com/"],"call":3,"return":4,"result":"replaced"}"#,
    #"{"process":0,"f":"store","value":["b=é; Secure; Path=/docs","https://example.com/"],"call":5,"return":6,"result":"stored"}"#,
    #"{"process":1,"f":"cookies","value":"https://EXAMPLE.com:8443/docs/x?q#f","call":7,"return":8,"result":"b=é; a=2"}"#,
    #"{"process":1,"f":"cookies","value":"http://example.com/docs","call":9,"return":10,"result":"a=2"}"#,
    #"{"process":1,"f":"cookies","value":"https://example.org/","call":11,"return":12,"result":null}"#,
    #"{"process":1,"f":"all","call":13,"return":14,"result":["a=2","b=é"]}"#,
    #"{"process":0,"f":"store","value":["b=1","http://example.com/docs/"],"call":15,"return":16,"result":"overlaysSecure"}"#,
    #"{"process":0,"f":"store","value":["a=; Max-Age=0; Path=/","https://example.com/"],"call":17,"return":18,"result":"removed"}"#,
    #"{"process":0,"f":"store","value":["a=; Max-Age=0; Path=/","https://example.com/"],"call":19,"return":20,"result":"nothing"}"#,
    #"{"process":0,"f":"delete","value":["b","https://example.com/docs"],"call":21,"return":22,"result":true}"#,
    #"{"process":0,"f":"delete","value":["b","https://example.com/docs"],"call":23,"return":24,"result":false}"#,
    #"{"process":0,"f":"store","value":["c=1; Max-Age=5","https://example.com/"],"call":25,"return":26,"result":"stored"}"#,
    #"{"process":0,"f":"wait","value":5,"call":27,"return":28}"#,
    #"{"process":0,"f":"removeExpired","call":29,"return":30,"result":1}"#,
    #"{"process":0,"f":"store","value":["h=1; HttpOnly","script:https://example.com/"],"call":31,"return":32,"result":"httpOnlyFromScript"}"#,
    #"{"process":0,"f":"endSession","call":33,"return":34}"#,
    #"{"process":0,"f":"clear","call":35,"return":36,"result":null}"#,
    #"{"process":0,"f":"store","value":["n=1; Path=/","https://example.com/"],"call":37,"return":38,"result":"stored"}"#,
    #"{"process":0,"f":"restore","value":["r=1; Max-Age=9; Path=/","https://example.com/",5],"call":39,"return":40}"#,
    #"{"process":0,"f":"all","call":41,"return":42,"result":["r=1","n=1"]}"#,
    #"{"process":0,"f":"wait","value":4,"call":43,"return":44}"#,
    #"{"process":0,"f":"all","call":45,"return":46,"result":["n=1"]}"#,
    #"{"process":0,"f":"setBack","value":1,"call":47,"return":48}"#,
    #"{"process":0,"f":"all","call":49,"return":50,"result":["r=1","n=1"]}"#,
  ]

  @Test func `a history with every function and every result is linearizable`()
    throws
  {
    let verdict = try RecordedVerdict(
      Data(Self.session.joined(separator: "\n").utf8), CookieHistoryModel())
    #expect(verdict.outcome == .linearizable, "\(verdict)")
    #expect(verdict.operations == Self.session.count)
  }

  @Test(arguments: [
    (0, "\"stored\"", "\"replaced\""), (1, "\"replaced\"", "\"stored\""),
    (3, "b=é; a=2\"", "a=2; b=é\""), (3, "b=é; a=2\"", "b=e\u{301}; a=2\""),
    (5, "null", "\"a=2\""), (6, "\"a=2\",\"b=é\"", "\"b=é\",\"a=2\""),
    (7, "overlaysSecure", "insecureOrigin"), (9, "nothing", "removed"), (10, "true", "false"),
    (14, ":1}", ":0}"), (20, "[\"r=1\",\"n=1\"]", "[\"n=1\",\"r=1\"]"),
    (22, "[\"n=1\"]", "[\"r=1\",\"n=1\"]"), (15, "httpOnlyFromScript", "stored"),
  ])
  func `one wrong result makes the history not linearizable, and its line is reported`(
    index: Int, result: String, wrong: String
  ) throws {
    var lines = Self.session
    try #require(lines[index].contains(result))
    lines[index] = lines[index].replacing(result, with: wrong)
    let file = try HistoryFile(Data(lines.joined(separator: "\n").utf8))
    let checker = LinearizabilityChecker(PartlyStated(base: CookieHistoryModel()))
    guard case .notLinearizable(let violation) = checker.check(file.history) else {
      Issue.record("the history is linearizable")
      return
    }
    #expect(violation.blocked.map { file.lines[$0.operation] } == [index + 1])
  }

  @Test func `a lost write of two concurrent ones is found, and either order is allowed`() throws {
    let first =
      #"{"process":0,"f":"store","value":["a=1","https://example.com/"],"call":1,"return":5}"#
    let second =
      #"{"process":1,"f":"store","value":["b=1","https://example.com/"],"call":2,"return":6}"#
    func read(_ header: String) -> String {
      #"{"process":2,"f":"cookies","value":"https://example.com/","call":7,"return":8,"result":"\#(header)"}"#
    }
    #expect(try verdict(first, second, read("a=1; b=1")).outcome == .linearizable)
    #expect(try verdict(first, second, read("b=1; a=1")).outcome == .linearizable)
    #expect(try verdict(first, second, read("a=1")).outcome == .notLinearizable)
  }

  @Test func `a call without a return may have happened or not`() throws {
    let begun = #"{"process":0,"type":"invoke","f":"store","value":["a=1","https://example.com/"]}"#
    let call = #"{"process":1,"type":"invoke","f":"cookies","value":"https://example.com/"}"#
    func answer(_ header: String) -> String {
      #"{"process":1,"type":"ok","f":"cookies","value":\#(header)}"#
    }
    #expect(try verdict(begun, call, answer("null")).outcome == .linearizable)
    #expect(try verdict(begun, call, answer(#""a=1""#)).outcome == .linearizable)
    #expect(try verdict(begun, call, answer(#""a=2""#)).outcome == .notLinearizable)
  }

  @Test(
    arguments: [
      (#"{"f":"eat","call":1,"process":0}"#, .unknownFunction("eat")),
      (#"{"f":"store","value":"a=1","call":1,"process":0}"#, nil),
      (#"{"f":"store","value":["a=1"],"call":1,"process":0}"#, nil),
      (#"{"f":"store","value":[1,"https://example.com/"],"call":1,"process":0}"#, nil),
      (#"{"f":"store","value":["a=1","nowhere"],"call":1,"process":0}"#, nil),
      (#"{"f":"store","value":["a=1","https:///"],"call":1,"process":0}"#, nil),
      (#"{"f":"cookies","value":["https://example.com/"],"call":1,"process":0}"#, nil),
      (#"{"f":"cookies","value":"script:","call":1,"process":0}"#, nil),
      (#"{"f":"cookies","call":1,"process":0}"#, nil),
      (#"{"f":"delete","value":["a",null],"call":1,"process":0}"#, nil),
      (#"{"f":"wait","value":-1,"call":1,"process":0}"#, nil),
      (#"{"f":"setBack","value":-1,"call":1,"process":0}"#, nil),
      (#"{"f":"restore","value":["a=1","https://example.com/"],"call":1,"process":0}"#, nil),
      (#"{"f":"restore","value":["a=1","https://example.com/","old"],"call":1,"process":0}"#, nil),
      (#"{"f":"wait","value":9223372036854775807,"call":1,"process":0}"#, nil),
      (#"{"f":"wait","value":"soon","call":1,"process":0}"#, nil),
    ] as [(String, LinearizabilityFileError.Problem?)])
  func `an invalid argument is reported`(
    line: String, expected: LinearizabilityFileError.Problem?
  ) throws {
    let problem = try #require(try problem(line))
    if let expected {
      #expect(problem == expected)
    } else {
      guard case .badArgument = problem else {
        Issue.record("\(problem)")
        return
      }
    }
  }

  @Test(
    arguments: [
      ("store", #"["a=1","https://example.com/"]"#, "\"done\""),
      ("store", #"["a=1","https://example.com/"]"#, "true"),
      ("cookies", #""https://example.com/""#, "[]"), ("cookies", #""https://example.com/""#, "1"),
      ("all", "null", "\"a=1\""), ("all", "null", "[1]"), ("all", "null", "null"),
      ("delete", #"["a","https://example.com/"]"#, "1"), ("removeExpired", "null", "true"),
    ])
  func `an invalid result is reported`(function: String, value: String, result: String) throws {
    let problem = try problem(
      #"{"process":0,"f":"\#(function)","value":\#(value),"call":1,"return":2,"result":\#(result)}"#
    )
    guard case .badResult(function, _) = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
  }

  @Test func `a history is encoded as it is decoded`() throws {
    let file = try HistoryFile(Data(Self.session.joined(separator: "\n").utf8))
    var operations: [History<CookieHistoryModel.Command, CookieHistoryModel.Response>.Operation] =
      []
    for operation in file.history.operations {
      guard case .returned(let response, let end) = operation.outcome, let base = response.base
      else { continue }
      operations.append(
        .init(
          client: operation.client, operation.command.base, from: operation.call, to: end,
          returning: base))
    }
    #expect(operations.count == Self.session.count)
    let history = try History(operations)
    let written = HistoryFile.encoded(history)
    let again = try HistoryFile(written)
    #expect(again.history.operations.map(\.command.base) == operations.map(\.command))
    #expect(HistoryFile.encoded(history) == written)
    #expect(try RecordedVerdict(written, CookieHistoryModel()).outcome == .linearizable)
  }

  @Test func `the clock doesn't overflow`() {
    let model = CookieModel()
    var state = model.initialState
    _ = model.apply(.wait(.max), to: &state)
    _ = model.apply(.wait(1), to: &state)
    #expect(state.time == .max)
  }

  @Test func `commands are compared byte by byte`() {
    let page: CookieModel.Page = "https://example.com/"
    #expect(CookieModel.Command.store("é", from: page) != .store("e\u{301}", from: page))
    #expect(CookieModel.Command.delete("é", of: page) == .delete("é", of: page))
    #expect(CookieModel.Command.all != .clear)
  }

  @Test(arguments: ["https://example.com/", "http://[::1]/a", "script:https://example.com/docs"])
  func `a page is encoded as it is decoded`(url: String) throws {
    #expect(try CookieModel.Page(url: url).description == url)
    #expect(try CookieModel.Page(url: url) == CookieModel.Page(stringLiteral: url))
  }

  @Test func `responses are described without Optional, and different text looks different`() {
    let model = CookieModel()
    var state = model.initialState
    let texts = ["a=\u{E9}", "a=e\u{301}", "a=; Max-Age=0", "a=; Max-Age=0"].map {
      "\(model.apply(.store($0, from: "https://example.com/"), to: &state))"
    }
    #expect(texts[0] == #"stored 'a=\u{00E9}' of example.com/ created 1900000000.0"#)
    #expect(texts[1].contains(#"'a=e\u{0301}' of example.com/ created"#))
    #expect(texts[1].contains("in place of") && texts[2].hasPrefix("removed 'a=e"))
    #expect(texts[3] == "nothing stored or removed")
    #expect(texts.allSatisfy { !$0.contains("Optional") })
  }
}
