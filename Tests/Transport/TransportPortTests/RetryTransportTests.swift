import ManualClocks
import SystemLocks
import Testing
import TransportPort

@Suite struct RetryTransportTests {
  /// Creates a fake whose first `count` connections fail with the given steps.
  private static func fake(
    failing count: Int, by steps: OriginScript
  ) -> FakeTransport {
    FakeTransport { request in
      request.connection <= count ? .init([.readBody]) + steps : .respond(text: "done")
    }
  }

  @Test(arguments: [HTTPRequest.Method.get, .head, .put, .delete, .options])
  func `an idempotent request without a response is retried on a new connection`(
    method: HTTPRequest.Method
  ) async throws {
    for steps: OriginScript in [[.close], [.reset], [.send("HTTP/1.1 20"), .close]] {
      let fake = Self.fake(failing: 1, by: steps)
      let outcome = await Outcome(
        of: fake.retryingWhenSafe(), HTTPRequest(method: method, url: "http://h/"))
      #expect(outcome.status == 200)
      #expect(fake.requests.map(\.head.connection) == [1, 2])
    }
  }

  @Test func `a retry does not use kept connections, which may be dead too`() async {
    let base = FailingTransport()
    let outcome = await Outcome(
      of: base.retryingWhenSafe(attempts: 3), HTTPRequest(url: "http://h/"))
    #expect(outcome.error?.kind == .emptyReply)
    #expect(base.reuses.withLock { $0 } == [true, false, false])
  }

  @Test(arguments: [HTTPRequest.Method.post, .patch, "PURGE"])
  func `any other request is sent once`(method: HTTPRequest.Method) async throws {
    for steps: OriginScript in [[.close], [.reset], [.send("HTTP/1.1 20"), .close]] {
      let fake = Self.fake(failing: 1, by: steps)
      let outcome = await Outcome(
        of: fake.retryingWhenSafe(attempts: 9), HTTPRequest(method: method, url: "http://h/"))
      #expect(outcome.error?.isRetrySafe == false)
      #expect(fake.requests.count == 1)
    }
  }

  @Test func `a permanent failure is not retried`() async throws {
    let fake = Self.fake(failing: 9, by: [.send("garbage\r\n")])
    let outcome = await Outcome(of: fake.retryingWhenSafe(), HTTPRequest(url: "http://h/"))
    #expect(outcome.error?.kind == .malformedHead)
    #expect(fake.requests.count == 1)
  }

  @Test func `the number of attempts is limited`() async throws {
    for (attempts, sent) in [(0, 1), (1, 1), (3, 3)] {
      let fake = Self.fake(failing: 9, by: [.close])
      let outcome = await Outcome(
        of: fake.retryingWhenSafe(attempts: attempts), HTTPRequest(url: "http://h/"))
      #expect(outcome.error?.kind == .emptyReply)
      #expect(fake.requests.count == sent)
    }
  }

  @Test func `a stream is retried only if it is replayable or unread`() async throws {
    let request = HTTPRequest(method: .put, url: "http://h/")
    let once = Self.fake(failing: 1, by: [.close])
    let outcome = await Outcome(
      of: once.retryingWhenSafe(), request, body: .stream(Chunks(["a"])))
    #expect(outcome.error?.kind == .emptyReply)
    let again = Self.fake(failing: 1, by: [.close])
    let repeated = await Outcome(
      of: again.retryingWhenSafe(), request, body: .stream(Chunks(["a"]), isReplayable: true))
    #expect(repeated.body.text == "done")
    #expect(again.requests.map(\.body.text) == ["a", "a"])
    let unread = FakeTransport { $0.connection == 1 ? [.close] : .respond(text: "done") }
    let late = await Outcome(
      of: unread.retryingWhenSafe(), request, body: .stream(Chunks(["a"])))
    #expect(late.body.text == "done")
  }

  @Test func `a request whose response body failed is not retried`() async throws {
    let fake = Self.fake(
      failing: 9, by: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close])
    let outcome = await Outcome(of: fake.retryingWhenSafe(), HTTPRequest(url: "http://h/"))
    #expect(outcome.error?.kind == .truncatedBody)
    #expect(outcome.body.text == "half")
    #expect(fake.requests.count == 1)
  }

  @Test func `a refused connection is safe to retry with any method`() async throws {
    let fake = FakeTransport(OriginPlan(reachability: .refusing, onRequest: { _ in .respond() }))
    let error = await Outcome(of: fake, HTTPRequest(method: .post, url: "http://h/")).error
    #expect(error?.kind == .connectionRefused)
    #expect(error?.bytesSent == false)
    #expect(error?.isRetrySafe == true)
  }

  @Test func `each retry waits for its backoff`() async throws {
    let clock = ManualClock()
    let fake = Self.fake(failing: 3, by: [.close])
    let retrying = fake.retryingWhenSafe(
      attempts: 4, backoff: .doubling(from: .seconds(1), upTo: .seconds(3), share: { 1 }),
      clock: clock)
    let outcome = Task { await Outcome(of: retrying, HTTPRequest(url: "http://h/")) }
    for (sent, pause) in [(1, 1), (2, 2), (3, 3)] {
      await clock.waitForSleepers()
      #expect(fake.requests.count == sent)
      clock.advance(by: .seconds(pause) - .nanoseconds(1))
      await clock.waitForSleepers()
      #expect(fake.requests.count == sent)
      clock.advance(by: .nanoseconds(1))
    }
    #expect(await outcome.value.body.text == "done")
    #expect(fake.requests.count == 4)
    #expect(clock.now.offset == .seconds(6))
  }

  @Test(.timeLimit(.minutes(1)))
  func `there is no backoff after the last attempt or a permanent failure`() async {
    for (steps, attempts) in [([ScriptStep.close], 1), ([.send("garbage\r\n")], 3)] {
      let fake = Self.fake(failing: 9, by: OriginScript(steps))
      let outcome = await Outcome(
        of: fake.retryingWhenSafe(
          attempts: attempts, backoff: .init { _ in .seconds(1) }, clock: ManualClock()),
        HTTPRequest(url: "http://h/"))
      #expect(outcome.error != nil)
      #expect(fake.requests.count == 1)
    }
  }

  @Test func `a cancelled backoff throws a cancellation error`() async throws {
    let clock = ManualClock()
    let fake = Self.fake(failing: 9, by: [.close])
    let retrying = fake.retryingWhenSafe(
      attempts: 9, backoff: .init { _ in .seconds(1) }, clock: clock)
    let outcome = Task { await Outcome(of: retrying, HTTPRequest(url: "http://h/")) }
    await clock.waitForSleepers()
    outcome.cancel()
    #expect(await outcome.value.error?.kind == .cancelled)
    #expect(await outcome.value.error?.bytesSent == true)
    #expect(fake.requests.count == 1)
  }

  @Test func `an exponential backoff doubles, has a maximum and is jittered`() {
    let even = RetryBackoff.doubling(from: .milliseconds(100), upTo: .seconds(1), share: { 1 })
    #expect(
      [1, 2, 3, 4, 5, 99, .max].map(even.pause) == [
        .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800),
        .seconds(1), .seconds(1), .seconds(1),
      ])
    #expect(RetryBackoff.doubling(from: .zero, upTo: .seconds(1)).pause(.max) == .zero)
    let half = RetryBackoff.doubling(from: .seconds(1), upTo: .seconds(1), share: { 0.5 })
    #expect(half.pause(1) == .milliseconds(500))
    let spread = RetryBackoff.doubling(from: .seconds(1), upTo: .seconds(1))
    #expect(Set((1...20).map { _ in spread.pause(1) }).count > 1)
  }
}

/// Fails with a transient error and records whether it was allowed to use a kept connection.
private final class FailingTransport: HTTPTransport {
  let reuses = Mutex<[Bool]>([])

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    reuses.withLock { $0.append(options.reusesConnections) }
    throw TransportError(.emptyReply, phase: .awaitingHead, method: request.method, bytesSent: true)
  }
}
