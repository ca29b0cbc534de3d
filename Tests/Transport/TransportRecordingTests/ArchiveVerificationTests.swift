import ManualClocks
import Testing
import TransportPort
import TransportRecording

private typealias Change = ArchiveVerification.Change
private typealias Matcher = ArchiveVerification.Matcher

/// Time stands still, so no load of the machine makes an exchange late.
let stoppedClock = ManualClock()

/// What an origin answers, which changes between the recording and its verification.
struct Served: Sendable {
  var status = 200
  var fields: HTTPFields = ["Content-Type": "application/json", "X-Plan": "free"]
  var body =
    #"{"user":{"id":7,"name":"Ada","admin":false},"items":[{"id":1},{"id":2}],"next":null}"#

  func with(_ change: (inout Served) -> Void) -> Served {
    var copy = self
    change(&copy)
    return copy
  }

  func replacing(_ old: String, _ new: String) -> Served {
    with { $0.body = body.replacing(old, with: new) }
  }

  var script: OriginScript { .respond(status, headerFields: fields, text: body) }

  /// An archive of this answer to one request.
  func archive(
    _ request: HTTPRequest = HTTPRequest(url: "http://h/me"), body: HTTPRequestBody = .none,
    redacting redaction: Redaction = Redaction()
  ) async throws -> HTTPArchive {
    let folder = try Folder()
    let recording = try RecordingTransport(
      wrapping: FakeTransport(clock: stoppedClock) { _ in script }, to: folder.file("a.har"),
      redacting: redaction)
    _ = await Seen(recording, request, body: body)
    try recording.save()
    return try HTTPArchive(contentsOf: folder.file("a.har"))
  }

  /// What a live side that answers so means for an archive.
  func report(
    on archive: HTTPArchive, _ verification: ArchiveVerification = .init()
  ) async throws -> ArchiveVerification.Report {
    try await archive.verify(
      against: FakeTransport(clock: stoppedClock) { _ in script }, verification, clock: stoppedClock
    )
  }
}

@Suite struct ArchiveVerificationTests {
  /// Each answer differs from the recorded one in one thing, and the report names only that.
  private static let changes: [(Served, [ArchiveVerification.Change])] = {
    let served = Served()
    return [
      (served, []),
      (served.with { $0.status = 404 }, [.status(recorded: 200, live: 404)]),
      (
        served.with { $0.fields["X-Plan"] = "paid" },
        [.field("X-Plan", recorded: "free", live: "paid")]
      ),
      (
        served.with { $0.fields["X-Plan"] = nil }, [.field("X-Plan", recorded: "free", live: nil)]
      ),
      (
        served.with { $0.fields["X-New"] = "1" }, [.field("X-New", recorded: nil, live: "1")]
      ),
      (
        served.replacing("7", "\"7\""),
        [.type(path: "$.user.id", recorded: "a number 7", live: "a string \"7\"")]
      ),
      (
        served.replacing("null", "{}"),
        [.type(path: "$.next", recorded: "null", live: "an object of 0")]
      ),
      (
        served.replacing(",\"admin\":false", ""),
        [.missing(path: "$.user.admin", recorded: "false")]
      ),
      (
        served.replacing("\"name\"", "\"the name\""),
        [
          .missing(path: "$.user.name", recorded: "a string \"Ada\""),
          .new(path: "$.user['the name']", live: "a string \"Ada\""),
        ]
      ),
      (
        served.replacing("Ada", "Eve"),
        [.value(path: "$.user.name", recorded: "\"Ada\"", live: "\"Eve\"")]
      ),
      (
        served.replacing("{\"id\":1},", ""),
        [.missing(path: "$.items[0]", recorded: "an object of 1")]
      ),
      (
        served.replacing("{\"id\":2}", "{\"id\":9},{\"id\":2},{\"id\":3}"),
        [
          .new(path: "$.items[1]", live: "an object of 1"),
          .new(path: "$.items[3]", live: "an object of 1"),
        ]
      ),
      (
        served.replacing("{\"id\":2}", "{\"id\":2,\"new\":1}"),
        [.new(path: "$.items[1].new", live: "a number 1")]
      ),
      (
        served.with { $0.body = "<p>down</p>" },
        [.content("recorded JSON, live text that is not JSON")]
      ),
      (served.with { $0.body = "" }, [.content("recorded JSON, live nothing")]),
    ]
  }()

  @Test(arguments: changes)
  func `what the live side answers otherwise is named, and nothing else`(
    _ served: Served, _ expected: [ArchiveVerification.Change]
  ) async throws {
    let report = try await served.report(on: Served().archive())
    #expect(report.exchanges.map(\.outcome) == [expected.isEmpty ? .agrees : .stale(expected)])
    #expect(report.verdict == (expected.isEmpty ? .agrees : .stale))
    for change in expected { #expect("\(report)".contains("\(change)")) }
  }

  @Test func `what belongs to one moment or connection raises no alarm`() async throws {
    func served(_ day: Int, _ fields: HTTPFields, _ body: String) -> Served {
      Served().with {
        $0.fields["Date"] = "Mon, 0\(day) Jan 2026 00:00:00 GMT"
        $0.fields["Expires"] = "Mon, 0\(day) Jan 2026 01:00:00 GMT"
        $0.fields["Set-Cookie"] = "id=\(day)secret; Expires=Tue, 0\(day) Jan 2026 00:00:00 GMT"
        for field in fields { $0.fields.append(field) }
        $0.body = body
      }
    }
    let archive = try await served(1, ["Age": "1", "Vary": "a, b"], #"{"a":1,"b":[1.0,2e2]}"#)
      .archive()
    let same = served(
      2, ["Vary": "a", "vary": "b", "Via": "1.1 proxy"], #" {"b":[1, 200.0] , "a":1.0} "#)
    #expect(try await same.report(on: archive).verdict == .agrees)
    let other = same.with { $0.fields["Set-Cookie"] = "id=x; Secure" }
    #expect(
      try await other.report(on: archive).exchanges.first?.outcome
        == .stale([
          .field("Set-Cookie", recorded: "id=REDACTED; Expires=DATE", live: "id=REDACTED; Secure")
        ]))
  }

  /// A rule, a recorded value, one that it allows and one that it does not.
  private static let rules: [(Matcher.Rule, String, String, String)] = [
    (.date, #""2026-01-01T00:00:00Z""#, #""2031-12-31T23:59:59.123456+02:00""#, #""soon""#),
    (.date, #""2026-01-01""#, #""2026-02-03""#, #""2026-13-01""#),
    (
      .date, #""Sun, 06 Nov 1994 08:49:37 GMT""#, #""Mon, 07 Nov 1994 08:49:37 GMT""#,
      #""2026-01-01""#
    ),
    (.date, "1767225600", "1767225601.5", "-1"), (.date, "1767225600000", "1767225600001", "true"),
    (
      .uuid, #""6E3C2C1A-9F0B-4B8E-8E63-0E6E4D7B6A11""#,
      #""0f8fad5b-d9cb-469f-a165-70867728950e""#, #""0f8fad5b-d9cb-469f-a165-7086772895zz""#
    ),
    (.id, "7", "1234567890123456789012", "7.5"), (.id, #""7""#, #""8""#, #""a""#),
    (.id, #""a-7""#, #""b_8""#, #""b 8""#), (.token, #""eyJ.a""#, #""x.y-z""#, #""""#),
    (.token, #""eyJ.a""#, #""ü""#, "7"), (.number(0...100), "7", "99.5", "101"),
    (.number(0...100), #""7""#, #""8""#, "8"), (.any, #""a""#, #""b c""#, "1"),
    (.any, "[1]", "[]", "{}"), (.anyOrder, "[1,2,{\"a\":3}]", "[{\"a\":3.0},1,2]", "[1,2,3]"),
  ]

  @Test(arguments: rules)
  func `a matcher allows what may vary and nothing else`(
    _ rule: ArchiveVerification.Matcher.Rule, _ recorded: String, _ allowed: String,
    _ forbidden: String
  ) async throws {
    let archive = try await Served(body: "[{\"v\":\(recorded)}]").archive()
    for path in ["$[*].v", "$..v", "$[0].v", "$[0]['v']"] {
      let matching = ArchiveVerification(matchers: [.json(path, rule)])
      let good = try await Served(body: "[{\"v\":\(allowed)}]").report(on: archive, matching)
      #expect(good.verdict == .agrees, "\(good)")
      let bad = try await Served(body: "[{\"v\":\(forbidden)}]").report(on: archive, matching)
      guard case .stale(let changes)? = bad.exchanges.first?.outcome else {
        Issue.record("\(bad)")
        continue
      }
      #expect(changes.count == 1)
      #expect("\(changes[0])".hasPrefix("$[0].v"))
    }
    // Without the matcher both are changes.
    #expect(try await Served(body: "[{\"v\":\(allowed)}]").report(on: archive).verdict == .stale)
  }

  @Test func `a matched value must be there unless it is ignored`() async throws {
    let archive = try await Served(body: #"{"id":1,"meta":{"a":1},"list":[3,1,2]}"#).archive()
    let matchers: [Matcher] = [.json("id", .any), .json("meta", .ignored), .json("new", .ignored)]
    let report = try await Served(body: #"{"list":[3,1,2],"new":[]}"#)
      .report(on: archive, .init(matchers: matchers))
    #expect(
      report.exchanges.first?.outcome
        == .stale([.missing(path: "$.id", recorded: "a number 1")]))
    let fields: [Matcher] = [.field("x-plan", .number(1...9)), .content(.ignored)]
    let served = Served().with {
      $0.fields["X-Plan"] = "10"
      $0.body = "other"
    }
    let field = try await served.report(on: archive, .init(matchers: fields))
    #expect(
      field.exchanges.first?.outcome
        == .stale([.field("X-Plan", recorded: "free", live: "10", rule: .number(1...9))]))
    #expect("\(field)".contains("not a number in 1.0...9.0"))
  }

  @Test func `elements in any order are compared with their matchers`() async throws {
    let archive = try await Served(
      body: #"[{"n":"a","t":"2026-01-01"},{"n":"b","t":"2026-01-01"},{"n":"b","t":"2026-01-01"}]"#
    ).archive()
    let matching = ArchiveVerification(
      matchers: [.json("$", .anyOrder), .json("$[*].t", .date)])
    let same =
      #"[{"n":"b","t":"2026-01-02"},{"n":"a","t":"2026-01-03"},{"n":"b","t":"2026-01-01"}]"#
    #expect(try await Served(body: same).report(on: archive, matching).verdict == .agrees)
    let other = same.replacing("\"a\"", with: "\"c\"")
    #expect(
      try await Served(body: other).report(on: archive, matching).exchanges.first?.outcome
        == .stale([.value(path: "$[1].n", recorded: "\"a\"", live: "\"c\"")]))
  }

  @Test func `other content is compared to the byte, and a change shows its line`() async throws {
    let text = Served(fields: ["Content-Type": "text/html"], body: "<p>\nold price\n</p>")
    let changed = try await text.replacing("old", "new").report(on: text.archive())
    #expect(
      changed.exchanges.first?.outcome
        == .stale([
          .content(
            #"line 2: recorded "old price", live "new price"; recorded 18 bytes, live 18"#)
        ]))
    let archive = try await text.archive()
    let binary = FakeTransport(clock: stoppedClock) { _ in
      .respond(headerFields: text.fields, body: [0x3C, 0x70, 0xFF])
    }
    let report = try await archive.verify(against: binary, clock: stoppedClock)
    #expect("\(report)".contains("content: byte 2 differs; recorded 18 bytes, live 3"))
  }

  @Test func `an answer of any size or kind ends in bounded changes`() async throws {
    let archive = try await Served(body: "{\"list\":[\(String(repeating: "0,", count: 999))0]}")
      .archive()
    let list = (0..<999).map(String.init).joined(separator: ",")
    let long = try await Served(body: "{\"list\":[\(list)]}").report(on: archive)
    #expect(
      long.exchanges.first?.outcome
        == .stale([.count(path: "$.list", recorded: 1000, live: 999)]))
    let members = (0..<500).map { "\"k\($0)\":0" }.joined(separator: ",")
    let many = try await Served(body: "{\"list\":0,\(members)}").report(on: archive)
    guard case .stale(let changes)? = many.exchanges.first?.outcome else {
      Issue.record("\(many)")
      return
    }
    #expect(changes.count == 101)
    #expect(changes.last == .omitted(401))
    for body in [String(repeating: "[", count: 100_000), "{\"a\":1,\"a\":2}", "{\"list\":[1,}"] {
      let report = try await Served(body: body).report(on: archive)
      #expect(
        report.exchanges.first?.outcome
          == .stale([.content("recorded JSON, live text that is not JSON")]))
    }
    let endless = try await archive.verify(
      against: FakeTransport(clock: stoppedClock) { _ in
        [
          .readBody,
          .send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Plan: free\r\n"
              + "Content-Length: 99999999\r\n\r\n"),
          .sendRepeatedly(Array("12345678".utf8), count: nil),
        ]
      }, .init(bodyLimit: 100_000), clock: stoppedClock)
    #expect("\(endless)".contains("content: recorded 2010 bytes, live more than the limit"))
  }
}
