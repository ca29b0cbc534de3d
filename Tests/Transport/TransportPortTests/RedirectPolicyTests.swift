import Testing
import TransportPort

@Suite struct RedirectPolicyTests {
  /// Creates a fake that redirects `/start` and answers all other requests.
  private static func fake(_ status: Int, to location: String) -> FakeTransport {
    FakeTransport { request in
      request.path == "/start" ? .redirect(status, to: location) : .respond(text: request.target)
    }
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

  @Test func `a redirect to the same URL that sets a cookie is not a loop`() async throws {
    let fake = FakeTransport { request in
      request.ordinal == 1
        ? .respond(302, headerFields: ["Location": "/", "Set-Cookie": "a=1"]) : .respond()
    }
    let exchange = try await fake.followingRedirects().send(HTTPRequest(url: "http://h/"))
    #expect(exchange.response.status.code == 200)
  }

  @Test func `301 keeps the content of PUT, and 303 needs no replayable content`() async throws {
    let kept = Self.fake(301, to: "/end")
    _ = try await kept.followingRedirects().send(
      HTTPRequest(method: .put, url: "http://h/start"), body: .text("a"))
    #expect(kept.requests.map(\.body.text) == ["a", "a"])
    let dropped = Self.fake(303, to: "/end")
    _ = try await dropped.followingRedirects().send(
      HTTPRequest(method: .post, url: "http://h/start"), body: .stream(Chunks(["a"])))
    #expect(dropped.requests.map(\.body.text) == ["a", ""])
  }

  @Test(
    arguments: [("https://h/end", nil), ("http://h/end", .invalidRedirect)]
      as [(String, TransportError.Kind?)])
  func `a redirect from https stays on https`(
    location: String, error: TransportError.Kind?
  ) async {
    let fake = Self.fake(302, to: location)
    let outcome = await Outcome(of: fake.followingRedirects(), HTTPRequest(url: "https://h/start"))
    #expect(outcome.error?.kind == error)
    #expect(fake.requests.count == (error == nil ? 2 : 1))
  }

  @Test(arguments: [HTTPRequest.Method.get, .head])
  func `303 keeps the fields of a request that stays what it is`(
    method: HTTPRequest.Method
  ) async throws {
    let fake = Self.fake(303, to: "/end")
    let request = HTTPRequest(
      method: method, url: "http://h/start", headerFields: ["Content-Language": "de"])
    _ = try await fake.followingRedirects().send(request)
    #expect(fake.requests.last?.head.method == method)
    #expect(fake.requests.last?.head.headerFields["Content-Language"] == "de")
  }

  @Test func `bytes that no URL may have are percent-encoded`() async throws {
    let fake = FakeTransport { request in
      guard request.path == "/start" else { return .respond() }
      let location = HTTPField(name: "Location", bytes: Array("/!~ \u{7F}é".utf8))
      return .respond(302, headerFields: HTTPFields([location]))
    }
    _ = try await fake.followingRedirects().send(HTTPRequest(url: "http://h/start"))
    #expect(fake.requests.last?.head.target == "/!~%20%7F%C3%A9")
  }
}
