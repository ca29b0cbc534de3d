import ContractTesting
import SystemLocks
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var time: [Saboteur<TransportFixture>] {
    flawed(
      "no-connect-timeout", "has no connect timeout", caughtBy: "connect-timeout",
      timeLimit: .milliseconds(500)
    ) { $0.request = { _, _, options in options.connectTimeout = nil } }
    flawed(
      "vague-timeout", "reports a connect timeout as an idle timeout", caughtBy: "connect-timeout"
    ) {
      $0.error = { error in
        var error = error
        if error.kind == .connectTimeout { error.kind = .idleTimeout }
        return error
      }
    }
    flawed(
      "keeps-stalled", "keeps the connection of a timed-out response",
      caughtBy: "idle-timeout", saying: "connection is closed", timeLimit: .seconds(10)
    ) { $0.ignoreCancellation() }
    flawed(
      "drips-on", "reads a response to its end after the deadline", caughtBy: "deadline",
      saying: "connection is closed", timeLimit: .seconds(10)
    ) {
      $0.response = { exchange in
        let source = exchange.body
        let whole = Task.detached { try await source.collect(upTo: 1 << 20) }
        exchange.body = HTTPResponseBody(
          next: { () async throws(TransportError) in
            guard let bytes = try? await whole.value else { return .end(trailers: [:]) }
            return .bytes(bytes)
          }, cancel: {})
      }
    }
    flawed(
      "whole-seconds", "rounds timeouts up to seconds", caughtBy: "precision",
      timeLimit: .seconds(20)
    ) {
      $0.request = { _, _, options in
        if options.connectTimeout != nil { options.connectTimeout = .seconds(1) }
      }
    }
    flawed(
      "too-early", "rounds timeouts down to seconds, and 0 s expires at once",
      caughtBy: "precision", saying: "the timeout of 150 ms expired"
    ) {
      $0.send = { base, request, body, options in
        if let limit = options.connectTimeout, limit < .seconds(1) {
          throw TransportError(.connectTimeout, phase: .connecting, bytesSent: false)
        }
        return try await base.send(request, body: body, options: options)
      }
    }
    flawed(
      "starts-anyway", "sends a request of a cancelled task",
      caughtBy: "cancelled-before"
    ) { $0.ignoreCancellation() }
    flawed(
      "deaf-to-cancel", "ignores cancellation before the head", caughtBy: "cancel-head",
      timeLimit: .milliseconds(500)
    ) { $0.ignoreCancellation() }
    flawed(
      "lingers", "reads on after the response is cancelled", caughtBy: "cancel-body",
      timeLimit: .milliseconds(500)
    ) {
      $0.response = { exchange in
        let source = exchange.body
        exchange.body = HTTPResponseBody(
          next: { () async throws(TransportError) in
            let next = Task.detached { () async throws(TransportError) -> [UInt8]? in
              var iterator = source.makeAsyncIterator()
              return try await iterator.next()
            }
            guard let bytes = try? await next.value else { return .end(trailers: [:]) }
            return .bytes(bytes)
          }, cancel: {})
      }
    }
    flawed(
      "resolves-inline", "does not cancel name lookups", caughtBy: "slow-name",
      timeLimit: .seconds(2)
    ) { $0.ignoreCancellation() }
    flawed(
      "storm-hang", "ignores cancellation of an endless response", caughtBy: "cancel-storm",
      timeLimit: .seconds(2)
    ) { $0.ignoreCancellation() }
    flawed(
      "holds-dropped", "keeps the connection of a released response",
      caughtBy: "dropped-response",
      timeLimit: .milliseconds(500)
    ) {
      let bodies = RetainedBodies()
      $0.response = { bodies.retain($0.body) }
    }
    flawed("closes-each", "closes the connection after each request", caughtBy: "reuse") {
      $0.request = { _, _, options in options.reusesConnections = false }
    }
    flawed("ignores-close", "ignores Connection: close of a response", caughtBy: "connection-close")
    {
      $0.receivedBytes = { $0.replacing("Connection: Close", by: "X-Connection: Close") }
    }
    flawed("hides-close", "does not send the caller's Connection: close", caughtBy: "asks-close") {
      $0.request = { request, _, _ in request.headerFields[.connection] = nil }
    }
    flawed("gives-up-stale", "reports no error as safe to retry", caughtBy: "stale-retry") {
      $0.reportRetrySafety(false)
    }
    flawed(
      "retries-on-idle", "reuses a connection for a retry", caughtBy: "retry-connection"
    ) {
      let fresh = Counter()
      $0.request = { _, _, options in
        if !options.reusesConnections, fresh.increment() > 1 { options.reusesConnections = true }
      }
    }
    flawed(
      "replays-post", "sends a POST again after its connection ends", caughtBy: "sent-once",
      saying: "the number of received POSTs is 2"
    ) {
      $0.send = { base, request, body, options in
        do {
          return try await base.send(request, body: body, options: options)
        } catch let error as TransportError where error.kind == .emptyReply {
          var options = options
          options.reusesConnections = false
          return try await base.send(request, body: body, options: options)
        }
      }
    }
    flawed(
      "promises-safety", "reports every error as safe to retry", caughtBy: "sent-once",
      saying: "whether a retry is safe"
    ) { $0.reportRetrySafety(true) }
    flawed("no-origin-limit", "has no limit per origin", caughtBy: "origin-limit") {
      $0.changeLimits { $0.perOrigin = $0.total }
    }
    for (id, clause) in [
      ("one-at-a-time", "silent-first"), ("one-at-a-time-tls", "silent-first-tls"),
    ] {
      flawed(
        id, "has only one connection to an origin", caughtBy: clause, saying: "waits for the first"
      ) { $0.changeLimits { $0.perOrigin = 1 } }
    }
    flawed("no-total-limit", "has no limit in total", caughtBy: "total-limit") {
      $0.changeLimits { $0.total = 1000 }
    }
    flawed("opens-at-will", "has no limit on connections", caughtBy: "crowd") {
      $0.changeLimits { $0 = ConnectionLimits(perOrigin: 1000, total: 1000) }
    }
    flawed("fetches-all", "receives a whole response before it is read", caughtBy: "slow-consumer")
    {
      $0.response = { exchange in
        let source = exchange.body
        let whole = Task { try await source.collect(upTo: 1 << 30) }
        exchange.body = HTTPResponseBody(
          next: { () async throws(TransportError) in
            guard let bytes = try? await whole.value else { return .end(trailers: [:]) }
            return .bytes(bytes)
          }, cancel: { whole.cancel() })
      }
    }
    flawed("shutdown-as-cancel", "reports a shutdown as a cancellation", caughtBy: "shutdown") {
      $0.error = { error in
        var error = error
        if error.kind == .shutDown { error.kind = .cancelled }
        return error
      }
    }
    flawed(
      "connects", "connects to the peer", caughtBy: "lacks-connections", saying: "connections"
    ) { _ in }
  }
}

/// Keeps references to bodies, so that they are never released.
private final class RetainedBodies: Sendable {
  private let bodies = Mutex<[HTTPResponseBody]>([])

  func retain(_ body: HTTPResponseBody) { bodies.withLock { $0.append(body) } }
}
