import ManualClocks
import Testing
import TransportDecoding
import TransportPort

// The code of TransportPort.md. `PagesTests` checks that each of its code blocks occurs here.

/// A file that the page's download writes to.
protocol File {
  func write(_ chunk: [UInt8]) throws
}

/// A status line of an app.
protocol StatusLine {
  func show(_ text: String)
}

func sendWithClient(_ transport: any HTTPTransport) async throws -> String? {
  let client = HTTPClient(transport: transport)
  let page = try await client.get("https://example.com/items?page=2")
  guard page.response.status.isSuccessful else { return nil }
  return page.text
}

func sendWithTransport(_ transport: any HTTPTransport) async throws -> [UInt8] {
  let request = HTTPRequest(
    method: .put, url: "https://example.com/items/7",
    headerFields: [.contentType: "application/json"])
  let exchange = try await transport.send(request, body: .text(#"{"name": "tea"}"#))
  let answer = try await exchange.body.collect(upTo: 65_536)
  return answer
}

func download(_ transport: any HTTPTransport, to file: any File) async throws {
  let exchange = try await transport.send(HTTPRequest(url: "https://example.com/video"))
  for try await chunk in exchange.body {
    try file.write(chunk)
  }
}

func upload(
  _ chunks: AsyncStream<[UInt8]>, size: Int, _ transport: any HTTPTransport
) async throws -> HTTPExchange {
  let body = HTTPRequestBody.stream(chunks, length: size)
    .reportingProgress { sent in print("\(sent) of \(size) bytes") }
  let exchange = try await transport.send(
    HTTPRequest(method: .post, url: "https://example.com/upload"), body: body)
  return exchange
}

func applyPolicies(
  to base: some HTTPTransport, cookies: any HTTPCookieHandling
) -> any HTTPTransport {
  let transport =
    base
    .retryingWhenSafe(
      attempts: 3, backoff: .doubling(from: .milliseconds(200), upTo: .seconds(5))
    )
    .handlingCookies(with: cookies)
    .followingRedirects()
    .decodingContent()
    .enforcing(Deadlines(connect: .seconds(10), idle: .seconds(30), overall: .seconds(120)))
  return transport
}

func handleErrors(_ client: HTTPClient, _ status: any StatusLine) async -> HTTPDataResponse? {
  do {
    return try await client.get("https://example.com/")
  } catch {
    switch error.kind {
    case .cancelled:
      return nil
    case .connectTimeout, .idleTimeout, .deadlineExceeded:
      status.show("The server does not answer.")
    case .tls(.certificateExpired):
      status.show("The certificate of the server has expired.")
    case .invalidRequest, .unsupportedScheme:
      assertionFailure("invalid request: \(error)")
    default:
      status.show(error.bytesSent ? "The transfer failed." : "No connection.")
    }
    return nil
  }
}

@Suite struct TransportPortSnippets {
  @Test func `the fake answers and records`() async throws {
    let fake = FakeTransport { request in
      request.path == "/items" ? .respond(text: "tea") : .respond(404)
    }
    let client = HTTPClient(transport: fake)
    let page = try await client.get("https://example.com/items")
    #expect(page.text == "tea")
    #expect(fake.requests.map(\.head.target) == ["/items"])
  }

  @Test func `a timeout in virtual time`() async throws {
    let clock = ManualClock()
    let fake = FakeTransport(clock: clock) { _ in [.readBody, .stall] }
    let transport = fake.enforcing(Deadlines(overall: .seconds(30)), clock: clock)
    let response = Task { try await HTTPClient(transport: transport).get("https://example.com/") }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: TransportError.self) { try await response.value }
    #expect(error?.kind == .deadlineExceeded)
  }

  @Test func `the policies work in the order of the page`() async throws {
    struct Cookies: HTTPCookieHandling {
      func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String? {
        "url=\(url)"
      }

      func storeCookies(_ values: [String], fromURL url: String) async throws {}
    }
    let fake = FakeTransport { request in
      switch (request.path, request.connection) {
      case ("/", _): .redirect(to: "/items")
      case (_, 1): [.reset]
      default: .respond(text: "tea")
      }
    }
    let client = HTTPClient(transport: applyPolicies(to: fake, cookies: Cookies()))
    #expect(try await client.get("http://example.com/").text == "tea")
    #expect(fake.requests.map(\.head.path) == ["/", "/items", "/items"])
    #expect(
      fake.requests.map { $0.head.headerFields[.cookie] } == [
        "url=http://example.com/", "url=http://example.com/items", "url=http://example.com/items",
      ])
  }
}
