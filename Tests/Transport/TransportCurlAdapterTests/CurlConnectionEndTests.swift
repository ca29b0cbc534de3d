import CPlatform
import Foundation
import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlConnectionEndTests {
  @Test(arguments: [HTTPOrigin.Scheme.http, .https])
  func `a child process does not hold a connection`(_ scheme: HTTPOrigin.Scheme) async throws {
    let world = try CurlWorld(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi") + [.stall], scheme: scheme)
    let exchange = try await world.transport.send(world.request())
    let child = try start("/bin/sleep", "60")
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    exchange.body.cancel()
    try await world.log.first { [.closedByPeer, .resetByPeer].contains($0.kind) }
  }

  /// Starts a program.
  private func start(_ program: String, _ argument: String) throws -> pid_t {
    var process: pid_t = 0
    let code = program.withCString { program in
      argument.withCString { argument in
        platform_spawn(
          &process, program, [.init(mutating: program), .init(mutating: argument), nil], [nil], -1,
          STDOUT_FILENO)
      }
    }
    try #require(code == 0, "\(program) can't be started: \(String(cString: strerror(code)))")
    return process
  }

  @Test(arguments: [HTTPRequest.Method.get, .post])
  func `a request that was sent is never reported as refused`(
    _ method: HTTPRequest.Method
  ) async throws {
    let world = try CurlWorld(.respond(), [.readBody, .stall])
    try await world.answer()
    let pending = Task {
      try await world.failure(method, body: method == .post ? .text("pay") : .none)
    }
    try await world.log.wait { $0.filter { $0.kind == .requestEnd }.count == 2 }
    // Ends the connection, and then refuses new ones.
    world.origin.close()
    let error = try await pending.value
    #expect(error.kind == .connectionReset || error.kind == .emptyReply, "\(error)")
    #expect(error.phase == .awaitingHead)
    #expect(error.bytesSent)
    #expect(error.isRetrySafe == (method == .get))
  }

  @Test(arguments: [HTTPRequest.Method.get, .post])
  func `a request that no connection processes is sent until one does`(
    _ method: HTTPRequest.Method
  ) async throws {
    let world = try CurlWorld(
      OriginPlan(version: .http2) {
        $0.connection <= 15 ? [.goAway(isProcessed: false)] : .respond(text: "hi")
      }, scheme: .https)
    let body = method == .post ? HTTPRequestBody.text("pay") : .none
    #expect(try await world.answer(method, body: body).text == "hi")
    #expect(world.log.requests.map(\.head.connection) == Array(1...16))
    #expect(world.log.requests.last?.bodyCount == (method == .post ? 3 : 0))
  }

  @Test func `a request that no connection ever processes is given up, and is safe to repeat`()
    async throws
  {
    let world = try CurlWorld(
      OriginPlan(version: .http2) { _ in [.goAway(isProcessed: false)] }, scheme: .https)
    let error = try await world.failure(.post, body: .text("pay"))
    #expect(error.kind == .connectionReset)
    #expect(error.isRetrySafe)
    // libcurl 8.14 sends it again up to five times by itself.
    #expect((32...37).contains(world.log.requests.count))
  }

  @Test func `a request is not sent again once an interim response has come`() async throws {
    let world = try CurlWorld(
      OriginPlan(version: .http2) {
        $0.ordinal == 1
          ? .respond()
          : [.send("HTTP/1.1 103 Early Hints\r\n\r\n"), .pause(.milliseconds(20)), .close]
      }, scheme: .https)
    try await world.answer()
    let error = try await world.failure()
    #expect([.truncatedHead, .connectionReset].contains(error.kind), "\(error)")
    #expect(world.log.requests.count == 2)
  }

  /// Each dead connection that is tried in vain would take one of the few attempts.
  @Test(arguments: [HTTPOrigin.Scheme.http, .https])
  func `after one dead connection a request goes to a new one`(
    _ scheme: HTTPOrigin.Scheme
  ) async throws {
    let plan = OriginPlan { request in
      guard request.target == "/old" else { return .respond(text: "new") }
      // So that each request needs a connection of its own.
      return [.pause(.milliseconds(200))] + .respond(text: "old") + [.close]
    }
    let world = try CurlWorld(plan, scheme: scheme)
    let tasks = (1...8).map { _ in Task { try await world.answer(.get, "/old").text } }
    for task in tasks { #expect(try await task.value == "old") }
    let count = world.log.connectionCount
    try await world.log.wait { log in log.count { $0.kind == .closed } == count }
    #expect(try await world.answer(.post, "/new", body: .text("pay")).text == "new")
    #expect(world.log.connectionCount == count + 1)
  }

  /// More often than libcurl sends again for all transfers of a handle.
  @Test(arguments: [OriginPlan.Version.http11, .http2], [ScriptStep.close, .reset])
  func `an idempotent request is sent again whenever a kept connection ends`(
    _ version: OriginPlan.Version, _ ending: ScriptStep
  ) async throws {
    let world = try CurlWorld(
      OriginPlan(version: version) {
        $0.ordinal == 1 ? .respond(text: "\($0.connection)") : [.readBody, ending]
      }, scheme: .https)
    for connection in 1...14 { #expect(try await world.answer().text == "\(connection)") }
  }

  @Test func `a peer without TLS fails the handshake`() async throws {
    let world = try CurlWorld(
      OriginPlan(onConnect: { _ in [.send("220 hello\r\n"), .close] }, onRequest: { _ in [] }))
    let error = await #expect(throws: TransportError.self) {
      try await world.transport.send(HTTPRequest(url: "https://127.0.0.1:\(world.origin.port)"))
    }
    #expect(error?.kind == .tls(.handshake))
  }

  /// Heads that the clauses do not have.
  @Test(arguments: [
    ("HTTP/1.1 2", TransportError.Kind.emptyReply),
    ("HTTP/1.1 100 Continue\r\n\r\n", .truncatedHead),
    ("HTTP/1.1 99 OK\r\nContent-Length: 0\r\n\r\n", .malformedHead),
    ("HTTP/1.1 101 Switching\r\n\r\n", .malformedHead),
  ])
  func `an invalid head fails with its kind`(
    _ text: String, _ kind: TransportError.Kind
  ) async throws {
    let world = try CurlWorld(.raw(text) + [.close])
    let error = try await world.failure()
    #expect(error.kind == kind, "\(error)")
    #expect(error.bytesSent)
    #expect(world.log.requests.count == 1)
  }

  @Test func `a released transport closes its connections`() async throws {
    let origin = try ScriptedOrigin(.respond())
    var transport: CurlTransport? = try CurlTransport()
    // An exchange retains its transport.
    _ = try await transport?.send(HTTPRequest(url: origin.url)).body.collect(upTo: 10)
    #expect(!origin.log.events.contains { $0.kind == .closedByPeer })
    transport = nil
    try await origin.log.first { $0.kind == .closedByPeer }
  }

  @Test func `an error says what TLS reported about the end of a connection over HTTP/2`()
    async throws
  {
    let world = try CurlWorld(
      OriginPlan(version: .http2) { _ in [.readBody, .closeWithoutNotify] }, scheme: .https)
    let error = try await world.failure(.post, body: .text("x"))
    #expect(error.kind == .emptyReply)
    #expect(error.detail.contains(": unexpected eof while reading"), "\(error.detail)")
  }
}
