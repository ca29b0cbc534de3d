import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var boundaries: [Saboteur<TransportFixture>] {
    flawed("escapes-root", "keeps dot segments above the root", caughtBy: "redirect-reference") {
      $0.response = { exchange in
        if exchange.response.headerFields[.location] == "../../../g" {
          exchange.response.headerFields[.location] = "/../g/"
        }
      }
    }
    flawed(
      "drops-after-redirect", "uses each connection once", caughtBy: "redirect-reuse",
      saying: "the number of connections"
    ) { $0.request = { _, _, options in options.reusesConnections = false } }
    flawed(
      "ends-chain", "returns the tenth redirect of a chain", caughtBy: "redirect-default-limit"
    ) {
      $0.response = { exchange in
        if exchange.response.headerFields[.location] == "/9" { exchange.response.status.code = 200 }
      }
    }
    flawed("ends-loop", "returns a redirect with userinfo", caughtBy: "redirect-userinfo") {
      $0.response = { exchange in
        if exchange.response.headerFields[.location]?.contains("u@") == true {
          exchange.response.status.code = 200
        }
      }
    }
    flawed(
      "retries-itself", "retries a failed request itself", caughtBy: "retry-attempts",
      saying: "attempts"
    ) { $0.send = { try await $0.retryingWhenSafe().send($1, body: $2, options: $3) } }
    flawed("two-at-least", "opens two connections where one is allowed", caughtBy: "least-limits") {
      $0.changeLimits { limits in
        limits.perOrigin = max(2, limits.perOrigin)
        limits.total = max(2, limits.total)
      }
    }
    flawed("narrow-head", "accepts one byte less in a head", caughtBy: "exact-head-limits") {
      $0.request = { _, _, options in options.headLimits.bytes -= 1 }
    }
    flawed("sixteen-digits", "adds a digit to a chunk size", caughtBy: "exact-chunk-limits") {
      $0.receivedBytes = { $0.replacing("\r\n000000000000001\r\n", by: "\r\n0000000000000001\r\n") }
    }
    flawed("mixes-pieces", "changes a byte that arrives alone", caughtBy: "split-response") {
      $0.receivedBytes = { $0 == [0x62] ? [0x63] : $0 }
    }
    flawed("larger-request", "adds a field to a request", caughtBy: "exact-request-size") {
      $0.request = { request, _, _ in
        if request.headerFields.contains(where: { $0.bytes.count > 1000 }) {
          request.headerFields.append(HTTPField(name: "X-Late", value: ""))
        }
      }
    }
    flawed("status-299", "returns 299 as 200", caughtBy: "status-range", saying: "the status") {
      $0.response = { if $0.response.status.code == 299 { $0.response.status.code = 200 } }
    }
    flawed("forgets-old", "uses each connection once", caughtBy: "old-keep-alive") {
      $0.request = { _, _, options in options.reusesConnections = false }
    }
    flawed("loses-piece", "loses a byte of large content", caughtBy: "unread-pieces") {
      $0.loseByte()
    }
    flawed("changes-chunk", "changes a byte of a chunk", caughtBy: "collect-limit") {
      $0.receivedBytes = { $0 == [0x66] ? [0x67] : $0 }
    }
    flawed("drops-query", "drops the query of a URL without a path", caughtBy: "request-forms") {
      $0.request = { request, _, _ in if request.path == "?q" { request.path = "/" } }
    }
    flawed("any-length", "sends content of any length", caughtBy: "producer-promises") {
      $0.request = { _, body, _ in if body.bytes == nil { body = .none } }
    }
  }
}
