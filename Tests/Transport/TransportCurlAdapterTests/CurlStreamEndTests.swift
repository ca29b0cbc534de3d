import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

/// The end of HTTP/2 streams that libcurl does not report.
@Suite(.timeLimit(.minutes(1))) struct CurlStreamEndTests {
  /// An origin that sends the content with its length at once, and the end of the stream later.
  ///
  /// The chunks encode frames: HTTP/2 has no transfer coding.
  private func world(
    _ fields: String = "", then steps: OriginScript
  ) throws -> CurlWorld {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n"
    let script: OriginScript = [.send(head + "4\r\nbody\r\n")] + steps
    return try CurlWorld(OriginPlan(version: .http2) { _ in script }, scheme: .https)
  }

  @Test func `a response ends with its declared content, although its stream does not end`()
    async throws
  {
    let world = try world(then: [.stall])
    let start = ContinuousClock.now
    #expect(try await world.answer().text == "body")
    #expect(start.duration(to: .now) < .seconds(20))
    #expect(try await world.answer().text == "body")
    #expect(world.log.connectionCount == 1, "the connection stays usable")
  }

  @Test func `trailer fields that come soon after the content are delivered`() async throws {
    let world = try world(then: [.pause(.milliseconds(10)), .send("0\r\nX-End: yes\r\n\r\n")])
    // On a busy machine the origin can pause for longer than the adapter waits.
    var trailers: HTTPFields?
    for _ in 1...20 where trailers != ["X-End": "yes"] {
      let answer = try await world.answer()
      #expect(answer.text == "body")
      trailers = answer.exchange.body.trailerFields
    }
    #expect(trailers == ["X-End": "yes"])
  }

  @Test func `trailer fields that the head announces are awaited`() async throws {
    let world = try world(
      "Trailer: X-End\r\n",
      then: [.pause(.milliseconds(400)), .send("0\r\nX-End: yes\r\n\r\n")])
    #expect(try await world.answer().exchange.body.trailerFields == ["X-End": "yes"])
  }

  /// HAProxy 2.6 at times forgets a stream until it receives something.
  @Test(
    .enabled(
      if: CurlLibrary.current.version <= 0x08_0E_01,
      "libcurl 8.23 with nghttp2 1.70 does not send PRIORITY"))
  func `a server that sends nothing for a second gets a frame while another sends`()
    async throws
  {
    let world = try CurlWorld(OriginPlan(version: .http2) { _ in [.stall] }, scheme: .https)
    let busy = try ScriptedOrigin(
      OriginPlan(version: .http2) { _ in
        [.pause(.milliseconds(20)), .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
      }, scheme: .https)
    let request = Task { try await world.answer() }
    let other = Task {
      while !Task.isCancelled {
        let exchange = try await world.transport.send(HTTPRequest(url: busy.url))
        _ = try await exchange.body.collect(upTo: 0)
      }
    }
    try await world.log.wait { log in log.count { $0.kind == .priority } == 2 }
    #expect(!busy.log.events.contains { $0.kind == .priority })
    request.cancel()
    other.cancel()
    await #expect(throws: TransportError.self) { _ = try await request.value }
    _ = try? await other.value
  }

  /// libcurl goes on with the upload, and reports that it can't.
  @Test func `a complete response to an upload is delivered, although the connection then ends`()
    async throws
  {
    let response =
      "HTTP/1.1 413 Content Too Large\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbig\r\n0\r\n\r\n"
    // A reset that comes before the client has read the response takes the response away.
    let script: OriginScript = [
      .readBodyBytes(1_000), .send(response), .pause(.milliseconds(300)), .reset,
    ]
    let world = try CurlWorld(OriginPlan(version: .http2) { _ in script }, scheme: .https)
    let upload = Chunks(chunks: Array(repeating: Array(repeating: 7, count: 10_000), count: 10)) {
      index in
      // The connection has ended when the last chunk comes.
      if index == 9 { try await world.log.wait { $0.last?.kind == .reset } }
    }
    for _ in 1...5 {
      let answer = try await world.answer(.post, body: .stream(upload))
      #expect(answer.status == 413)
      #expect(answer.text == "big")
    }
  }

  /// libcurl goes on with the upload before it has reported the response. If it sends first, it may read nothing.
  @Test(arguments: [200, 413], [2, 300])
  func `a response that was read is delivered, although the upload then fails`(
    _ status: Int, _ count: Int
  ) async throws {
    let script: OriginScript = [
      .readBodyBytes(1), .send("HTTP/1.1 \(status) Read\r\nContent-Length: 3\r\n\r\nbig"),
      .reset,
    ]
    let world = try CurlWorld(OriginPlan { _ in script })
    let upload = Chunks(chunks: Array(repeating: Array(repeating: 7, count: 30_000), count: count))
    var delivered = 0
    for _ in 1...100 {
      do throws(TransportError) {
        let exchange = try await world.transport.send(world.request(.post), body: .stream(upload))
        #expect(try await exchange.body.collect(upTo: 3) == Array("big".utf8))
        delivered += 1
      } catch {
        #expect(error.phase != .receivingBody, "\(error)")
      }
    }
    #expect(delivered > 0)
  }

  /// libcurl 8.14 may not have noted the end of empty content when the response comes.
  @Test func `a connection is kept after an error status for empty content`() async throws {
    let world = try CurlWorld(.respond(403, text: "no"))
    for _ in 1...500 { #expect(try await world.answer(.post).status == 403) }
    #expect(world.log.connectionCount == 1)
  }
}
