import CPlatform
import Foundation
import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlConnectionTests {
  @Test func `a connection is reused`() async throws {
    let world = try CurlWorld(.respond(text: "hi"))
    for _ in 1...5 { #expect(try await world.answer().text == "hi") }
    try await world.answer(.post, body: .text("x"))
    #expect(world.log.connectionCount == 1)
    #expect(world.log.requests.map(\.head.ordinal) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a kept connection is not used if the options forbid it`() async throws {
    let world = try CurlWorld(.respond())
    var options = TransportOptions()
    options.reusesConnections = false
    try await world.answer()
    try await world.answer(options: options)
    #expect(world.log.connectionCount == 2)
  }

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

  @Test func `Connection close is honored`() async throws {
    let world = try CurlWorld(.respond(headerFields: [.connection: "close"]))
    try await world.answer()
    try await world.answer()
    #expect(world.log.connectionCount == 2)
  }

  /// Creates a world whose origin ends a kept connection after reading a second request.
  private func dying(_ step: ScriptStep) throws -> CurlWorld {
    try CurlWorld(
      OriginPlan { request in
        request.ordinal == 1 ? .respond(text: "\(request.connection)") : [.readBody, step]
      })
  }

  @Test(arguments: [ScriptStep.close, .reset])
  func `an idempotent request is resent if a kept connection dies`(
    _ step: ScriptStep
  ) async throws {
    let world = try dying(step)
    #expect(try await world.answer().text == "1")
    #expect(try await world.answer().text == "2")
    #expect(try await world.answer(.put, body: .text("body")).text == "3")
    #expect(world.log.requests.last?.bodyCount == 4)
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
  func `a kept connection that was closed meanwhile is not used`(
    _ method: HTTPRequest.Method
  ) async throws {
    let world = try CurlWorld(.respond(text: "hi") + [.pause(.milliseconds(20)), .close])
    for connection in 1...3 {
      #expect(try await world.answer(method, body: .text("once")).text == "hi")
      try await world.log.first { $0.connection == connection && $0.kind == .closed }
    }
    #expect(world.log.connectionCount == 3)
    #expect(world.log.requests.count == 3)
  }

  @Test(arguments: [ScriptStep.close, .reset], [HTTPRequestBody.text("pay"), .bytes([]), .none])
  func `a POST on a dying connection is sent once`(
    _ step: ScriptStep, _ body: HTTPRequestBody
  ) async throws {
    let world = try dying(step)
    try await world.answer()
    let error = try await world.failure(.post, body: body)
    #expect([.connectionReset, .emptyReply].contains(error.kind), "\(error)")
    #expect(error.bytesSent)
    #expect(!error.isRetrySafe)
    try await world.answer(.get)
    #expect(world.log.requests.count { $0.head.method == .post } == 1)
  }

  @Test func `a streamed POST on a dying connection is sent once`() async throws {
    let world = try dying(.close)
    try await world.answer()
    let error = try await world.failure(.post, body: .stream(Chunks(chunks: [[1], [2]])))
    #expect(!error.isRetrySafe)
    #expect(world.log.requests.count { $0.head.method == .post } == 1)
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

  @Test func `requests beyond the limit wait for a connection`() async throws {
    let world = try CurlWorld([.readBody, .pause(.milliseconds(5))] + .respond(text: "hi")) {
      $0.limits = ConnectionLimits(perOrigin: 4, total: 4)
    }
    try await withThrowingTaskGroup { group in
      for _ in 1...60 { group.addTask { try await world.answer().text } }
      for try await text in group { #expect(text == "hi") }
    }
    #expect(world.log.requests.count == 60)
    #expect(world.log.connectionCount <= 4)
  }

  @Test func `the queue of one origin does not block another`() async throws {
    let slow = try ScriptedOrigin([.stall])
    let world = try CurlWorld(.respond(text: "hi")) {
      $0.limits = ConnectionLimits(perOrigin: 1, total: 2)
    }
    try await withThrowingTaskGroup { group in
      for _ in 1...5 {
        group.addTask { _ = try? await world.transport.send(HTTPRequest(url: slow.url)) }
      }
      try await slow.log.first { $0.kind.isHead }
      #expect(try await world.answer().text == "hi")
      #expect(slow.log.connectionCount == 1)
      group.cancelAll()
    }
  }

  @Test func `1,000 concurrent requests use 64 connections`() async throws {
    let world = try CurlWorld(.respond(text: "hi"))
    try await withThrowingTaskGroup { group in
      for _ in 1...1000 { group.addTask { try await world.answer().text } }
      for try await text in group { #expect(text == "hi") }
    }
    #expect(world.log.connectionCount <= 64)
  }

  @Test func `releasing a response closes its connection`() async throws {
    let flood = ScriptStep.sendRepeatedly([0x61], count: nil)
    let world = try CurlWorld(
      [.send("HTTP/1.1 200 OK\r\n\r\n"), flood], .respond(text: "hi")
    ) {
      $0.limits = ConnectionLimits(perOrigin: 1, total: 1)
    }
    var exchange: HTTPExchange? = try await world.transport.send(world.request())
    #expect(exchange?.response.status.code == 200)
    exchange = nil
    #expect(try await world.answer().text == "hi")
    try await world.log.first { $0.connection == 1 && $0.kind.isEndByPeer }
  }
}
