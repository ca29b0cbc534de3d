import ManualClocks
import SystemLocks
import Testing
import TransportPort
import TransportRecording

/// The requests that a verification sends, and those that it skips.
@Suite struct VerificationRequestTests {
  private static let redaction = Redaction(
    names: ["X-Key", "token", "pass word"], jsonPaths: ["$.user.password"])

  /// An archive of requests to `http://h`, all of which `script` answers.
  private func archive(
    _ requests: [(HTTPRequest, HTTPRequestBody)], _ script: OriginScript = .respond(text: "ok")
  ) async throws -> HTTPArchive {
    let folder = try Folder()
    let recording = try RecordingTransport(
      wrapping: FakeTransport(clock: stoppedClock) { _ in script }, to: folder.file("a.har"),
      redacting: Self.redaction)
    for (request, body) in requests { _ = await Seen(recording, request, body: body) }
    try recording.save()
    return try HTTPArchive(contentsOf: folder.file("a.har"))
  }

  @Test func `only safe methods are asked again unless others are named`() async throws {
    let methods: [HTTPRequest.Method] = [.get, .head, .options, .post, .put, .delete, "PURGE"]
    let archive = try await archive(
      methods.map { (HTTPRequest(method: $0, url: "http://h/\($0)"), .none) })
    let fake = FakeTransport(clock: stoppedClock) { _ in .respond(text: "ok") }
    let report = try await archive.verify(against: fake, clock: stoppedClock)
    #expect(fake.requests.map(\.head.method) == [.get, .head, .options])
    #expect(report.verdict == .notVerified)
    #expect(report.exchanges.count { $0.outcome == .agrees } == 3)
    #expect("\(report)".contains("POST is sent only if it is named"))
    let all = try await archive.verify(
      against: fake, .init(methods: Set(methods)), clock: stoppedClock)
    #expect(all.verdict == .agrees)
    #expect(fake.requests.count == 10)
  }

  @Test func `redacted values are supplied again, and no report repeats them`() async throws {
    let request = HTTPRequest(
      method: .post, url: "http://h/a?token=recorded1&b=%31",
      headerFields: [
        "Authorization": "Bearer recorded2", "Cookie": "sid=recorded3; theme=recorded4",
        "X-Key": "recorded5", "Content-Type": "application/json", "Accept-Encoding": "br",
        "X-Other": "kept",
      ])
    let form = HTTPRequest(
      method: .post, url: "http://h/form",
      headerFields: ["Content-Type": "application/x-www-form-urlencoded"])
    let archive = try await archive([
      (request, .text(#"{"user":{"name":"a","password":"recorded6"}}"#)),
      (form, .text("user=a&pass+word=recorded7&c=%2B")),
    ])
    let echo = FakeTransport(clock: stoppedClock) { request in
      .respond(headerFields: ["X-Echo": request.headerFields["X-Key"] ?? "no key"], text: "ok")
    }
    let names = Mutex<[String]>([])
    let report = try await archive.verify(
      against: echo,
      .init(
        methods: [.post],
        secret: { value in
          names.withLock { $0.append(value.environmentVariable) }
          return "the \"\(value.name)\" &"
        }), clock: stoppedClock)
    let sent = try #require(echo.requests.first)
    #expect(sent.head.target == "/a?token=the+%22token%22+%26&b=%31")
    #expect(sent.head.headerFields["Authorization"] == "Bearer the \"Authorization\" &")
    #expect(sent.head.headerFields["Cookie"] == "sid=the \"sid\" &; theme=the \"theme\" &")
    #expect(sent.head.headerFields["X-Key"] == "the \"X-Key\" &")
    #expect(sent.head.headerFields["X-Other"] == "kept")
    #expect(!sent.head.headerFields.contains("Accept-Encoding"))
    #expect(
      String(decoding: sent.body, as: UTF8.self)
        == #"{"user":{"name":"a","password":"the \"$.user.password\" &"}}"#)
    let second = try #require(echo.requests.last)
    #expect(
      String(decoding: second.body, as: UTF8.self)
        == "user=a&pass+word=the+%22pass+word%22+%26&c=%2B")
    #expect(
      Set(names.withLock(\.self))
        == Set(
          ["AUTHORIZATION", "SID", "THEME", "X_KEY", "TOKEN", "USER_PASSWORD", "PASS_WORD"]
            .map { "CONTRACT_SECRET_" + $0 }))
    #expect(
      report.exchanges.first?.outcome
        == .stale([.field("X-Echo", recorded: nil, live: "REDACTED")]))
    #expect(!"\(report)".contains("the \"X-Key\""))
  }

  @Test func `an exchange without its secret is not asked, and says which`() async throws {
    let archive = try await archive([
      (HTTPRequest(url: "http://h/a", headerFields: ["Authorization": "Bearer recorded"]), .none),
      (HTTPRequest(url: "http://h/b"), .none),
    ])
    let fake = FakeTransport(clock: stoppedClock) { _ in .respond(text: "ok") }
    let report = try await archive.verify(
      against: fake, .init(secret: { _ in nil }), clock: stoppedClock)
    #expect(fake.requests.map(\.head.target) == ["/b"])
    #expect(
      report.exchanges.map(\.outcome) == [
        .notVerified(
          "the field Authorization was redacted; set CONTRACT_SECRET_AUTHORIZATION"), .agrees,
      ])
    #expect(report.verdict == .notVerified)
  }

  @Test func `another origin is asked, and its links count as the recorded ones`() async throws {
    let script: @Sendable (String) -> OriginScript = { origin in
      .respond(
        headerFields: ["Location": "\(origin)/next", "Link": "<\(origin)1>"],
        text: "{\"self\":\"\(origin)/me\",\"other\":\"http://127.0.0.1:81/\"}")
    }
    let archive = try await archive(
      [
        (HTTPRequest(url: "http://127.0.0.1:80/me"), .none),
        (HTTPRequest(url: "http://cdn.example/a"), .none),
      ], script("http://127.0.0.1"))
    let asked = Mutex<[String]>([])
    let live = Rerouted { request in
      asked.withLock { $0.append(request.url) }
      return script("https://live.example:8443")
    }
    let report = try await archive.verify(
      against: live, .init(asking: "https://live.example:8443/"), clock: stoppedClock)
    #expect(asked.withLock(\.self) == ["https://live.example:8443/me"])
    // 'http://127.0.0.11' and 'https://live.example:84431' are other hosts.
    #expect(
      report.exchanges.map(\.outcome) == [
        .stale([
          .field("Link", recorded: "<http://127.0.0.11>", live: "<https://live.example:84431>")
        ]),
        .notVerified(
          "it was recorded from http://cdn.example, and only http://127.0.0.1 is asked"),
      ])
    let other = try await archive.verify(
      against: live,
      .init(asking: "https://live.example:8443", insteadOf: "http://cdn.example"),
      clock: stoppedClock)
    #expect(asked.withLock(\.self).last == "https://live.example:8443/a")
    #expect(!other.exchanges[1].outcome.isNotVerified)
    for text in ["h", "http://h/path", "ftp://h", "http://u:p@h", "http://h?q", ""] {
      await #expect(throws: ArchiveVerificationError.invalidOrigin(text)) {
        _ = try await archive.verify(against: live, .init(asking: text))
      }
    }
  }

  @Test func `a silent or missing live side is not verified, and is not asked again`() async throws
  {
    let archive = try await archive(
      ["/a", "/b", "/c"].map { (HTTPRequest(url: "http://h" + $0), .none) })
    let refusing = FakeTransport(
      OriginPlan(reachability: .refusing) { _ in [] }, clock: stoppedClock)
    let refused = try await archive.verify(against: refusing, clock: stoppedClock)
    #expect(refused.verdict == .notVerified)
    #expect("\(refused)".contains("the live side could not be asked: connectionRefused"))
    #expect("\(refused)".contains("not asked, because http://h could not be reached before"))
    let clock = ManualClock()
    let silent = FakeTransport(clock: stoppedClock) { _ in [.readBody, .stall] }
    async let verification = archive.verify(
      against: silent, .init(timeLimit: .milliseconds(50), overallTimeLimit: .milliseconds(60)),
      clock: clock)
    for _ in 0..<2 {
      await clock.waitForSleepers(1)
      clock.advance(by: .milliseconds(50))
    }
    let late = try await verification
    #expect(late.verdict == .notVerified)
    #expect("\(late)".contains("deadlineExceeded"))
    #expect("\(late)".contains("the time limit of 0.06 seconds for all exchanges had passed"))
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await archive.verify(against: silent, clock: stoppedClock)
    }
    #expect(try await cancelled.value.verdict == .notVerified)
  }

  @Test func `an answer that breaks the protocol is a change`() async throws {
    let archive = try await archive([(HTTPRequest(url: "http://h/a"), .none)])
    let broken = FakeTransport(clock: stoppedClock) { _ in
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok") + [.close]
    }
    let report = try await archive.verify(against: broken, clock: stoppedClock)
    #expect(
      report.exchanges.first?.outcome
        == .stale([.failure(recorded: nil, live: "truncatedBody")]))
    let failing = try await self.archive(
      [(HTTPRequest(url: "http://h/a"), .none)],
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok") + [.close])
    #expect(try await failing.verify(against: broken, clock: stoppedClock).verdict == .agrees)
    let mended = try await failing.verify(
      against: FakeTransport(clock: stoppedClock) { _ in .respond(text: "ok") }, clock: stoppedClock
    )
    #expect(
      mended.exchanges.first?.outcome
        == .stale([.failure(recorded: "truncatedBody", live: nil)]))
  }

  @Test func `what an archive does not have is not verified`() async throws {
    let archive = try HTTPArchive(
      Array(
        #"""
        {"log":{"entries":[
        {"request":{"method":"GET","url":"http://h/blocked","headers":[]},
         "response":{"status":0,"headers":[],"content":{}}},
        {"request":{"method":"GET","url":"data:,a","headers":[]},
         "response":{"status":200,"headers":[],"content":{}}},
        {"request":{"method":"GET","url":"ws://h/","headers":[]},
         "response":{"status":101,"headers":[],"content":{}}},
        {"request":{"method":"POST","url":"http://h/up","headers":[],"bodySize":-1},
         "response":{"status":200,"headers":[],"content":{}}},
        {"request":{"method":"GET","url":"http://h/image","headers":[]},
         "response":{"status":200,"headers":[],"content":{"size":9}}}
        ]}}
        """#.utf8))
    let report = try await archive.verify(
      against: FakeTransport(clock: stoppedClock) { _ in .respond(text: "ok") },
      .init(methods: [.get, .post]),
      clock: stoppedClock)
    let reasons = report.exchanges.map { "\($0.outcome)" }
    for (reason, part) in zip(
      reasons,
      [
        "has no whole response", "cannot be asked over HTTP", "another protocol",
        "lacks the content of the request", "no content to compare",
      ])
    {
      #expect(reason.contains("notVerified") && reason.contains(part))
    }
    let empty = try await HTTPArchive(Array(#"{"log":{"entries":[]}}"#.utf8))
      .verify(
        against: FakeTransport(clock: stoppedClock) { _ in .respond() }, clock: stoppedClock)
    #expect(empty.verdict == .notVerified)
  }

  @Test(arguments: [
    ("field X-Request-Id uuid", Matcher.field("X-Request-Id", .uuid)),
    ("json $.items[*].id id", .json("$.items[*].id", .id)),
    ("json $['a b'].c number 0...100", .json("$['a b'].c", .number(0...100))),
    ("json\t$ any-order ", .json("$", .anyOrder)), ("content ignored", .content(.ignored)),
    ("json a number -1.5...", .json("a", .number(-1.5 ... .infinity))),
  ])
  func `a matcher is read from a line`(_ text: String, _ expected: Matcher) throws {
    #expect(try Matcher(text) == expected)
  }

  @Test(arguments: [
    "", "json", "json $.a", "json $.a uuidd", "json a..[ uuid", "field a b uuid", "field uuid",
    "json $.a number", "json $.a number 5...1", "json $.a number a...b", "content x any",
    "status any", "json $.a number nan...1",
  ])
  func `a line that is not a matcher is an error that shows it`(_ text: String) {
    let error = #expect(throws: ArchiveVerificationError.self) { _ = try Matcher(text) }
    #expect(error == .invalidMatcher(text))
    #expect(error?.description.contains(text.debugDescription) == true)
  }

  typealias Matcher = ArchiveVerification.Matcher
}

extension ArchiveVerification.Outcome {
  fileprivate var isNotVerified: Bool { if case .notVerified = self { true } else { false } }
}

/// A fake whose script knows the whole URL.
private struct Rerouted: HTTPTransport {
  let script: @Sendable (HTTPRequest) -> OriginScript

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let script = script(request)
    return try await FakeTransport(clock: stoppedClock) { _ in script }.send(
      request, body: body, options: options)
  }
}
