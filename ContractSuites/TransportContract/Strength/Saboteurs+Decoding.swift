import ContractTesting
import Testing
import TransportDecoding
import TransportPort

extension Flaws {
  /// Makes the transport decode by itself, below any policy.
  fileprivate mutating func decodeUnasked(_ policy: DecodingPolicy) {
    send = { base, request, body, options in
      var request = request
      let asked = request.headerFields[.acceptEncoding]
      request.headerFields[.acceptEncoding] = nil
      return try await base.decodingContent(policy).send(
        request, body: body, options: options
      )
      .answering(asked: asked)
    }
  }
}

extension HTTPExchange {
  fileprivate func answering(asked: String?) -> HTTPExchange {
    var exchange = self
    exchange.request.headerFields[.acceptEncoding] = asked
    return exchange
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var decoding: [Saboteur<TransportFixture>] {
    flawed("asks-for-gzip", "it asks for gzip alone", caughtBy: "codings", saying: "asked for") {
      $0.request = { request, _, _ in
        if request.headerFields.contains(.acceptEncoding) {
          request.headerFields[.acceptEncoding] = "gzip"
        }
      }
    }
    flawed("adds-wrapper", "it takes deflate for gzip", caughtBy: "raw-deflate") {
      $0.response = { $0.response.headerFields[.contentEncoding] = "gzip" }
    }
    flawed(
      "drops-coding", "it leaves out a coding that it doesn't know", caughtBy: "unknown-coding"
    ) {
      $0.response = { exchange in
        if exchange.response.headerFields[.contentEncoding] == "zstd" {
          exchange.response.headerFields[.contentEncoding] = nil
        }
      }
    }
    flawed(
      "takes-corrupt", "it decodes by itself and takes broken content for the end",
      caughtBy: "corrupt-coding", saying: "expected corruptEncoding, got status 200"
    ) {
      $0.decodeUnasked(DecodingPolicy())
      $0.pardons = { $0.kind == .corruptEncoding }
    }
    flawed(
      "takes-truncated", "it decodes by itself and takes half of the content for all of it",
      caughtBy: "truncated-coding", saying: "expected truncatedEncoding, got status 200"
    ) {
      $0.decodeUnasked(DecodingPolicy())
      $0.pardons = { $0.kind == .truncatedEncoding }
    }
    flawed("first-member", "it stops after the first member", caughtBy: "gzip-members") {
      $0.bytes = { bytes in
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
      "swells", "it decodes by itself without limits", caughtBy: "bomb",
      saying: "expected decompressionBomb, got status 200"
    ) { $0.decodeUnasked(DecodingPolicy(maximumBytes: nil, maximumRatio: nil)) }
    flawed(
      "decodes-unasked", "it decodes by itself", caughtBy: "raw-content", saying: "the content"
    ) {
      $0.decodeUnasked(DecodingPolicy())
    }
  }
}
