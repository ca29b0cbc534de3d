import ScriptedOrigin
import SystemLocks
import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlCancellationTests {
  @Test func `a task that is already cancelled does no input or output`() async throws {
    let world = try CurlWorld(.respond())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await world.failure()
    }
    #expect(try await task.value.kind == .cancelled)
    #expect(world.log.connectionCount == 0)
  }

  @Test func `an exchange that has ended asks its producer for nothing`() async throws {
    let world = try CurlWorld(.respond())
    let asked = Mutex(0)
    let chunks = Chunks(chunks: [[1]], willProduce: { _ in asked.withLock { $0 += 1 } })
    for _ in 1...100 {
      let body = HTTPRequestBody.stream(chunks)
      let transfer = try CurlTransfer(
        WireRequest(world.request(.post), body: body), body: body, options: TransportOptions(),
        owner: world.transport)
      let upload = try #require(transfer.upload)
      // As the driver thread does if the caller cancels while it starts the transfer.
      upload.stop()
      upload.start(for: transfer, driver: world.transport.driver)
    }
    // A task that was created for a producer would run before these.
    for _ in 1...100 { await Task {}.value }
    #expect(asked.withLock { $0 } == 0)
  }

  static let phases: [(TransportError.Phase, OriginScript)] = [
    (.awaitingHead, [.send("H"), .stall]),
    (.awaitingHead, [.send("HTTP/1.1 200 OK\r\nA: b\r\n"), .stall]),
    (.receivingBody, [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .stall]),
  ]

  @Test(arguments: phases)
  func `a cancelled exchange ends within 100 ms, and the origin sees the close`(
    _ phase: TransportError.Phase, _ script: OriginScript
  ) async throws {
    let taken = try await best(of: 25, under: .milliseconds(100)) {
      let world = try CurlWorld(script)
      // The log shows what the origin sent, not what the client has received.
      let (received, receive) = AsyncStream<Void>.makeStream()
      let task = Task { () -> TransportError? in
        do throws(TransportError) {
          let exchange = try await world.transport.send(world.request())
          for try await _ in exchange.body { receive.finish() }
          return nil
        } catch {
          return error
        }
      }
      try await world.log.first { if case .sent = $0.kind { true } else { false } }
      if phase == .receivingBody { for await _ in received {} }
      let start = ContinuousClock.now
      task.cancel()
      let error = try #require(await task.value)
      let end = ContinuousClock.now
      #expect(error.kind == .cancelled)
      #expect(error.phase == phase)
      #expect(error.bytesSent)
      #expect(!error.isRetrySafe)
      let seen = try await world.log.first { $0.kind.isEndByPeer }
      return max(end, seen.time) - start
    }
    #expect(taken < .milliseconds(100))
  }

  @Test func `an exchange can be cancelled while its upload waits for the producer`() async throws {
    let world = try CurlWorld([.readBody])
    let stopped = Mutex(false)
    let chunks = Chunks(
      chunks: [[1], [2]],
      willProduce: { index in
        guard index == 1 else { return }
        do { try await Task.sleep(for: .seconds(60)) } catch {
          stopped.withLock { $0 = true }
          throw error
        }
      })
    let task = Task { try await world.failure(.post, body: .stream(chunks)) }
    try await world.log.first { $0.kind == .body(1) }
    task.cancel()
    #expect(try await task.value.kind == .cancelled)
    try await world.log.first { $0.kind.isEndByPeer }
    // The producer is cancelled too; it has 1 s to notice.
    for _ in 1...100 where !stopped.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(stopped.withLock { $0 })
  }

  @Test func `cancellations in every phase leak no connection`() async throws {
    let count = CurlTestScale.isLong ? 1000 : 100
    let scripts: [OriginScript] = [
      [.stall], [.send("HTTP/1.1 2"), .stall],
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .stall],
      [
        .send("HTTP/1.1 200 OK\r\n\r\n"), .send("ab"), .pause(.milliseconds(1)), .send("cd"),
        .stall,
      ],
      .respond(text: "done"),
    ]
    let world = try CurlWorld(OriginPlan { scripts[($0.connection + $0.ordinal) % scripts.count] })
    let slowest = try await withThrowingTaskGroup { group in
      for index in 0..<count {
        group.addTask {
          let task = Task { try await world.answer(index % 3 == 0 ? .post : .get).status }
          try await Task.sleep(for: .microseconds(index * 997))
          let start = ContinuousClock.now
          task.cancel()
          _ = try? await task.value
          return ContinuousClock.now - start
        }
      }
      return try await group.reduce(.zero) { max($0, $1) }
    }
    // In the short form other tests run on the same processors.
    if CurlTestScale.isLong { #expect(slowest < .milliseconds(100)) }
    await world.transport.shutDown()
    try await world.log.wait { events in
      events.count { $0.kind == .accepted } == events.count { $0.kind.isEndByPeer }
    }
  }

  @Test func `a shutdown ends pending requests and rejects later ones`() async throws {
    let world = try CurlWorld([.stall]) { $0.limits = ConnectionLimits(perOrigin: 1, total: 1) }
    let first = Task { try await world.failure() }
    try await world.log.first { $0.kind.isHead }
    let waiting = Task { try await world.failure() }
    await world.transport.shutDown()
    #expect(try await first.value.kind == .shutDown)
    #expect(try await waiting.value.kind == .shutDown)
    #expect(try await world.failure().kind == .shutDown)
    await world.transport.shutDown()
    try await world.log.first { $0.kind.isEndByPeer }
  }

  @Test func `a released transport completes the response that is being read`()
    async throws
  {
    let origin = try ScriptedOrigin(
      [
        .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), .pause(.milliseconds(50)),
        .send("cd"),
      ])
    var transport: CurlTransport? = try CurlTransport()
    let exchange = try await transport?.send(HTTPRequest(url: origin.url))
    transport = nil
    #expect(try await exchange?.body.collect(upTo: 10) == Array("abcd".utf8))
  }
}
