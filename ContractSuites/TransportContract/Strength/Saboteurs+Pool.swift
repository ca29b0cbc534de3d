import ContractTesting
import SystemLocks
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var pool: [Saboteur<TransportFixture>] {
    flawed(
      "loses-places", "lets the next request wait after a refused connection",
      caughtBy: "failed-place", timeLimit: .milliseconds(500)
    ) { $0.wait(afterFailure: .connectionRefused) }
    flawed(
      "deaf-in-queue", "ignores cancellation while it waits for a connection",
      caughtBy: "leaves-queue", timeLimit: .milliseconds(500)
    ) { $0.ignoreCancellation() }
    flawed(
      "keeps-queued", "keeps the content of each request", caughtBy: "queue-releases",
      timeLimit: .milliseconds(500)
    ) {
      let kept = Kept()
      $0.request = { _, body, _ in kept.append(body) }
    }
    flawed(
      "jumps-queue", "sends requests beyond the limit of connections", caughtBy: "leaves-queue"
    ) { $0.changeLimits { $0 = ConnectionLimits(perOrigin: 9, total: 9) } }
    flawed(
      "hoards", "keeps idle connections beyond the limit", caughtBy: "idle-gives-way",
      saying: "the list of connections", timeLimit: .seconds(10)
    ) { $0.changeLimits { $0.total = 9 } }
    flawed(
      "closes-idle", "keeps no idle connections", caughtBy: "idle-gives-way"
    ) { $0.request = { _, _, options in options.reusesConnections = false } }
    flawed(
      "reuses-anyway", "reuses a connection against the caller's will", caughtBy: "new-connection",
      saying: "the list of connections"
    ) { $0.request = { _, _, options in options.reusesConnections = true } }
    for (id, text, clause, saying) in [
      (
        "times-the-answer", "counts the wait for a response as connecting",
        "connected-in-time", "none of 10 requests"
      ),
      (
        "times-the-wait", "counts the wait for a place as connecting",
        "waits-untimed", "the deadline of 400 ms"
      ),
    ] {
      flawed(id, text, caughtBy: clause, saying: saying) {
        $0.send = { base, request, body, options in
          guard options.connectTimeout != nil else {
            return try await base.send(request, body: body, options: options)
          }
          throw TransportError(
            .connectTimeout, phase: .awaitingHead, bytesSent: true, detail: "the deadline of 400 ms"
          )
        }
      }
    }
    flawed(
      "misses-the-end", "does not see that the server closes", caughtBy: "server-closes",
      saying: "the server has closed", timeLimit: .seconds(10)
    ) {
      $0.plan = { plan in
        plan.mapScripts { script in OriginScript(script.steps.filter { $0 != .close }) }
      }
    }
    flawed(
      "stops-sending", "sends no content after a response", caughtBy: "read-after-response",
      saying: "content arrives", timeLimit: .seconds(10)
    ) { $0.request = { _, body, _ in body = .none } }
    flawed(
      "tries-again", "tries every failed request again", caughtBy: "closed-at-once",
      saying: "got status 200"
    ) {
      $0.send = { base, request, body, options in
        do {
          return try await base.send(request, body: body, options: options)
        } catch is TransportError {
          return try await base.send(request, body: body, options: options)
        }
      }
    }
    flawed(
      "keeps-producing", "lets the content's producer run on", caughtBy: "producer-ends",
      timeLimit: .milliseconds(800)
    ) {
      $0.send = { base, request, body, options in
        async let send = base.send(request, body: .text("a"), options: options)
        let whole = Task.detached { _ = try await body.collected() }
        defer { withExtendedLifetime(whole) {} }
        return try await send
      }
    }
    flawed(
      "waits-for-producer", "waits for the content's producer", caughtBy: "deaf-producer",
      timeLimit: .milliseconds(500)
    ) { $0.ignoreCancellation() }
  }
}

/// Keeps the content of requests.
private final class Kept: Sendable {
  private let bodies = Mutex<[HTTPRequestBody]>([])

  func append(_ body: HTTPRequestBody) { bodies.withLock { $0.append(body) } }
}
