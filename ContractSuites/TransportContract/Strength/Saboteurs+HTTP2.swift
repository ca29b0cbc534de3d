import ContractTesting
import Testing
import TransportPort

extension Flaws {
  /// Makes the transport offer HTTP/1.1 alone.
  fileprivate mutating func speakHTTP11() {
    plan = { plan in
      var plan = plan
      plan.version = .http11
      return plan
    }
  }

  /// Makes the transport carry one exchange at a time.
  fileprivate mutating func takeTurns() {
    speakHTTP11()
    setup = { setup in
      var setup = setup
      setup.limits.perOrigin = 1
      return setup
    }
  }

  /// Makes the transport take GOAWAY for other steps.
  fileprivate mutating func takeGoAway(as steps: [ScriptStep]) {
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
      "speaks-http-1", "it offers HTTP/1.1 alone", caughtBy: "multiplex",
      saying: "number of connections"
    ) { $0.speakHTTP11() }
    flawed(
      "opens-for-each", "it opens a connection for each request", caughtBy: "multiplex",
      saying: "number of connections"
    ) { $0.request = { _, _, options in options.reusesConnections = false } }
    flawed(
      "one-after-the-other", "it sends a request once the one before is answered",
      caughtBy: "multiplex", timeLimit: .milliseconds(500)
    ) { $0.takeTurns() }
    flawed("loses-a-byte-of-many", "it loses a byte where a buffer ends", caughtBy: "streams") {
      $0.loseByte()
    }
    flawed(
      "loses-stream-trailers", "it passes over trailers", caughtBy: "trailers",
      saying: "the trailers"
    ) { $0.bytes = { $0.replacing("X-End: yes\r\n", by: "") } }
    flawed(
      "cancels-connection", "it closes the connection of what is cancelled",
      caughtBy: "cancel-stream", saying: "streams that were reset"
    ) { $0.speakHTTP11() }
    flawed(
      "waits-for-reader", "it reads a response to its end before the next",
      caughtBy: "unread-stream", timeLimit: .milliseconds(500)
    ) { $0.takeTurns() }
    flawed(
      "no-stream-trailers", "it sends no trailers", caughtBy: "request-trailers",
      saying: "the trailers"
    ) {
      $0.send = { base, request, body, options in
        try await base.send(
          request, body: body.isNone ? .none : .text("onetwo"), options: options)
      }
    }
    flawed(
      "sends-connection-fields", "it sends fields of the connection",
      caughtBy: "connection-fields", saying: "Connection"
    ) { $0.speakHTTP11() }
    flawed(
      "breaks-on-go-away", "it takes GOAWAY for the end of the connection", caughtBy: "go-away"
    ) { $0.takeGoAway(as: [.reset]) }
    flawed(
      "deaf-to-go-away", "it goes on using a connection after GOAWAY", caughtBy: "go-away",
      saying: "connections"
    ) { $0.takeGoAway(as: []) }
    flawed(
      "never-sends-again", "it calls no failure safe to retry", caughtBy: "go-away-unprocessed"
    ) {
      $0.error = { error in
        var error = error
        error.isRetrySafe = false
        return error
      }
    }
    flawed(
      "replays-over-http-2", "it calls every failure safe to retry", caughtBy: "sent-once",
      saying: "POSTs on the wire"
    ) {
      $0.error = { error in
        var error = error
        error.isRetrySafe = true
        return error
      }
    }
    flawed("does-as-told", "its server is scripted", caughtBy: "lacks-scripted-server") { _ in }
  }
}
