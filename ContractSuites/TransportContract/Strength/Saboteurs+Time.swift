import ContractTesting
import SystemLocks
import Testing
import TransportPort

/// Runs something that the caller's cancellation doesn't reach.
private func uncancelled<Value: Sendable>(
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await Task.detached { try await operation() }.value
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var time: [Saboteur<TransportFixture>] {
    flawed(
      "no-connect-timeout", "it connects for as long as it takes", caughtBy: "connect-timeout",
      timeLimit: .milliseconds(500)
    ) { $0.request = { _, _, options in options.connectTimeout = nil } }
    flawed("vague-timeout", "it calls every time-out one of idleness", caughtBy: "connect-timeout")
    {
      $0.error = { error in
        var error = error
        if error.kind == .connectTimeout { error.kind = .idleTimeout }
        return error
      }
    }
    flawed(
      "keeps-stalled", "it keeps the connection of a response that nobody waits for",
      caughtBy: "idle-timeout", saying: "connection is closed", timeLimit: .seconds(10)
    ) {
      $0.send = { base, request, body, options in
        try await uncancelled { try await base.send(request, body: body, options: options) }
      }
    }
    flawed(
      "drips-on", "it reads a response to its end by itself", caughtBy: "deadline",
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
      "whole-seconds", "it rounds time-outs up to seconds", caughtBy: "precision",
      timeLimit: .seconds(20)
    ) {
      $0.request = { _, _, options in
        if options.connectTimeout != nil { options.connectTimeout = .seconds(1) }
      }
    }
    flawed(
      "too-early", "it rounds time-outs down to seconds, and nothing is over at once",
      caughtBy: "precision", saying: "150 ms were over"
    ) {
      $0.send = { base, request, body, options in
        if let limit = options.connectTimeout, limit < .seconds(1) {
          throw TransportError(.connectTimeout, phase: .connecting, bytesSent: false)
        }
        return try await base.send(request, body: body, options: options)
      }
    }
    flawed(
      "starts-anyway", "it starts for a task that was cancelled before",
      caughtBy: "cancelled-before"
    ) {
      $0.send = { base, request, body, options in
        try await uncancelled { try await base.send(request, body: body, options: options) }
      }
    }
    flawed(
      "deaf-to-cancel", "it doesn't hear of cancellation before the head", caughtBy: "cancel-head",
      timeLimit: .milliseconds(500)
    ) {
      $0.send = { base, request, body, options in
        try await uncancelled { try await base.send(request, body: body, options: options) }
      }
    }
    flawed(
      "lingers", "it goes on with what was cancelled", caughtBy: "cancel-body",
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
      "resolves-inline", "its lookups can't be given up", caughtBy: "slow-name",
      timeLimit: .seconds(2)
    ) {
      $0.send = { base, request, body, options in
        try await uncancelled { try await base.send(request, body: body, options: options) }
      }
    }
    flawed(
      "storm-hang", "it hangs when a flood is cancelled", caughtBy: "cancel-storm",
      timeLimit: .seconds(2)
    ) {
      $0.send = { base, request, body, options in
        try await uncancelled { try await base.send(request, body: body, options: options) }
      }
    }
    flawed(
      "holds-dropped", "it holds the connection of a dropped response",
      caughtBy: "dropped-response",
      timeLimit: .milliseconds(500)
    ) {
      let held = Held()
      $0.response = { held.keep($0.body) }
    }
    flawed("closes-each", "it closes a connection after each request", caughtBy: "reuse") {
      $0.request = { _, _, options in options.reusesConnections = false }
    }
    flawed("ignores-close", "it passes over Connection: close", caughtBy: "connection-close") {
      $0.bytes = { $0.replacing("Connection: Close", by: "X-Connection: Close") }
    }
    flawed("hides-close", "it keeps the caller's close to itself", caughtBy: "asks-close") {
      $0.request = { request, _, _ in request.headerFields[.connection] = nil }
    }
    flawed("gives-up-stale", "it calls no failure safe to retry", caughtBy: "stale-retry") {
      $0.error = { error in
        var error = error
        error.isRetrySafe = false
        return error
      }
    }
    flawed(
      "replays-post", "it sends a POST again when a connection dies", caughtBy: "sent-once",
      saying: "the POSTs on the wire is 2"
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
      "promises-safety", "it calls every failure safe to retry", caughtBy: "sent-once",
      saying: "whether a retry is safe"
    ) {
      $0.error = { error in
        var error = error
        error.isRetrySafe = true
        return error
      }
    }
    flawed("no-origin-limit", "it knows only a limit in all", caughtBy: "origin-limit") {
      $0.setup = { setup in
        var setup = setup
        setup.limits.perOrigin = setup.limits.total
        return setup
      }
    }
    for (id, clause) in [
      ("one-at-a-time", "silent-first"), ("one-at-a-time-tls", "silent-first-tls"),
    ] {
      flawed(
        id, "it has one connection to an origin", caughtBy: clause, saying: "waits for the first"
      ) {
        $0.setup = { setup in
          var setup = setup
          setup.limits.perOrigin = 1
          return setup
        }
      }
    }
    flawed("no-total-limit", "it knows only a limit for each origin", caughtBy: "total-limit") {
      $0.setup = { setup in
        var setup = setup
        setup.limits.total = 1000
        return setup
      }
    }
    flawed("opens-at-will", "it opens as many connections as it likes", caughtBy: "crowd") {
      $0.setup = { setup in
        var setup = setup
        setup.limits = ConnectionLimits(perOrigin: 1000, total: 1000)
        return setup
      }
    }
    flawed("fetches-all", "it fetches all of a response", caughtBy: "slow-consumer") {
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
    flawed("shutdown-as-cancel", "it calls a shutdown a cancellation", caughtBy: "shutdown") {
      $0.error = { error in
        var error = error
        if error.kind == .shutDown { error.kind = .cancelled }
        return error
      }
    }
  }
}

/// Keeps bodies from being dropped.
private final class Held: Sendable {
  private let bodies = Mutex<[HTTPResponseBody]>([])

  func keep(_ body: HTTPResponseBody) { bodies.withLock { $0.append(body) } }
}
