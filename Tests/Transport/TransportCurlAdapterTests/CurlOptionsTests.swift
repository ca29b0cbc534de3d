import CCurl
import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

/// Tests what the contract `curl-options` can't.
@Suite struct CurlOptionsTests {
  @Test(.enabled(if: !CurlLibrary.current.pinsAuthorities))
  func `the initializer fails if libcurl cannot pin certificates`() {
    var configuration = CurlTransport.Configuration()
    configuration.authorities = .pem("")
    let error = #expect(throws: TransportError.self) { try CurlTransport(configuration) }
    #expect(error?.kind == .unsupportedOption("CURLOPT_CAINFO_BLOB"))
  }

  @Test(arguments: [[:], ["CURLOPT_PROTOCOLS_STR": 48, "CURLOPT_REDIR_PROTOCOLS_STR": 48]])
  func `libcurl rejects file URLs`(_ refusals: [String: UInt32]) throws {
    let easy = try CurlOptions.makeHandle()
    defer { curl_easy_cleanup(easy) }
    var configuration = CurlTransport.Configuration()
    configuration.simulatedRefusals = refusals
    try CurlOptions(easy, configuration).setSecurity()
    ccurl_set_string(easy, CURLOPT_URL, "file:///etc/passwd")
    ccurl_set_prerequest(easy) { _, _, _, _, _ in CURL_PREREQFUNC_OK }
    #expect(curl_easy_perform(easy) == CURLE_UNSUPPORTED_PROTOCOL)
  }

  @Test func `a body that ends with the TLS connection fails without OpenSSL`() async throws {
    let world = try CurlWorld(
      .raw("HTTP/1.1 200 OK\r\n\r\nwhole") + [.close], scheme: .https
    ) { $0.queriesOpenSSL = false }
    let exchange = try await world.transport.send(world.request())
    var body = exchange.body.makeAsyncIterator()
    #expect(try await body.next() == Array("whole".utf8))
    let error = await #expect(throws: TransportError.self) { _ = try await body.next() }
    #expect(error?.kind == .truncatedBody)
    #expect(error?.detail.contains(CurlLibrary.current.description) == true)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nwhole",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nwhole\r\n0\r\n\r\n",
  ])
  func `a body with explicit framing needs no OpenSSL`(_ text: String) async throws {
    let world = try CurlWorld(.raw(text) + [.close], scheme: .https) { $0.queriesOpenSSL = false }
    #expect(try await world.answer().text == "whole")
  }

  @Test(arguments: [
    "GOAWAY last_stream=0", "received GOAWAY, error=0, last_stream=0",
    "REFUSED_STREAM, retrying a fresh connect",
  ])
  func `a request field cannot forge an HTTP/2 event`(_ value: String)
    async throws
  {
    let plan = OriginPlan(version: .http2) { request in
      request.target == "/first" ? .respond() : [.readBody, .close]
    }
    let world = try CurlWorld(plan, scheme: .https)
    try await world.answer(.get, "/first")
    let error = try await world.failure(.post, ["X-Notice": value], body: .text("pay"))
    #expect(!error.isRetrySafe, "\(error)")
    #expect(error.bytesSent)
    #expect(world.log.requests.filter { $0.head.method == .post }.count == 1)
  }
}
