import ContractTesting
import Testing
import TransportPort

extension TransportFlaws {
  /// Makes the transport return the content of the surplus as the second response.
  fileprivate mutating func returnSecondAsEvil() {
    let count = Counter()
    response = { exchange in
      if count.increment() == 2 { exchange.body = HTTPResponseBody(Array("evil".utf8)) }
    }
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var framing: [Saboteur<TransportFixture>] {
    flawed(
      "one-request-each", "opens a connection for each request", caughtBy: "exact-length",
      saying: "number of connections"
    ) {
      $0.request = { _, _, options in options.reusesConnections = false }
    }
    flawed("no-extensions", "rejects chunk extensions", caughtBy: "chunks") {
      $0.receivedBytes = { $0.replacing(";a=b;", by: "?a=b;") }
    }
    flawed("wants-length", "treats content without a length as empty", caughtBy: "until-close") {
      $0.receivedBytes = {
        $0.replacing("HTTP/1.0 200 OK\r\n\r\n", by: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    flawed(
      "takes-short-content", "returns content shorter than its length as complete",
      caughtBy: "truncated-length", saying: "expected truncatedBody, got status 200"
    ) {
      $0.ignoresBodyError = { $0.kind == .truncatedBody }
    }
    flawed(
      "takes-truncated-chunks", "returns truncated chunks as complete content",
      caughtBy: "truncated-chunk", saying: "expected truncatedBody, got status 200"
    ) {
      $0.ignoresBodyError = { $0.kind == .truncatedBody }
    }
    flawed(
      "takes-missing-crlf", "does not require the empty line after the last chunk",
      caughtBy: "truncated-chunk"
    ) {
      $0.receivedBytes = { bytes in
        bytes.suffix(5).elementsEqual("\r\n0\r\n".utf8) ? bytes + [0x0D, 0x0A] : bytes
      }
    }
    flawed("c-numbers", "accepts the prefix 0x in chunk sizes", caughtBy: "bad-chunk") {
      $0.receivedBytes = { $0.replacing("0x3\r\n", by: "3\r\n") }
    }
    flawed("skips-chunk-end", "does not check the end of a chunk", caughtBy: "bad-chunk") {
      $0.receivedBytes = { $0.replacing("abcd\r\n", by: "abc\r\n") }
    }
    flawed("wraps-chunk-size", "wraps chunk sizes to 64 bits", caughtBy: "oversized-chunk") {
      $0.receivedBytes = { $0.replacing("10000000000000003\r\n", by: "3\r\n") }
    }
    flawed(
      "first-length", "uses the first of two Content-Length fields",
      caughtBy: "conflicting-lengths",
      saying: "expected conflictingLength, got status 200"
    ) { $0.receivedBytes = { $0.replacing("\r\nContent-Length: 3\r\n", by: "\r\n") } }
    flawed("one-length-line", "rejects a repeated Content-Length", caughtBy: "identical-lengths") {
      $0.receivedBytes = { $0.replacing("Content-Length: 2, 2", by: "Content-Length: 2, 2x") }
    }
    flawed(
      "number-before-letters", "ignores letters after the digits of a length",
      caughtBy: "invalid-length", saying: "expected invalidLength, got status 200"
    ) { $0.receivedBytes = { $0.replacing("Length: 3x", by: "Length: 3") } }
    flawed(
      "skips-unused-length", "does not check a length that the framing ignores",
      caughtBy: "unused-length"
    ) {
      $0.receivedBytes = { $0.replacing("Content-Length: x\r\n", by: "") }
    }
    flawed("joins-framing", "accepts folded framing fields", caughtBy: "folded-framing") {
      $0.receivedBytes = { $0.replacing("Encoding:\r\n chunked", by: "Encoding: chunked") }
    }
    flawed("skips-identity", "ignores the transfer coding identity", caughtBy: "coding-until-close")
    {
      $0.receivedBytes = { $0.replacing("Transfer-Encoding: identity\r\n", by: "") }
    }
    flawed("minor-blind", "treats HTTP/1.0 as HTTP/1.1", caughtBy: "old-chunks") {
      $0.receivedBytes = { $0.replacing("HTTP/1.0", by: "HTTP/1.1") }
    }
    flawed("drops-surplus", "discards bytes after the content", caughtBy: "seen-surplus") {
      $0.receivedBytes = { $0.replacing("\r\n\r\nX", by: "\r\n\r\n") }
    }
    flawed(
      "waits-after-bad-chunk", "waits for more bytes after an invalid chunk",
      caughtBy: "bad-chunk-held",
      timeLimit: .milliseconds(500)
    ) {
      $0.receivedBytes = { $0.replacing("0 2\r\n", by: "20\r\n") }
    }
    flawed(
      "reuses-after-both", "reuses a connection after a response with both framings",
      caughtBy: "both-framings", saying: "number of connections"
    ) { $0.receivedBytes = { $0.replacing("Content-Length: 50\r\n", by: "") } }
    flawed(
      "next-from-surplus", "returns bytes after the content as the next response",
      caughtBy: "surplus"
    ) { $0.returnSecondAsEvil() }
    flawed(
      "next-from-late-surplus", "returns a late response as the next one",
      caughtBy: "late-surplus", saying: "the next content"
    ) { $0.returnSecondAsEvil() }
    flawed(
      "next-from-late-tls-surplus", "returns a late response over TLS as the next one",
      caughtBy: "late-surplus-tls", saying: "the next content"
    ) { $0.returnSecondAsEvil() }
    flawed(
      "discards-late-surplus", "discards a late response and reuses the connection",
      caughtBy: "late-surplus", saying: "number of connections"
    ) {
      $0.receivedBytes = { $0.suffix(4).elementsEqual("evil".utf8) ? [] : $0 }
    }
    flawed(
      "any-extensions", "ignores chunk extensions of any size", caughtBy: "endless-extensions",
      timeLimit: .milliseconds(500)
    ) {
      $0.plan = { plan in
        plan.mapScripts { script in
          OriginScript(
            script.steps.map { step in
              guard case .sendRepeatedly(_, let count) = step else { return step }
              return .sendRepeatedly(Array("1\r\na\r\n".utf8), count: count)
            })
        }
      }
    }
    flawed(
      "content-of-304", "waits for the content of a 304 response", caughtBy: "no-content",
      timeLimit: .milliseconds(500)
    ) {
      $0.receivedBytes = { $0.replacing("HTTP/1.1 304", by: "HTTP/1.1 305") }
    }
    flawed(
      "content-of-head", "drops Content-Length from a response to HEAD", caughtBy: "head-length"
    ) {
      $0.response = { exchange in
        if exchange.request.method == .head { exchange.response.headerFields[.contentLength] = nil }
      }
    }
    flawed(
      "loses-trailers", "ignores trailer fields", caughtBy: "trailers",
      saying: "the trailer section"
    ) {
      $0.receivedBytes = { $0.replacing("X-Sum: 1\r\nX-Empty:\r\nX-Sum: 2\r\n", by: "") }
    }
    flawed(
      "merges-trailers", "adds trailer fields to the head", caughtBy: "trailers", saying: "head"
    ) {
      $0.response = { exchange in
        if exchange.response.headerFields.contains(.transferEncoding) {
          exchange.response.headerFields["X-Sum"] = "1, 2"
        }
      }
    }
    flawed(
      "cuts-trailers", "cuts trailer fields at 4,096 bytes", caughtBy: "long-trailers",
      saying: "the size of the trailer field"
    ) {
      $0.receivedBytes = {
        $0.replacing(String(repeating: "x", count: 10_000), by: String(repeating: "x", count: 4096))
      }
    }
    flawed("reset-as-end", "treats a reset as the end of the content", caughtBy: "reset") {
      $0.ignoresBodyError = { $0.kind == .connectionReset }
    }
    flawed(
      "reset-first", "discards the bytes before a reset", caughtBy: "reset",
      timeLimit: .milliseconds(500)
    ) {
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
      "trusts-tls-end", "accepts truncated content over TLS", caughtBy: "tls-cut",
      saying: "got status 200"
    ) {
      $0.ignoresBodyError = { $0.kind == .truncatedBody }
    }
    flawed(
      "trusts-any-end", "accepts the end of a TLS connection without close_notify",
      caughtBy: "no-close-notify", saying: "got status 200"
    ) {
      $0.ignoresBodyError = { $0.kind == .truncatedBody }
    }
  }
}
