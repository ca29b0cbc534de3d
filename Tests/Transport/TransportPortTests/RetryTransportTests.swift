import ManualClocks
import SystemLocks
import Testing
import TransportPort

@Suite struct RetryTransportTests {
  /// Creates a fake whose first `count` connections fail with the given steps.
  private static func fake(failing count: Int, by steps: OriginScript) -> FakeTransport {
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

  /// Fails each request after cancelling the task that sends it.
  private final class Cancelling: HTTPTransport {
    let sent = Mutex(0)

    func send(
      _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
    ) async throws(TransportError) -> HTTPExchange {
      sent.withLock { $0 += 1 }
      withUnsafeCurrentTask { $0?.cancel() }
      throw TransportError(.emptyReply, phase: .awaitingHead, method: .get, bytesSent: true)
    }
  }

  @Test func `a cancelled task does not retry`() async {
    let base = Cancelling()
    let outcome = await Task {
      await Outcome(of: base.retryingWhenSafe(attempts: 3), HTTPRequest(url: "http://h/"))
    }.value
    #expect(outcome.error?.kind == .emptyReply)
    #expect(base.sent.withLock { $0 } == 1)
  }
}
