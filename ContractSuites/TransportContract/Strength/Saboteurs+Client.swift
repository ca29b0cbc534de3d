import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var client: [Saboteur<TransportFixture>] {
    flawed(
      "throws-at-404", "treats a status as an error", caughtBy: "client-requests", saying: "404"
    ) {
      $0.send = { base, request, body, options in
        let exchange = try await base.send(request, body: body, options: options)
        guard exchange.response.status.isSuccessful else {
          throw TransportError(
            .other, phase: .awaitingHead, bytesSent: true, detail: "the status 404")
        }
        return exchange
      }
    }
    flawed(
      "loses-own", "sends only the default fields", caughtBy: "client-defaults", saying: "X-D"
    ) { $0.request = { request, _, _ in request.headerFields["X-D"] = nil } }
    flawed(
      "loses-byte-of-all", "loses a byte of large content", caughtBy: "client-limit",
      saying: "the number of bytes"
    ) { $0.loseByte() }
    flawed(
      "loses-client-trailers", "ignores trailer fields", caughtBy: "client-trailers",
      saying: "the trailer section"
    ) { $0.receivedBytes = { $0.replacing("X-Sum: 1\r\n", by: "") } }
  }
}
