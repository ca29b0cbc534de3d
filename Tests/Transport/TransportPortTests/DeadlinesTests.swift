import ManualClocks
import Testing
import TransportPort

@Suite struct DeadlinesTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"

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

  @Test func `deadlines beyond the clock's range never expire`() async throws {
    let fake = FakeTransport { _ in .respond(text: "hello") }
    let most = Duration.seconds(Int64.max)
    let deadlines = Deadlines(connect: most, idle: most, overall: most)
    let outcome = await Outcome(of: fake.enforcing(deadlines), HTTPRequest(url: "http://h/"))
    #expect(outcome.body.text == "hello")
    #expect(outcome.error == nil)
  }
}
