import SystemLocks
import Testing
import TransportPort

@Suite struct RedirectPolicyTests {
  /// Creates a fake that redirects `/start` and answers all other requests.
  private static func fake(_ status: Int, to location: String) -> FakeTransport {
    FakeTransport { request in
      request.path == "/start" ? .redirect(status, to: location) : .respond(text: request.target)
    }
  }

  @Test(arguments: [
    (301, HTTPRequest.Method.post, HTTPRequest.Method.get), (302, .post, .get), (303, .post, .get),
    (303, .put, .get), (303, "PURGE", .get), (303, .head, .head), (303, .get, .get),
    (301, .put, .put), (302, .delete, .delete), (301, .head, .head), (307, .post, .post),
    (308, .put, .put), (307, .get, .get),
  ])
  func `method and body change by the rules of the Fetch standard`(
    status: Int, before: HTTPRequest.Method, after: HTTPRequest.Method
  ) async throws {
    let fake = Self.fake(status, to: "/end")
    // HEAD has no body.
    let body = before == .head ? HTTPRequestBody.none : .text("body")
    var request = HTTPRequest(
      method: before, url: "http://h/start",
      headerFields: ["Content-Type": "text/plain", "content-language": "en", "X": "y"])
    request.headerFields[.contentLength] = body.isNone ? nil : "4"
    let isRewritten = before != after
    let exchange = try await fake.followingRedirects().send(request, body: body)
    #expect(exchange.response.status.code == 200)
    #expect(exchange.request.method == after)
    let last = try #require(fake.requests.last)
    #expect(fake.requests.count == 2)
    #expect(last.head.method == after)
    #expect(last.head.target == "/end")
    #expect(last.body.text == (isRewritten || body.isNone ? "" : "body"))
    #expect(last.head.headerFields["X"] == "y")
    #expect(last.head.headerFields.contains("Content-Type") == !isRewritten)
    #expect(last.head.headerFields.contains("Content-Language") == !isRewritten)
    #expect(last.head.headerFields[.contentLength] == (isRewritten || body.isNone ? nil : "4"))
  }

  @Test(arguments: [300, 304, 305, 306, 309])
  func `other 3xx responses are returned`(status: Int) async throws {
    let fake = Self.fake(status, to: "/end")
    let exchange = try await fake.followingRedirects().send(HTTPRequest(url: "http://h/start"))
    #expect(exchange.response.status.code == status)
    #expect(fake.requests.count == 1)
  }

  @Test func `a redirect without Location is returned`() async throws {
    let fake = FakeTransport { _ in .respond(302) }
    let exchange = try await fake.followingRedirects().send(HTTPRequest(url: "http://h/"))
    #expect(exchange.response.status.code == 302)
  }

  @Test func `without the policy a redirect is returned`() async throws {
    let exchange = try await Self.fake(302, to: "/end").send(HTTPRequest(url: "http://h/start"))
    #expect(exchange.response.status.code == 302)
    #expect(exchange.response.headerFields[.location] == "/end")
  }

  @Test(arguments: [
    ("sub", "http://h/a/sub"), ("../up", "http://h/up"), ("?q", "http://h/a/start?q"),
    ("//other/x", "http://other/x"), ("https://h/s", "https://h/s"), ("/x#frag", "http://h/x"),
    ("http://u:p@h/x", "http://h/x"), ("/a b/é", "http://h/a%20b/%C3%A9"),
    ("HTTP://H:80/x", "HTTP://H:80/x"),
  ])
  func `Location is resolved against the request's URL`(location: String, url: String) async throws
  {
    let fake = FakeTransport { request in
      request.target == "/a/start" ? .redirect(to: location) : .respond()
    }
    let exchange = try await fake.followingRedirects().send(HTTPRequest(url: "http://h/a/start"))
    let wire = try WireRequest(HTTPRequest(url: url), body: .none)
    #expect(try WireRequest(exchange.request, body: .none).url == wire.url)
    #expect(fake.requests.last?.origin == wire.origin)
    #expect(fake.requests.last?.head.target == wire.target)
  }

  @Test(arguments: [
    "file:///etc/passwd", "data:,x", "javascript:alert(1)", "ftp://h/", "http://", "http:///x",
    "http://h:99999/", "http://a b/", "mailto:x@y", "http:",
  ])
  func `a target that is not an http URL is rejected`(location: String) async throws {
    let fake = Self.fake(302, to: location)
    let error = try await #require(throws: TransportError.self) {
      try await fake.followingRedirects().send(HTTPRequest(url: "http://h/start"))
    }
    #expect(error.kind == .invalidRedirect)
    #expect(error.phase == .redirecting)
    #expect(fake.requests.count == 1)
  }

  @Test func `two different Location fields are rejected, two equal ones are not`() async throws {
    for (second, isFine) in [("/b", false), ("/a", true)] {
      let fake = FakeTransport { request in
        guard request.path == "/start" else { return .respond() }
        return .respond(302, headerFields: ["Location": "/a", "location": second])
      }
      let transport = fake.followingRedirects()
      if isFine {
        _ = try await transport.send(HTTPRequest(url: "http://h/start"))
      } else {
        let error = try await #require(throws: TransportError.self) {
          try await transport.send(HTTPRequest(url: "http://h/start"))
        }
        #expect(error.kind == .invalidRedirect)
      }
    }
  }

  @Test(arguments: [
    ("http://h:80/end", true), ("http://H/end", true), ("/end", true), ("https://h/end", false),
    ("http://h:81/end", false), ("http://h.evil/end", false), ("http://h@evil/end", false),
  ])
  func `credentials are not sent to another origin`(location: String, isSame: Bool) async throws {
    let fake = Self.fake(307, to: location)
    let secrets: [HTTPField.Name] = ["Authorization", "Cookie", "Proxy-Authorization", "X-Token"]
    var request = HTTPRequest(method: .post, url: "http://h/start", headerFields: ["X": "y"])
    for name in secrets { request.headerFields[name] = "secret" }
    _ = try await fake.followingRedirects(RedirectPolicy(secrets: ["x-token"]))
      .send(request, body: .text("b"))
    let last = try #require(fake.requests.last?.head.headerFields)
    for name in secrets { #expect(last.contains(name) == isSame, "\(name)") }
    #expect(last["X"] == "y")
  }

  @Test func `credentials and Host stay removed if a redirect leads back`() async throws {
    let fake = FakeTransport { request in
      switch request.path {
      case "/start": .redirect(to: "http://other/back")
      case "/back": .redirect(to: "http://h/end")
      default: .respond()
      }
    }
    let request = HTTPRequest(
      url: "http://h/start", headerFields: ["Authorization": "secret", "Host": "virtual"])
    _ = try await fake.followingRedirects().send(request)
    #expect(fake.requests.map { $0.head.headerFields[.host] } == ["virtual", "other", "h"])
    #expect(
      fake.requests.map { $0.head.headerFields.contains(.authorization) } == [true, false, false])
  }

  @Test(arguments: ["", "/start", "#x", "http://u@h/start"])
  func `a redirect to itself is a loop`(location: String) async throws {
    let fake = Self.fake(302, to: location)
    let error = try await #require(throws: TransportError.self) {
      try await fake.followingRedirects().send(HTTPRequest(url: "http://h/start"))
    }
    #expect(error.kind == .redirectLoop)
    #expect(fake.requests.count == 1)
  }

  @Test func `a redirect to the same URL that sets a cookie is not a loop`() async throws {
    let fake = FakeTransport { request in
      request.ordinal == 1
        ? .respond(302, headerFields: ["Location": "/", "Set-Cookie": "a=1"]) : .respond()
    }
    let exchange = try await fake.followingRedirects().send(HTTPRequest(url: "http://h/"))
    #expect(exchange.response.status.code == 200)
  }

  @Test func `the number of redirects is limited`() async throws {
    let fake = FakeTransport { request in
      let number = Int(request.path.dropFirst()) ?? 0
      return number == 5 ? .respond() : .redirect(to: "/\(number + 1)")
    }
    let five = fake.followingRedirects(RedirectPolicy(limit: 5))
    #expect(try await five.send(HTTPRequest(url: "http://h/0")).response.status.code == 200)
    let error = try await #require(throws: TransportError.self) {
      try await fake.followingRedirects(RedirectPolicy(limit: 4))
        .send(HTTPRequest(url: "http://h/0"))
    }
    #expect(error.kind == .tooManyRedirects)
    #expect(fake.requests.count == 11)
  }

  @Test func `a redirect that keeps the body needs a replayable body`() async throws {
    for (status, kind) in [(307, TransportError.Kind.bodyNotReplayable), (303, nil)] {
      let transport = Self.fake(status, to: "/end").followingRedirects()
      let request = HTTPRequest(method: .post, url: "http://h/start")
      if let kind {
        let error = try await #require(throws: TransportError.self) {
          try await transport.send(request, body: .stream(Chunks(["a"])))
        }
        #expect(error.kind == kind)
      } else {
        _ = try await transport.send(request, body: .stream(Chunks(["a"])))
      }
    }
    let replayable = Self.fake(308, to: "/end")
    _ = try await replayable.followingRedirects().send(
      HTTPRequest(method: .post, url: "http://h/start"),
      body: .stream(Chunks(["a"]), isReplayable: true))
    #expect(replayable.requests.map(\.body.text) == ["a", "a"])
  }

  @Test(arguments: [(8192, false), (8193, true), (nil, true)] as [(Int?, Bool)])
  func `a redirect body of at most 8 KiB is read to keep its connection usable`(
    length: Int?, isCancelled: Bool
  ) async throws {
    let seen = Mutex((isRead: false, isCancelled: false))
    let stub = StubTransport { request in
      guard request.path == "/start" else {
        return HTTPExchange(
          request: request, response: HTTPResponse(status: .init(code: 200)),
          body: HTTPResponseBody([]))
      }
      var fields: HTTPFields = ["Location": "/end"]
      fields[.contentLength] = length.map { "\($0)" }
      return HTTPExchange(
        request: request, response: HTTPResponse(status: .init(code: 302), headerFields: fields),
        body: HTTPResponseBody(
          next: { () throws(TransportError) in
            seen.withLock { $0.isRead = true }
            return .end(trailers: [:])
          },
          cancel: { seen.withLock { $0.isCancelled = true } }))
    }
    let exchange = try await stub.followingRedirects().send(HTTPRequest(url: "http://h/start"))
    #expect(exchange.response.status.code == 200)
    #expect(seen.withLock { $0.isRead } == !isCancelled)
    #expect(seen.withLock { $0.isCancelled } == isCancelled)
  }
}
