import ManualClocks
import Testing
import TransportPort

@Suite struct DeadlinesTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"

  @Test(arguments: [
    (Deadlines(idle: .milliseconds(300)), TransportError.Kind.idleTimeout),
    (Deadlines(overall: .milliseconds(300)), .deadlineExceeded),
    (Deadlines(connect: .seconds(9), idle: .milliseconds(300), overall: .seconds(9)), .idleTimeout),
  ])
  func `a missing head ends the exchange at the deadline`(
    deadlines: Deadlines, kind: TransportError.Kind
  ) async throws {
    let clock = ManualClock()
    let received = AsyncStream.makeStream(of: Void.self)
    let fake = FakeTransport(clock: clock) { _ in
      received.continuation.finish()
      return [.stall]
    }
    let transport = fake.enforcing(deadlines, clock: clock)
    let sending = Task { await Outcome(of: transport, HTTPRequest(url: "http://h/")) }
    for await _ in received.stream {}
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(299))
    await clock.waitForSleepers()
    #expect(fake.connectionCount == 1)
    clock.advance(by: .milliseconds(1))
    let error = try #require(await sending.value.error)
    #expect(error.kind == kind)
    #expect(error.phase == .awaitingHead)
    #expect(error.bytesSent)
  }

  @Test func `a body that stalls ends the exchange after the idle timeout`() async throws {
    let clock = ManualClock()
    let fake = FakeTransport(clock: clock) { _ in [.send(Self.head + "some"), .stall] }
    let transport = fake.enforcing(Deadlines(idle: .seconds(1)), clock: clock)
    let exchange = try await transport.send(HTTPRequest(url: "http://h/"))
    var iterator = exchange.body.makeAsyncIterator()
    #expect(try await iterator.next()?.text == "some")
    let body = exchange.body
    let reading = Task {
      await #expect(throws: TransportError.self) { try await body.collect(upTo: 200) }
    }
    let error = await advance(clock, by: .milliseconds(100), until: reading)
    #expect(error?.kind == .idleTimeout)
    #expect(error?.phase == .receivingBody)
    #expect(fake.connectionCount == 0)
  }

  @Test func `slow content resets the idle timeout but not the overall deadline`() async throws {
    let clock = ManualClock()
    let fake = FakeTransport(clock: clock) { _ in
      OriginScript(
        [.send(Self.head)]
          + (0..<100).flatMap { _ in [ScriptStep.pause(.milliseconds(100)), .send("x")] })
    }
    let deadlines = Deadlines(idle: .milliseconds(250), overall: .milliseconds(1050))
    let transport = fake.enforcing(deadlines, clock: clock)
    let reading = Task { await Outcome(of: transport, HTTPRequest(url: "http://h/")) }
    let outcome = await advance(clock, by: .milliseconds(50), sleepers: 2, until: reading)
    let error = try #require(outcome.error)
    #expect(error.kind == .deadlineExceeded)
    #expect(clock.now.offset == .milliseconds(1050))
    #expect(outcome.body.count == 10)
  }

  @Test(.timeLimit(.minutes(1))) func `the time between two reads does not count as idle`()
    async throws
  {
    let clock = ManualClock()
    let fake = FakeTransport { _ in .respond(text: "hello") }
    let transport = fake.enforcing(Deadlines(idle: .seconds(1)), clock: clock)
    let exchange = try await transport.send(HTTPRequest(url: "http://h/"))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    // The enforcer has checked and sleeps again.
    await clock.waitForSleepers()
    #expect(try await exchange.body.collect(upTo: 9).text == "hello")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a deadline closes the connection of a body that is not being read`() async throws {
    let clock = ManualClock()
    let closed = AsyncStream.makeStream(of: Void.self)
    let stub = StubTransport { request in
      HTTPExchange(
        request: request, response: HTTPResponse(status: .init(code: 200)),
        body: HTTPResponseBody(
          next: { () throws(TransportError) in .bytes([1]) },
          cancel: { closed.continuation.finish() }))
    }
    let transport = stub.enforcing(Deadlines(overall: .seconds(1)), clock: clock)
    let exchange = try await transport.send(HTTPRequest(url: "http://h/"))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    for await _ in closed.stream {}
    let error = try await #require(throws: TransportError.self) {
      try await exchange.body.collect(upTo: 9)
    }
    #expect(error.kind == .deadlineExceeded)
  }

  @Test func `upload progress resets the idle timeout`() async throws {
    let clock = ManualClock()
    let fake = FakeTransport(clock: clock) { _ in
      OriginScript((0..<5).flatMap { _ in [ScriptStep.readBodyBytes(1), .pause(.seconds(1))] })
        + .respond(text: "done")
    }
    let transport = fake.enforcing(Deadlines(idle: .milliseconds(1500)), clock: clock)
    let sending = Task {
      await Outcome(
        of: transport, HTTPRequest(method: .post, url: "http://h/"),
        body: .stream(Chunks(["a", "b", "c", "d", "e"])))
    }
    let outcome = await advance(clock, by: .milliseconds(500), sleepers: 2, until: sending)
    #expect(outcome.body.text == "done")
  }

  @Test func `the deadline ends the wait for a transport that ignores cancellation`() async throws {
    struct UncancellableTransport: HTTPTransport {
      let gate: AsyncStream<Void>

      func send(
        _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
      ) async throws(TransportError) -> HTTPExchange {
        await Task.detached { for await _ in gate {} }.value
        throw TransportError(.other, phase: .awaitingHead, bytesSent: true)
      }
    }
    let (gate, end) = AsyncStream.makeStream(of: Void.self)
    let clock = ManualClock()
    let transport = UncancellableTransport(gate: gate).enforcing(
      Deadlines(overall: .seconds(1)), clock: clock)
    let sending = Task { await Outcome(of: transport, HTTPRequest(url: "http://h/")) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await sending.value.error?.kind == .deadlineExceeded)
    end.finish()
  }

  @Test(arguments: [(OriginPlan.Reachability.silent, 1), (.resolvingSlowly(.seconds(60)), 2)])
  func `the connect timeout is passed to the transport`(
    way: OriginPlan.Reachability, sleepers: Int
  ) async throws {
    let clock = ManualClock()
    let fake = FakeTransport(
      OriginPlan(reachability: way, onRequest: { _ in .respond() }), clock: clock)
    let transport = fake.enforcing(Deadlines(connect: .milliseconds(100)), clock: clock)
    let sending = Task {
      await Outcome(of: transport, HTTPRequest(method: .post, url: "http://h/"))
    }
    await clock.waitForSleepers(sleepers)
    clock.advance(by: .milliseconds(100))
    let outcome = await sending.value
    #expect(outcome.error?.kind == .connectTimeout)
    #expect(outcome.error?.bytesSent == false)
    #expect(outcome.error?.isRetrySafe == true)
  }

  @Test func `an exchange within its deadlines is unaffected`() async throws {
    let fake = FakeTransport { _ in .respond(text: "hello") }
    let deadlines = Deadlines(connect: .seconds(60), idle: .seconds(60), overall: .seconds(60))
    let outcome = await Outcome(of: fake.enforcing(deadlines), HTTPRequest(url: "http://h/"))
    #expect(outcome.body.text == "hello")
    #expect(outcome.error == nil)
  }

  @Test func `deadlines beyond the clock's range never expire`() async throws {
    let fake = FakeTransport { _ in .respond(text: "hello") }
    let most = Duration.seconds(Int64.max)
    let deadlines = Deadlines(connect: most, idle: most, overall: most)
    let outcome = await Outcome(of: fake.enforcing(deadlines), HTTPRequest(url: "http://h/"))
    #expect(outcome.body.text == "hello")
    #expect(outcome.error == nil)
  }

  @Test func `cancellation is passed on`() async throws {
    let clock = ManualClock()
    let fake = FakeTransport { _ in [.stall] }
    let transport = fake.enforcing(Deadlines(overall: .seconds(9)), clock: clock)
    let sending = Task { await Outcome(of: transport, HTTPRequest(url: "http://h/")) }
    await clock.waitForSleepers()
    sending.cancel()
    #expect(await sending.value.error?.kind == .cancelled)
    #expect(fake.connectionCount == 0)
  }
}
