import ContractTesting
import Testing
import TransportPort

extension TransportFlaws {
  /// Makes the transport offer only HTTP/1.1.
  mutating func useOnlyHTTP11() {
    plan = { plan in
      var plan = plan
      plan.version = .http11
      return plan
    }
  }

  /// Makes the transport send one request at a time.
  fileprivate mutating func serializeRequests() {
    useOnlyHTTP11()
    changeLimits { $0.perOrigin = 1 }
  }

  /// Replaces GOAWAY with other steps, as if the transport misinterpreted it.
  fileprivate mutating func replaceGoAway(with steps: [ScriptStep]) {
    plan = { plan in
      plan.mapScripts { script in
        OriginScript(
          script.steps.flatMap { step -> [ScriptStep] in
            if case .goAway = step { steps } else { [step] }
          })
      }
    }
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var http2: [Saboteur<TransportFixture>] {
    flawed(
      "speaks-http-1", "offers only HTTP/1.1", caughtBy: "multiplex",
      saying: "number of connections"
    ) { $0.useOnlyHTTP11() }
    flawed(
      "opens-for-each", "opens a connection for each request", caughtBy: "multiplex",
      saying: "number of connections"
    ) { $0.request = { _, _, options in options.reusesConnections = false } }
    flawed(
      "one-after-the-other", "sends each request after the previous response",
      caughtBy: "multiplex", timeLimit: .milliseconds(500)
    ) { $0.serializeRequests() }
    flawed("loses-a-byte-of-many", "loses a byte at the end of a buffer", caughtBy: "streams") {
      $0.loseByte()
    }
    flawed(
      "loses-stream-trailers", "ignores trailer fields", caughtBy: "trailers",
      saying: "the trailer section"
    ) { $0.receivedBytes = { $0.replacing("X-End: yes\r\n", by: "") } }
    flawed(
      "stops-at-length", "ignores what follows content of the declared length",
      caughtBy: "length-and-trailers", saying: "the trailer section"
    ) { $0.receivedBytes = { $0.replacing("X-A: 1\r\nX-B: 2\r\nX-A: 3\r\n", by: "") } }
    flawed(
      "gives-up-refused", "reports a refused request as one that may be processed",
      caughtBy: "refused-stream"
    ) { $0.reportRetrySafety(false) }
    flawed(
      "cancels-connection", "closes the connection of a cancelled request",
      caughtBy: "cancel-stream", saying: "reset streams"
    ) { $0.useOnlyHTTP11() }
    flawed(
      "waits-for-reader", "reads a response to its end before it sends the next request",
      caughtBy: "unread-stream", timeLimit: .milliseconds(500)
    ) { $0.serializeRequests() }
    flawed(
      "no-stream-trailers", "sends no trailer fields", caughtBy: "request-trailers",
      saying: "the trailer section"
    ) {
      $0.send = { base, request, body, options in
        try await base.send(
          request, body: body.isNone ? .none : .text("onetwo"), options: options)
      }
    }
    flawed(
      "sends-connection-fields", "sends connection-specific fields",
      caughtBy: "connection-fields", saying: "Connection"
    ) { $0.useOnlyHTTP11() }
    flawed(
      "breaks-on-go-away", "closes the connection at once after GOAWAY", caughtBy: "go-away"
    ) { $0.replaceGoAway(with: [.reset]) }
    flawed(
      "deaf-to-go-away", "sends new requests on a connection after GOAWAY", caughtBy: "go-away",
      saying: "connections"
    ) { $0.replaceGoAway(with: []) }
    flawed(
      "never-sends-again", "reports no error as safe to retry", caughtBy: "go-away-unprocessed"
    ) { $0.reportRetrySafety(false) }
    flawed(
      "ends-all", "ends all requests of a connection after GOAWAY", caughtBy: "go-away-others"
    ) { $0.replaceGoAway(with: [.reset]) }
    flawed(
      "keeps-waiting", "waits without end after its connection breaks",
      caughtBy: "broken-connection", timeLimit: .milliseconds(800)
    ) { $0.wait(afterFailure: .connectionReset) }
    flawed(
      "exceeds-total", "has no limit of connections in total", caughtBy: "shared-place",
      saying: "beyond the limit"
    ) { $0.changeLimits { $0.total = 9 } }
    flawed(
      "replays-over-http-2", "reports every error as safe to retry", caughtBy: "sent-once",
      saying: "received POSTs"
    ) { $0.reportRetrySafety(true) }
    flawed(
      "mixes-responses", "returns content of a cancelled response in the next one",
      caughtBy: "cancelled-content", saying: "other content"
    ) {
      $0.response = { exchange in
        guard exchange.request.url.hasSuffix("/c") else { return }
        let other = [UInt8](repeating: UInt8(ascii: "a"), count: 64 * 65_536)
        exchange.body = HTTPResponseBody(other)
      }
    }
    flawed(
      "blames-the-server", "reports every reset stream as a violation of HTTP/2",
      caughtBy: "reset-stream", saying: "connectionReset"
    ) {
      $0.error = { error in
        var error = error
        if error.kind == .connectionReset { error.kind = .protocolViolation }
        return error
      }
    }
    flawed(
      "retries-reset-streams", "reports every reset stream as safe to retry",
      caughtBy: "reset-stream", saying: "whether a retry of POST is safe"
    ) { $0.reportRetrySafety(true) }
    flawed(
      "deaf-to-late-go-away", "sends new requests on a connection after GOAWAY",
      caughtBy: "go-away-late", saying: "the content after GOAWAY"
    ) { $0.replaceGoAway(with: []) }
    flawed(
      "deaf-at-once", "waits on a connection after GOAWAY", caughtBy: "go-away-at-once",
      saying: "the number of answers before GOAWAY"
    ) { $0.replaceGoAway(with: []) }
    flawed(
      "misses-the-end-of-all", "does not see that the server closes", caughtBy: "server-closes",
      saying: "the server has closed", timeLimit: .seconds(10)
    ) {
      $0.plan = { plan in
        plan.mapScripts { script in OriginScript(script.steps.filter { $0 != .close }) }
      }
    }
    flawed(
      "sends-whole-content", "reads the response only after all content",
      caughtBy: "early-response", timeLimit: .milliseconds(500)
    ) { $0.collectContent() }
    flawed("does-as-told", "connects to a scripted server", caughtBy: "lacks-scripted-server") {
      _ in
    }
  }
}
