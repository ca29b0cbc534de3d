import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var framing: [Saboteur<TransportFixture>] {
    flawed(
      "one-request-each", "it opens a connection for each request", caughtBy: "exact-length",
      saying: "number of connections"
    ) {
      $0.request = { _, _, options in options.reusesConnections = false }
    }
    flawed("no-extensions", "it knows no chunk extensions", caughtBy: "chunks") {
      $0.bytes = { $0.replacing(";a=b;", by: "?a=b;") }
    }
    flawed("wants-length", "it takes content without a length for empty", caughtBy: "until-close") {
      $0.bytes = {
        $0.replacing("HTTP/1.0 200 OK\r\n\r\n", by: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    flawed(
      "takes-short-content", "it takes content that is cut short for all of it",
      caughtBy: "truncated-length", saying: "expected truncatedBody, got status 200"
    ) {
      $0.pardons = { $0.kind == .truncatedBody }
    }
    flawed(
      "takes-truncated-chunks", "it takes chunks that are cut short for all of them",
      caughtBy: "truncated-chunk", saying: "expected truncatedBody, got status 200"
    ) {
      $0.pardons = { $0.kind == .truncatedBody }
    }
    flawed(
      "takes-missing-crlf", "it asks for no empty line at the end", caughtBy: "truncated-chunk"
    ) {
      $0.bytes = { bytes in
        bytes.suffix(5).elementsEqual("\r\n0\r\n".utf8) ? bytes + [0x0D, 0x0A] : bytes
      }
    }
    flawed("c-numbers", "it reads chunk sizes as C does", caughtBy: "bad-chunk") {
      $0.bytes = { $0.replacing("0x3\r\n", by: "3\r\n") }
    }
    flawed("skips-chunk-end", "it doesn't look at the end of a chunk", caughtBy: "bad-chunk") {
      $0.bytes = { $0.replacing("abcd\r\n", by: "abc\r\n") }
    }
    flawed("wraps-chunk-size", "it counts chunk sizes in 64 bits", caughtBy: "oversized-chunk") {
      $0.bytes = { $0.replacing("10000000000000003\r\n", by: "3\r\n") }
    }
    flawed(
      "first-length", "it goes by the first Content-Length", caughtBy: "conflicting-lengths",
      saying: "expected conflictingLength, got status 200"
    ) { $0.bytes = { $0.replacing("\r\nContent-Length: 3\r\n", by: "\r\n") } }
    flawed("one-length-line", "it refuses a second Content-Length", caughtBy: "identical-lengths") {
      $0.bytes = { $0.replacing("Content-Length: 2, 2", by: "Content-Length: 2, 2x") }
    }
    flawed(
      "number-before-letters", "it reads the digits that a length starts with",
      caughtBy: "invalid-length", saying: "expected invalidLength, got status 200"
    ) { $0.bytes = { $0.replacing("Length: 3x", by: "Length: 3") } }
    flawed("skips-unused-length", "it reads a length when it needs it", caughtBy: "unused-length") {
      $0.bytes = { $0.replacing("Content-Length: x\r\n", by: "") }
    }
    flawed("joins-framing", "it joins folded lines of any field", caughtBy: "folded-framing") {
      $0.bytes = { $0.replacing("Encoding:\r\n chunked", by: "Encoding: chunked") }
    }
    flawed("skips-identity", "it passes over identity", caughtBy: "coding-until-close") {
      $0.bytes = { $0.replacing("Transfer-Encoding: identity\r\n", by: "") }
    }
    flawed("minor-blind", "it takes HTTP/1.0 for HTTP/1.1", caughtBy: "old-chunks") {
      $0.bytes = { $0.replacing("HTTP/1.0", by: "HTTP/1.1") }
    }
    flawed("drops-surplus", "it passes over surplus bytes", caughtBy: "seen-surplus") {
      $0.bytes = { $0.replacing("\r\n\r\nX", by: "\r\n\r\n") }
    }
    flawed(
      "waits-after-bad-chunk", "it waits for more after a bad chunk", caughtBy: "bad-chunk-held",
      timeLimit: .milliseconds(500)
    ) {
      $0.bytes = { $0.replacing("0 2\r\n", by: "20\r\n") }
    }
    flawed(
      "reuses-after-both", "it uses a connection again that had both framings",
      caughtBy: "both-framings", saying: "number of connections"
    ) { $0.bytes = { $0.replacing("Content-Length: 50\r\n", by: "") } }
    flawed("next-from-surplus", "it takes surplus bytes for the next response", caughtBy: "surplus")
    {
      let isFirst = Counter()
      $0.response = { exchange in
        if isFirst.increment() == 2 { exchange.body = HTTPResponseBody(Array("evil".utf8)) }
      }
    }
    flawed("content-of-304", "it waits for the content of a 304", caughtBy: "no-content") {
      $0.bytes = { $0.replacing("HTTP/1.1 304", by: "HTTP/1.1 305") }
    }
    flawed(
      "content-of-head", "it drops the length from the response to HEAD", caughtBy: "head-length"
    ) {
      $0.response = { exchange in
        if exchange.request.method == .head { exchange.response.headerFields[.contentLength] = nil }
      }
    }
    flawed(
      "loses-trailers", "it passes over trailers", caughtBy: "trailers", saying: "the trailers"
    ) {
      $0.bytes = { $0.replacing("X-Sum: 1\r\nX-Empty:\r\nX-Sum: 2\r\n", by: "") }
    }
    flawed("merges-trailers", "it adds trailers to the head", caughtBy: "trailers", saying: "head")
    {
      $0.response = { exchange in
        if exchange.response.headerFields.contains(.transferEncoding) {
          exchange.response.headerFields["X-Sum"] = "1, 2"
        }
      }
    }
    flawed("reset-as-end", "it takes a reset for the end", caughtBy: "reset") {
      $0.pardons = { $0.kind == .connectionReset }
    }
    flawed("reset-first", "it gives up the bytes before a reset", caughtBy: "reset") {
      $0.response = { exchange in
        let source = exchange.body
        exchange.body = HTTPResponseBody(
          next: { () async throws(TransportError) in
            let whole = try await source.collect(upTo: 100)
            return .bytes(whole)
          }, cancel: { source.cancel() })
      }
    }
    flawed(
      "trusts-tls-end", "it takes content that is cut short under TLS", caughtBy: "tls-cut",
      saying: "got status 200"
    ) {
      $0.pardons = { $0.kind == .truncatedBody }
    }
    flawed(
      "trusts-any-end", "it takes the end of a TLS connection without close_notify",
      caughtBy: "no-close-notify", saying: "got status 200"
    ) {
      $0.pardons = { $0.kind == .truncatedBody }
    }
  }
}
