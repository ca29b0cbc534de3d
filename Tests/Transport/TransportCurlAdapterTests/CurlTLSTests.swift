import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlTLSTests {
  @Test func `a connection to a trusted origin is reused`() async throws {
    let world = try CurlWorld(.respond(text: "hi"), scheme: .https)
    for _ in 1...2 { #expect(try await world.answer(.post, body: .text("x")).text == "hi") }
    #expect(world.log.connectionCount == 1)
  }

  @Test(arguments: [
    (OriginPlan.Identity.expired, TransportError.TLSFailure.certificateExpired),
    (.wrongHost, .wrongHost), (.selfSigned, .selfSigned), (.unknownAuthority, .unknownAuthority),
    (.obsoleteProtocol, .protocolVersion), (.notYetValid, .certificateExpired),
  ])
  func `each rejected certificate has its own error, and nothing is sent`(
    _ identity: OriginPlan.Identity, _ failure: TransportError.TLSFailure
  ) async throws {
    let world = try CurlWorld(.respond(), scheme: .https, identity: identity)
    let error = try await world.failure(.post, body: .text("secret"))
    #expect(error.kind == .tls(failure), "\(error)")
    #expect(error.phase == .securing)
    #expect(!error.bytesSent)
    #expect(error.code != nil)
    #expect(world.log.requests.isEmpty)
  }

  @Test func `the system's authorities do not include the test authority`() async throws {
    let world = try CurlWorld(.respond(), scheme: .https) { $0.authorities = .system }
    #expect(try await world.failure().kind == .tls(.unknownAuthority))
  }

  @Test func `a peer without TLS fails the handshake`() async throws {
    let world = try CurlWorld(
      OriginPlan(onConnect: { _ in [.send("220 hello\r\n"), .close] }, onRequest: { _ in [] }))
    do throws(TransportError) {
      _ = try await world.transport.send(
        HTTPRequest(url: "https://127.0.0.1:\(world.origin.port)"))
      Issue.record("a handshake with a plain origin succeeded")
    } catch {
      #expect(error.kind == .tls(.handshake))
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", TransportError.Kind.truncatedBody),
    ("HTTP/1.1 200 OK\r\nA: b\r\n", .truncatedHead),
    ("", .emptyReply),
  ])
  func `an end without close_notify is an error`(
    _ text: String, _ kind: TransportError.Kind
  ) async throws {
    let world = try CurlWorld(.raw(text) + [.closeWithoutNotify], scheme: .https)
    #expect(try await world.failure().kind == kind)
  }

  @Test(arguments: ["", "Connection: close\r\n"])
  func `an end without close_notify truncates a body without a length`(
    _ field: String
  ) async throws {
    let text = "HTTP/1.1 200 OK\r\n\(field)\r\nhalf"
    let world = try CurlWorld(.raw(text) + [.closeWithoutNotify], scheme: .https)
    let exchange = try await world.transport.send(world.request())
    var body = exchange.body.makeAsyncIterator()
    #expect(try await body.next() == Array("half".utf8))
    let error = await #expect(throws: TransportError.self) { _ = try await body.next() }
    #expect(error?.kind == .truncatedBody)
    #expect(error?.phase == .receivingBody)
  }

  @Test func `close_notify ends a body without a length`() async throws {
    let world = try CurlWorld(.raw("HTTP/1.1 200 OK\r\n\r\nwhole") + [.close], scheme: .https)
    for _ in 1...2 { #expect(try await world.answer().text == "whole") }
  }
}
