import Foundation
import Testing

/// `contracts stubs`.
@Suite struct StubsTests {
  private func line(
    _ kind: String, _ request: String, _ answer: String, line: Int = 7, content: String? = nil
  ) -> String {
    let fields: [String: Any?] = [
      "version": 1, "kind": kind, "port": "http", "request": request, "answer": answer,
      "content": content, "time": 1_795_132_800, "file": kind == "stub" ? "AppTests/A.swift" : nil,
      "line": kind == "stub" ? line : nil,
    ]
    let data = try? JSONSerialization.data(
      withJSONObject: fields.compactMapValues(\.self), options: .withoutEscapingSlashes)
    return String(decoding: data ?? Data(), as: UTF8.self) + "\n"
  }

  /// An archive with a JSON answer, one in Base64, and an exchange that failed.
  private let archive = """
    {"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[
    {"startedDateTime":"2026-11-20T10:00:00.000Z","time":1,
     "request":{"method":"GET","url":"https://shop.example/orders"},
     "response":{"status":200,"content":{"size":9,"mimeType":"application/json; charset=utf-8",
       "text":"{\\"id\\":1}"}}},
    {"startedDateTime":"2026-11-20T10:00:01.000Z",
     "request":{"method":"GET","url":"https://shop.example/sold"},
     "response":{"status":200,"content":{"size":9,"mimeType":"application/json","encoding":"base64",
       "text":"eyJpZCI6MX0="}}},
    {"request":{"method":"GET","url":"https://shop.example/down"},
     "response":{"status":0,"content":{"size":0}}}]}}
    """

  @Test func `lying stubs and orphans are named, and the first fail`() async throws {
    let json = "200 application/json"
    let ledger =
      line("stub", "GET https://shop.example/orders", json, line: 3, content: #"{"id":2}"#)
      + line("stub", "GET https://shop.example/sold", json, line: 5, content: #"{"id":"2"}"#)
      + line("stub", "GET https://shop.example/down", "200", line: 8)
    let run = try await ToolRun(
      ["stubs", "ledger", "--recording", "shop.har"],
      files: ["ledger": ledger, "shop.har": archive])
    #expect(run.errors.isEmpty)
    #expect(run.status == 1)
    #expect(
      run.output == """
        lying: AppTests/A.swift:5: GET https://shop.example/sold -> 200 application/json
            $.id is a string and not a number (shop.har, 2026-11-20)
        orphan: AppTests/A.swift:8: GET https://shop.example/down -> 200
            no recording and no live run shows an answer to this request
        3 canned answers: 1 backed, 1 lying, 1 orphan

        """)
  }

  @Test func `orphans fail only if they are forbidden, and live lines back stubs`() async throws {
    let stub = line("stub", "GET https://test/orders", "200")
    let live = line("live", "GET https://real/orders", "200")
    for (arguments, status) in [
      (["stubs", "ledger"], 0), (["stubs", "ledger", "--forbid", "orphans"], 1),
      (["stubs", "ledger", "live", "--forbid", "orphans", "--host", "test=real"], 0),
    ] {
      let run = try await ToolRun(arguments, files: ["ledger": stub, "live": live])
      #expect(run.status == Int32(status), "\(arguments): \(run.output)\(run.errors)")
    }
  }

  @Test(
    arguments: [
      (["stubs"], 64, "needs the file that CONTRACT_STUBS named"),
      (["stubs", "ledger", "--host", "a"], 64, "give TEST=REAL"),
      (["stubs", "ledger", "--forbid", "lies"], 64, "give orphans"),
      (["stubs", "missing"], 66, "can't read the ledger of stubs missing"),
      (["stubs", "bad"], 65, "bad:2: it is not a line of a ledger of stubs"),
      (["stubs", "future"], 65, "future:1: it has format 2"),
      (["stubs", "ledger", "--recording", "missing"], 66, "can't read the archive missing"),
      (["stubs", "ledger", "--recording", "bad"], 65, "bad: it is not an archive"),
    ] as [([String], Int, String)])
  func `what can't be used is named`(
    arguments: [String], status: Int, message: String
  ) async throws {
    let good = line("stub", "GET https://test/orders", "200")
    let run = try await ToolRun(
      arguments,
      files: [
        "ledger": good, "bad": good + "{\"half\":",
        "future": good.replacing("\"version\":1", with: "\"version\":2"),
      ])
    #expect(run.status == Int32(status))
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test func `what a hostile ledger says stays on one line`() async throws {
    let run = try await ToolRun(
      ["stubs", "ledger"], files: ["ledger": line("stub", "GET \u{1B}[2J\n::error::x", "200")])
    #expect(!run.output.contains("\u{1B}"))
    #expect(!run.output.contains("\n::"))
  }
}
