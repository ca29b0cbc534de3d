import ContractTesting
import Testing
import TransportDecoding
import TransportPort

extension TransportFlaws {
  /// Makes the transport decode content itself, below any policy.
  mutating func decodeUnrequested(_ policy: DecodingPolicy) {
    send = { base, request, body, options in
      var request = request
      let acceptEncoding = request.headerFields[.acceptEncoding]
      request.headerFields[.acceptEncoding] = nil
      return try await base.decodingContent(policy).send(
        request, body: body, options: options
      )
      .restoring(acceptEncoding: acceptEncoding)
    }
  }
}

extension HTTPExchange {
  /// Returns the exchange with the Accept-Encoding field that the caller sent.
  fileprivate func restoring(acceptEncoding: String?) -> HTTPExchange {
    var exchange = self
    exchange.request.headerFields[.acceptEncoding] = acceptEncoding
    return exchange
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var decoding: [Saboteur<TransportFixture>] {
    flawed("asks-for-gzip", "requests only gzip", caughtBy: "codings", saying: "Accept-Encoding") {
      $0.request = { request, _, _ in
        if request.headerFields.contains(.acceptEncoding) {
          request.headerFields[.acceptEncoding] = "gzip"
        }
      }
    }
    flawed("adds-wrapper", "decodes deflate as gzip", caughtBy: "raw-deflate") {
      $0.response = { $0.response.headerFields[.contentEncoding] = "gzip" }
    }
    flawed(
      "drops-coding", "removes an unknown coding", caughtBy: "unknown-coding"
    ) {
      $0.response = { exchange in
        if exchange.response.headerFields[.contentEncoding] == "zstd" {
          exchange.response.headerFields[.contentEncoding] = nil
        }
      }
    }
    flawed(
      "takes-corrupt", "decodes content itself and treats corrupt content as its end",
      caughtBy: "corrupt-coding", saying: "expected corruptEncoding, got status 200"
    ) {
      $0.decodeUnrequested(DecodingPolicy())
      $0.ignoresBodyError = { $0.kind == .corruptEncoding }
    }
    flawed(
      "takes-truncated", "decodes content itself and returns truncated content as complete",
      caughtBy: "truncated-coding", saying: "expected truncatedEncoding, got status 200"
    ) {
      $0.decodeUnrequested(DecodingPolicy())
      $0.ignoresBodyError = { $0.kind == .truncatedEncoding }
    }
    flawed("first-member", "stops after the first gzip member", caughtBy: "gzip-members") {
      $0.receivedBytes = { bytes in
        guard bytes.count > 150, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
          return bytes
        }
        let content = bytes[end.upperBound...]
        let head = Array(bytes[..<end.upperBound])
          .replacing("Content-Length: \(content.count)", by: "Content-Length: \(content.count / 2)")
        return head + content.prefix(content.count / 2)
      }
    }
    flawed(
      "takes-surplus", "decodes content itself, and ignores what follows it",
      caughtBy: "encoded-surplus", saying: "expected corruptEncoding, got status 200"
    ) {
      $0.decodeUnrequested(DecodingPolicy())
      $0.ignoresBodyError = { $0.detail.contains("follow") }
    }
    flawed("three-codings", "knows no list of more than three codings", caughtBy: "coding-list") {
      $0.response = { exchange in
        if exchange.response.headerFields.list(.contentEncoding).count > 3 {
          exchange.response.headerFields[.contentEncoding] = "compress"
        }
      }
    }
    flawed("seven-bits", "takes a byte that arrives alone for text", caughtBy: "split-coding") {
      $0.receivedBytes = { $0.count == 1 ? $0.map { $0 & 0x7F } : $0 }
    }
    flawed("inverts", "inverts a byte that arrives alone", caughtBy: "split-deflate") {
      $0.receivedBytes = { $0.count == 1 ? $0.map { ~$0 } : $0 }
    }
    flawed(
      "decodes-late", "returns no content before all of it has arrived", caughtBy: "decoded-early",
      saying: "idle"
    ) {
      $0.response = { exchange in
        let source = exchange.body
        exchange.body = HTTPResponseBody(
          next: { () async throws(TransportError) in
            let whole = try await source.collect(upTo: 1 << 24)
            return whole.isEmpty ? .end(trailers: [:]) : .bytes(whole)
          }, cancel: { source.cancel() })
      }
    }
    flawed(
      "bares-nothing", "removes the coding of a response without content",
      caughtBy: "coding-without-content", saying: "Content-Encoding"
    ) {
      $0.response = { exchange in
        if exchange.response.status.code == 304 {
          exchange.response.headerFields[.contentEncoding] = nil
        }
      }
    }
    flawed(
      "loses-decoded-trailers", "loses the trailer fields of encoded content",
      caughtBy: "decoded-trailers", saying: "the trailer section"
    ) { $0.receivedBytes = { $0.replacing("0\r\nX-Sum: 1\r\n\r\n", by: "0\r\n\r\n") } }
    flawed(
      "keeps-corrupt", "keeps the connection of corrupt content", caughtBy: "coding-failure",
      saying: "the connection is closed", timeLimit: .seconds(10)
    ) { $0.response = { $0.body = $0.body.withoutCancellation } }
    flawed("stingy", "decodes content itself, to less than 1 MiB", caughtBy: "decoded-size") {
      $0.decodeUnrequested(DecodingPolicy(maximumBytes: 1 << 20 - 1, maximumRatio: nil))
    }
    flawed(
      "low-ratio", "decodes content itself, to 199 times its size", caughtBy: "decoded-ratio"
    ) { $0.decodeUnrequested(DecodingPolicy(maximumRatio: 199)) }
    flawed(
      "low-overhead", "decodes content itself, with 63 bytes for each decoded one",
      caughtBy: "decoded-overhead"
    ) { $0.decodeUnrequested(DecodingPolicy(maximumOverhead: 63)) }
    flawed(
      "swells", "decodes content itself without limits", caughtBy: "bomb",
      saying: "expected decompressionBomb, got status 200"
    ) { $0.decodeUnrequested(DecodingPolicy(maximumBytes: nil, maximumRatio: nil)) }
    flawed(
      "skips-nothing", "decodes content itself, and skips what decodes to nothing",
      caughtBy: "encoded-nothing", timeLimit: .milliseconds(500)
    ) { $0.decodeUnrequested(DecodingPolicy(maximumOverhead: nil)) }
    flawed(
      "decodes-unasked", "decodes content without the policy", caughtBy: "raw-content",
      saying: "the content"
    ) {
      $0.decodeUnrequested(DecodingPolicy())
    }
  }
}
