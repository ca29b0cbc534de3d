import ContractReports
import Foundation
import Testing

/// Canned answers are backed, lying or orphans.
@Suite struct StubReportTests {
  private func stub(
    _ request: String, _ answer: String, _ content: String? = nil, port: String = "http",
    line: Int = 7
  ) -> NotedAnswer {
    NotedAnswer(
      port: port, request: request, answer: answer, content: content,
      place: .init(file: "AppTests/ShopTests.swift", line: line), source: "ledger")
  }

  private func real(
    _ request: String, _ answer: String, _ content: String? = nil, port: String = "http"
  ) -> NotedAnswer {
    NotedAnswer(
      port: port, request: request, answer: answer, content: content,
      source: "shop.har, 2026-11-20")
  }

  private func verdict(_ stub: NotedAnswer, _ real: NotedAnswer...) -> StubReport.Verdict? {
    StubReport([stub], recorded: real).stubs.first?.verdict
  }

  private let request = "GET https://shop.example/orders"

  @Test func `a request that no recording has is an orphan`() {
    let other = real("POST https://shop.example/orders", "200")
    #expect(
      verdict(stub(request, "200"), other)
        == .orphan("no recording and no live run shows an answer to this request"))
    #expect(verdict(stub(request, "200", port: "soap"), real(request, "200")) != .backed)
  }

  @Test func `an answer with another status or media type lies, but another error is an orphan`() {
    let text = real(request, "200 text/plain")
    #expect(verdict(stub(request, "200 text/plain", "three orders"), text) == .backed)
    #expect(
      verdict(stub(request, "200 text/html"), text)
        == .lying("the real thing answered 200 text/plain (shop.har, 2026-11-20)"))
    #expect(
      verdict(stub(request, "204"), text)
        == .lying("the real thing answered 200 text/plain (shop.har, 2026-11-20)"))
    #expect(
      verdict(stub(request, "503"), text)
        == .orphan("no recording shows this status: 200 text/plain (shop.har, 2026-11-20)"))
    let both = [text, real(request, "503")]
    #expect(StubReport([stub(request, "503")], recorded: both).lying.isEmpty)
    #expect(StubReport([stub(request, "503")], recorded: both).orphans.isEmpty)
  }

  @Test(
    arguments: [
      (#"{"id":1,"lines":[{"n":2}],"note":null}"#, nil),
      (#"{"id":7,"lines":[],"note":"x"}"#, nil),
      (#"{"id":1,"lines":[{"n":2}],"extra":true}"#, "$.extra is in no answer of the real thing"),
      (#"{"lines":[]}"#, "$.id is missing"),
      (#"{"id":"1","lines":[]}"#, "$.id is a string and not a number"),
      (#"{"id":true,"lines":[]}"#, "$.id is a Boolean and not a number"),
      (#"{"id":1,"lines":[{"n":2},{"n":"2"}]}"#, "$.lines[1].n is a string and not a number"),
      (#"{"id":1,"lines":{}}"#, "$.lines is an object and not an array"),
      ("[]", "$ is an array and not an object"), ("{", "the content is no JSON"),
    ] as [(String, String?)])
  func `JSON lies by its types and members, and not by its values`(
    content: String, difference: String?
  ) {
    let type = "200 application/json"
    let verdict = verdict(
      stub(request, type, content),
      real(request, type, #"{"id":3,"lines":[{"n":1}],"note":"n"}"#),
      real(request, type, #"{"id":4,"lines":[],"note":null}"#),
      real(request, type, #"{"id":5,"lines":[]}"#))
    guard let difference else {
      #expect(verdict == .backed)
      return
    }
    #expect(verdict == .lying("\(difference) (shop.har, 2026-11-20)"))
  }

  @Test func `answers of other ports are compared as a whole`() {
    let live = real("loadForm '7'", "form 'How was it?'", port: "feedback")
    func verdict(_ answer: String) -> StubReport.Verdict? {
      self.verdict(stub("loadForm '7'", answer, port: "feedback"), live)
    }
    #expect(verdict("form 'How was it?'") == .backed)
    #expect(
      verdict("form 'Another'")
        == .lying("the real thing answered form 'How was it?' (shop.har, 2026-11-20)"))
    #expect(
      verdict("error URLError")
        == .orphan(
          "the real thing was never seen to fail so: form 'How was it?' (shop.har, 2026-11-20)"))
  }

  @Test func `a test's host can stand for a real one`() {
    let report = { (hosts: [String: String]) in
      StubReport(
        [stub("GET https://shop.example/orders?page=2", "200")],
        recorded: [real("GET https://api.shop.com:8443/orders?page=2", "200")], hosts: hosts)
    }
    #expect(report([:]).orphans.count == 1)
    #expect(report(["shop.example": "api.shop.com:8443"]).orphans.isEmpty)
    #expect(report(["shop": "api.shop.com:8443"]).orphans.count == 1)
  }

  @Test func `the report names file and line, lies first, each place and answer once`() {
    let report = StubReport(
      [
        stub(request, "200", line: 9), stub(request, "200", line: 9), stub(request, "201", line: 3),
        stub("GET /other", "200", line: 1),
      ], recorded: [real(request, "200")])
    #expect(
      report.text == """
        lying: AppTests/ShopTests.swift:3: GET https://shop.example/orders -> 201
            the real thing answered 200 (shop.har, 2026-11-20)
        orphan: AppTests/ShopTests.swift:1: GET /other -> 200
            no recording and no live run shows an answer to this request
        3 canned answers: 1 backed, 1 lying, 1 orphan

        """)
  }
}
