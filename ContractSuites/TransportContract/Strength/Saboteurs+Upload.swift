import ContractTesting
import Testing
import TransportPort

extension HTTPRequestBody {
  /// All of the content; the reading is over with it.
  fileprivate func collected() async throws -> [UInt8] {
    let reader = try makeReader()
    var whole: [UInt8] = []
    while let chunk = try await reader.next() { whole += chunk }
    return whole
  }

  /// The content without trailers, where a failure of its producer is the end.
  fileprivate func forgiving() throws -> HTTPRequestBody {
    let reader = try makeReader()
    return .stream(Chunks { _ in try? await reader.next() })
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var upload: [Saboteur<TransportFixture>] {
    flawed("length-on-get", "it sends a length with every method", caughtBy: "no-content-length") {
      $0.request = { request, body, _ in
        if body.isNone { request.headerFields[.contentLength] = "0" }
      }
    }
    flawed(
      "collects-streams", "it collects a stream to send its length", caughtBy: "content-framing",
      saying: "of a stream"
    ) {
      $0.send = { base, request, body, options in
        let whole = HTTPRequestBody.bytes(try await body.collected())
        return try await base.send(request, body: whole, options: options)
      }
    }
    flawed("forgets-empty-streams", "it takes an empty stream for none", caughtBy: "empty-chunked")
    {
      $0.send = { base, request, body, options in
        let whole = try await body.collected()
        return try await base.send(
          request, body: whole.isEmpty ? .none : .bytes(whole), options: options)
      }
    }
    flawed("loses-a-byte", "it loses a byte where a buffer ends", caughtBy: "echo") {
      $0.loseByte()
    }
    flawed(
      "reads-ahead", "it collects the content before it sends", caughtBy: "upload-backpressure",
      saying: "while the peer read none"
    ) {
      $0.send = { base, request, body, options in
        let whole = Task { try await body.collected() }
        _ = Task { _ = try? await base.send(request, body: .none, options: options) }
        return try await base.send(request, body: .bytes(try await whole.value), options: options)
      }
    }
    flawed("holds-all", "it holds all of the content", caughtBy: "long-upload", saying: "held") {
      $0.send = { base, request, body, options in
        let whole = HTTPRequestBody.bytes(try await body.collected())
        return try await base.send(request, body: whole, options: options)
      }
    }
    flawed(
      "ends-on-failure", "it takes the producer's failure for the end", caughtBy: "producer-fails",
      saying: "expected bodyProducerFailed, got status 200"
    ) {
      $0.send = { base, request, body, options in
        try await base.send(request, body: body.forgiving(), options: options)
      }
    }
    flawed(
      "half-duplex", "it reads no response before the content was sent", caughtBy: "interleaving",
      timeLimit: .milliseconds(500)
    ) {
      $0.send = { base, request, body, options in
        let whole = HTTPRequestBody.bytes(try await body.collected())
        return try await base.send(request, body: whole, options: options)
      }
    }
    flawed(
      "full-duplex", "it reads the response while it sends",
      caughtBy: "lacks-bidirectional-streaming", saying: "before the content was made"
    ) { _ in }
    flawed(
      "sends-to-the-end", "it sends all content before it looks for a response",
      caughtBy: "early-response", timeLimit: .milliseconds(500)
    ) {
      $0.send = { base, request, body, options in
        let whole = HTTPRequestBody.bytes(try await body.collected())
        return try await base.send(request, body: whole, options: options)
      }
    }
    flawed(
      "ignores-expect", "it sends content without waiting", caughtBy: "expect-continue",
      saying: "after a refusal"
    ) { $0.request = { request, _, _ in request.headerFields[.expect] = nil } }
    flawed(
      "waits-for-ever", "it waits for 100 Continue without end", caughtBy: "expect-continue",
      timeLimit: .milliseconds(500)
    ) { $0.request = { _, _, options in options.continueTimeout = .seconds(3600) } }
    flawed("no-request-trailers", "it sends no trailers", caughtBy: "request-trailers") {
      $0.send = { base, request, body, options in
        try await base.send(request, body: body.forgiving(), options: options)
      }
    }
    flawed("tries-without-expect", "it sends again after 417", caughtBy: "expectation-failed") {
      $0.send = { base, request, body, options in
        let exchange = try await base.send(request, body: body, options: options)
        guard exchange.response.status.code == 417 else { return exchange }
        var again = request
        again.headerFields[.expect] = nil
        return try await base.send(again, body: body, options: options)
      }
    }
    for (clause, status) in [("refusal-content", 401), ("expectation-content", 417)] {
      flawed(
        "drops-\(clause)", "it drops what \(status) says", caughtBy: clause,
        saying: "the content of \(status)"
      ) {
        $0.response = { if $0.response.status.code == status { $0.body = HTTPResponseBody([]) } }
      }
    }
    flawed(
      "waits-for-100", "it waits for 100 for ever", caughtBy: "continue-after-interim"
    ) {
      $0.request = { _, _, options in options.continueTimeout = .seconds(60) }
    }
    flawed(
      "blind-producer", "it looks for a response when all was sent", caughtBy: "cut-upload",
      timeLimit: .milliseconds(500)
    ) {
      $0.wait(afterFailure: .emptyReply)
    }
  }
}
