import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var values: [Saboteur<TransportFixture>] {
    flawed(
      "adds-agent", "adds a field of its own", caughtBy: "wire-form", saying: "User-Agent"
    ) { $0.request = { request, _, _ in request.headerFields["User-Agent"] = "own/1" } }
    flawed(
      "fills-path", "answers a request with a slash for its missing path",
      caughtBy: "request-parts", saying: "the answered request"
    ) { $0.request = { request, _, _ in request.path = request.path ?? "/" } }
    flawed(
      "takes-names-for-numbers", "rejects names that begin with a digit",
      caughtBy: "proxied-names", saying: "0ab"
    ) {
      $0.send = { base, request, body, options in
        if request.authority?.contains(".0ab") == true {
          throw TransportError(
            .invalidRequest(.url), phase: .preparing, bytesSent: false, detail: "a.0ab")
        }
        return try await base.send(request, body: body, options: options)
      }
    }
    flawed(
      "answers-kept", "changes the content of its responses", caughtBy: "memory-content",
      saying: "the content"
    ) { $0.receivedBytes = { $0.replacing("network", by: "nothing") } }
    flawed(
      "mixes-script", "loses a byte that arrives alone", caughtBy: "script-pieces"
    ) { $0.receivedBytes = { $0 == [0x69] ? [0x6A] : $0 } }
    flawed(
      "loses-repeated", "loses a byte of large content", caughtBy: "repeated-pieces",
      saying: "bytes are"
    ) { $0.loseByte() }
    flawed(
      "reports-303", "reports every redirect as 303", caughtBy: "script-defaults",
      saying: "the status of a redirect"
    ) { $0.response = { if $0.response.status.code == 302 { $0.response.status.code = 303 } } }
  }
}
