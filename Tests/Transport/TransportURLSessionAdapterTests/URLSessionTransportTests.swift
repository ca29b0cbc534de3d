import Foundation
import ScriptedOrigin
import Testing
import TransportPort
import TransportURLSessionAdapter

/// Serialized, because all sessions of a process share a queue and some tests block it.
@Suite(.serialized, .timeLimit(.minutes(1))) struct URLSessionTransportTests {
  @Test func `only the fields of the request are sent`() async throws {
    let world = try URLSessionWorld(.respond())
    for method in [HTTPRequest.Method.get, .head, .post, .delete, "PURGE"] {
      let request = world.request(method, "/x?y", ["X-B": "2", "X-A": "1"])
      try await world.answer(to: request)
      let wire = try WireRequest(request, body: .none)
      let seen = try #require(world.origin.log.requests.last)
      #expect(Set(seen.head.headerFields) == Set(wire.headerFields))
      #expect(seen.head.headerFields.count == wire.headerFields.count)
    }
  }

  @Test func `401 is returned with its content`() async throws {
    let world = try URLSessionWorld(
      .respond(401, headerFields: ["WWW-Authenticate": "Basic realm=\"x\""], text: "who?"))
    for _ in 1...2 {
      let answer = try await world.answer(to: world.request())
      #expect(answer.status == 401)
      #expect(answer.text == "who?")
    }
    #expect(world.origin.log.requests.count == 2)
  }

  @Test func `a redirect without Location is returned`() async throws {
    let world = try URLSessionWorld(.respond(301, headerFields: ["X-A": "1"]))
    let answer = try await world.answer(to: world.request())
    #expect(answer.status == 301)
    #expect(answer.fields["X-A"] == "1")
  }

  @Test func `only requests that are safe to resend reuse a connection`() async throws {
    let world = try URLSessionWorld(.respond())
    var fresh = TransportOptions()
    fresh.reusesConnections = false
    try await world.answer(to: world.request())
    try await world.answer(to: world.request(.put), body: .text("a"))
    try await world.answer(to: world.request(.delete))
    try await world.answer(to: world.request(.patch))
    try await world.answer(to: world.request(), options: fresh)
    try await world.answer(to: world.request(.get, "/", [.connection: "close"]))
    try await world.answer(to: world.request())
    #expect(world.origin.log.requests.map(\.head.connection) == [1, 2, 1, 3, 4, 5, 1])
  }

  @Test func `a request that URLSession cannot send is rejected before any output`() async throws {
    let world = try URLSessionWorld(.respond())
    let noText = HTTPField(name: "X-A", bytes: [0xE9])
    let trailing = HTTPRequestBody.stream(Chunks(["a"]), trailers: { ["X-A": "1"] })
    for (request, body, kind) in [
      (world.request(), .text("a"), TransportError.Kind.invalidRequest(.body)),
      (world.request(), .stream(Chunks(["a"])), .invalidRequest(.body)),
      (world.request(.get, "/", HTTPFields([noText])), .none, .invalidRequest(.fieldValue)),
      (world.request(.get, "/{a}"), .none, .invalidRequest(.url)),
      (world.request(.post), trailing, .other),
    ] {
      let error = await world.failure(of: request, body: body)
      #expect(error?.kind == kind)
      #expect(error?.phase == .preparing)
      #expect(error?.bytesSent == false)
    }
    #expect(world.origin.log.connectionCount == 0)
    try await world.answer(to: world.request(), body: .bytes([]))
  }

  @Test func `decoded content has no fields of its encoding`() async throws {
    let gzip: [UInt8] = [
      0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0xC8, 4, 0, 0xAC, 0x2A, 0x93, 0xD8, 2, 0, 0, 0,
    ]
    let world = try URLSessionWorld(.respond(headerFields: [.contentEncoding: "gzip"], body: gzip))
    let answer = try await world.answer(to: world.request())
    #expect(answer.text == "hi")
    #expect(!answer.fields.contains(.contentEncoding))
    #expect(!answer.fields.contains(.contentLength))
  }

  /// Codings with the encoded "hi": zstd, gzip after identity, and identity.
  private static let encoded: [(codings: String, bytes: [UInt8])] = [
    ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x20, 2, 0x11, 0, 0, 0x68, 0x69]),
    (
      "identity, gzip",
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0xC8, 4, 0, 0xAC, 0x2A, 0x93, 0xD8, 2, 0, 0, 0]
    ),
    ("identity", [0x68, 0x69]),
  ]

  @Test(arguments: encoded)
  func `decoded content is whole although Content-Length is that of the encoded content`(
    codings: String, bytes: [UInt8]
  ) async throws {
    let world = try URLSessionWorld(
      .respond(headerFields: [.contentEncoding: codings], body: bytes))
    #expect(try await world.answer(to: world.request()).text == "hi")
  }

  @Test func `a connect timeout of any length is accepted`() async throws {
    let world = try URLSessionWorld(.respond(text: "hi"))
    var options = TransportOptions()
    options.connectTimeout = .seconds(Int64.max)
    #expect(try await world.answer(to: world.request(), options: options).text == "hi")
  }

  @Test func `the response to HEAD keeps the fields of its encoding`() async throws {
    let world = try URLSessionWorld(
      .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 22\r\n\r\n"))
    let answer = try await world.answer(to: world.request(.head))
    #expect(answer.fields[.contentEncoding] == "gzip")
    #expect(answer.fields[.contentLength] == "22")
  }

  @Test func `a reset inside the body is thrown after the preceding bytes`() async throws {
    let world = try URLSessionWorld([
      .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .pause(.milliseconds(100)), .reset,
    ])
    let body = try await world.transport.send(world.request()).body
    var bytes: [UInt8] = []
    do throws(TransportError) {
      for try await chunk in body { bytes += chunk }
      Issue.record("the content ended")
    } catch {
      #expect(error.kind == .connectionReset)
      #expect(error.phase == .receivingBody)
    }
    #expect(bytes == Array("abc".utf8))
  }

  @Test(arguments: [HTTPRequest.Method.get, .put, .post, .patch])
  func `the safety of a retry depends on the method`(method: HTTPRequest.Method) async throws {
    let world = try URLSessionWorld([.readBody, .reset])
    let reset = await world.failure(of: world.request(method))
    #expect(reset?.kind == .connectionReset)
    #expect(reset?.phase == .awaitingHead)
    #expect(reset?.bytesSent == true)
    #expect(reset?.isRetrySafe == method.isIdempotent)
    let refusing = try URLSessionWorld(OriginPlan(reachability: .refusing) { _ in [] })
    let refused = await refusing.failure(of: refusing.request(method))
    #expect(refused?.kind == .connectionRefused)
    #expect(refused?.phase == .connecting)
    #expect(refused?.isRetrySafe == true)
    let nameless = try URLSessionWorld(OriginPlan(reachability: .unresolvable) { _ in [] })
    let unresolved = await nameless.failure(of: nameless.request(method))
    #expect(unresolved?.kind == .nameNotResolved)
    #expect(unresolved?.phase == .resolving)
    #expect(unresolved?.isRetrySafe == true)
  }

  @Test func `a producer can wait for another response on the only connection`()
    async throws
  {
    let world = try URLSessionWorld(
      .respond(text: "first"), limits: ConnectionLimits(perOrigin: 1, total: 1))
    let chunks = Chunks([]) {
      Array(try await world.answer(to: world.request()).text.utf8)
    }
    try await world.answer(to: world.request(.post), body: .stream(chunks))
    #expect(world.origin.log.requests.map(\.head.method) == [.get, .post])
    #expect(world.origin.log.requests.last?.body == Array("first".utf8))
  }

  @Test func `an error of the producer prevents the request from being sent`() async throws {
    struct Failed: Error {}
    let world = try URLSessionWorld(.respond())
    let error = await world.failure(
      of: world.request(.post), body: .stream(Chunks(["a"]) { throw Failed() }))
    #expect(error?.kind == .bodyProducerFailed)
    #expect(error?.underlying is Failed)
    #expect(error?.bytesSent == false)
    #expect(world.origin.log.connectionCount == 0)
  }

  @Test func `the connect timeout ends when content was sent, however slow the response`()
    async throws
  {
    let world = try URLSessionWorld(
      [.readBody, .pause(.milliseconds(300))] + .respond(text: "late"))
    var options = TransportOptions()
    options.connectTimeout = .milliseconds(150)
    // On a busy machine the timeout can pass before the content is sent.
    var answer: Answer?
    for _ in 1...10 where answer == nil {
      answer = try? await world.answer(
        to: world.request(.post), body: .text("a"), options: options)
    }
    #expect(answer?.text == "late")
    let silent = try URLSessionWorld(OriginPlan(reachability: .silent) { _ in [] })
    let error = await silent.failure(of: silent.request(.post), options: options)
    #expect(error?.kind == .connectTimeout)
    #expect(error?.phase == .connecting)
    #expect(error?.bytesSent == true)
    #expect(error?.isRetrySafe == false)
  }

  @Test func `cancellation does not wait for a blocked session`() async throws {
    let slow = try URLSessionWorld(
      OriginPlan(reachability: .resolvingSlowly(.seconds(8))) { _ in .respond() })
    let start = ContinuousClock.now
    for _ in 1...2 {
      // The first cancellation makes the session wait for the lookup, which blocks the second one.
      let task = Task { await slow.failure(of: slow.request()) }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      #expect(await task.value?.kind == .cancelled)
    }
    #expect(ContinuousClock.now - start < .seconds(6))
    // The lookups block the sessions of all tests, which must not count this in their own time.
    let world = try URLSessionWorld(.respond())
    try await world.answer(to: world.request())
  }

  @Test func `a released transport completes the response that is being read, then closes`()
    async throws
  {
    let origin = try ScriptedOrigin(
      [
        .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), .pause(.milliseconds(50)),
        .send("cd"),
      ])
    var transport: URLSessionTransport? = URLSessionTransport()
    let exchange = try await transport?.send(HTTPRequest(url: origin.url))
    transport = nil
    #expect(try await exchange?.body.collect(upTo: 10) == Array("abcd".utf8))
    let kept = try ScriptedOrigin(.respond(text: "kept"))
    transport = URLSessionTransport()
    let whole = try await transport?.send(HTTPRequest(url: kept.url)).body.collect(upTo: 10)
    #expect(whole == Array("kept".utf8))
    transport = nil
    try await kept.log.wait { $0.contains { $0.kind == .closedByPeer } }
  }
}
