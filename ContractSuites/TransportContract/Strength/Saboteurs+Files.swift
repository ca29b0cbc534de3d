import ContractTesting
import Testing
import TransportPort

extension TransportFlaws {
  /// Makes the transport fail a request after this many requests.
  fileprivate mutating func fail(
    after limit: Int, _ isCounted: @escaping @Sendable (HTTPExchange) -> Bool = { _ in true }
  ) {
    let count = Counter()
    send = { base, request, body, options in
      let exchange = try await base.send(request, body: body, options: options)
      if isCounted(exchange), count.increment() > limit {
        throw TransportError(.connectionReset, phase: .awaitingHead, bytesSent: true)
      }
      return exchange
    }
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var files: [Saboteur<TransportFixture>] {
    flawed("loses-a-byte-of-a-file", "loses a byte at the end of a buffer", caughtBy: "file") {
      $0.loseByte()
    }
    flawed("drops-head-length", "drops Content-Length of HEAD", caughtBy: "head") {
      $0.response = {
        if $0.request.method == .head { $0.response.headerFields[.contentLength] = nil }
      }
    }
    flawed("fails-on-404", "throws for 404", caughtBy: "missing", saying: "connectionReset") {
      $0.fail(after: 0) { $0.response.status.code == 404 }
    }
    flawed("mixes-files", "returns the content of another response", caughtBy: "own-file") {
      let count = Counter()
      $0.response = { exchange in
        if count.increment() == 150 { exchange.body = HTTPResponseBody(Array("other".utf8)) }
      }
    }
    flawed(
      "tires", "fails the 60th request", caughtBy: "sequence", saying: "connectionReset"
    ) { $0.fail(after: 59) }
    flawed(
      "stalls", "never ends the 90th concurrent download", caughtBy: "burst",
      timeLimit: .seconds(2)
    ) {
      let count = Counter()
      $0.response = { exchange in
        guard count.increment() == 90 else { return }
        exchange.body = HTTPResponseBody(
          next: { () async throws(TransportError) in
            try? await waitForCancellation()
            throw TransportError(.cancelled, phase: .receivingBody, bytesSent: true)
          }, cancel: {})
      }
    }
    flawed(
      "fails-after-cancellation", "fails the requests after a cancelled one",
      caughtBy: "cancelled-download", saying: "connectionReset"
    ) { $0.fail(after: 2) }
    flawed(
      "one-download", "uses one connection for one request at a time",
      caughtBy: "unread-download", timeLimit: .milliseconds(500)
    ) { $0.changeLimits { $0.perOrigin = 1 } }
  }
}
