import ContractTesting
import Testing
import TransportPort

extension HTTPRequestBody {
  /// Returns the content without trailers, which ends normally if its producer throws.
  fileprivate func ignoringErrors() throws -> HTTPRequestBody {
    let reader = try makeReader()
    return .stream(Chunks { _ in try? await reader.next() })
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var upload: [Saboteur<TransportFixture>] {
    flawed("length-on-get", "sends Content-Length with every method", caughtBy: "no-content-length")
    {
      $0.request = { request, body, _ in
        if body.isNone { request.headerFields[.contentLength] = "0" }
      }
    }
    flawed(
      "collects-streams", "collects a stream to send its length", caughtBy: "content-framing",
      saying: "of a stream"
    ) { $0.collectContent() }
    flawed(
      "forgets-empty-streams", "treats an empty stream as no content", caughtBy: "empty-chunked"
    ) {
      $0.send = { base, request, body, options in
        let whole = try await body.collected()
        return try await base.send(
          request, body: whole.isEmpty ? .none : .bytes(whole), options: options)
      }
    }
    flawed("loses-a-byte", "loses a byte at the end of a buffer", caughtBy: "echo") {
      $0.loseByte()
    }
    flawed(
      "reads-ahead", "reads all content before it sends any", caughtBy: "upload-backpressure",
      saying: "while the peer read none"
    ) {
      $0.send = { base, request, body, options in
        let whole = Task { try await body.collected() }
        _ = Task { _ = try? await base.send(request, body: .none, options: options) }
        return try await base.send(request, body: .bytes(try await whole.value), options: options)
      }
    }
    flawed("holds-all", "buffers all content", caughtBy: "long-upload", saying: "buffered") {
      $0.collectContent()
    }
    flawed(
      "ends-on-failure", "treats the producer's error as the end of the content",
      caughtBy: "producer-fails",
      saying: "expected bodyProducerFailed, got status 200"
    ) {
      $0.send = { base, request, body, options in
        try await base.send(request, body: body.ignoringErrors(), options: options)
      }
    }
    flawed(
      "completes-cancelled", "completes the content of a cancelled request",
      caughtBy: "producer-ends-cancelled", saying: "marks the end"
    ) {
      $0.sentRequest = { seen in
        var seen = seen
        seen.trailers = seen.trailers ?? [:]
        return seen
      }
    }
    flawed(
      "half-duplex", "reads no response before all content is sent", caughtBy: "interleaving",
      timeLimit: .milliseconds(500)
    ) { $0.collectContent() }
    flawed(
      "full-duplex", "returns the response while it sends",
      caughtBy: "lacks-bidirectional-streaming", saying: "before the content was complete"
    ) { _ in }
    flawed(
      "sends-to-the-end", "reads the response only after all content",
      caughtBy: "early-response", timeLimit: .milliseconds(500)
    ) { $0.collectContent() }
    flawed(
      "ignores-expect", "sends content without waiting for 100 Continue",
      caughtBy: "expect-continue",
      saying: "after 417"
    ) { $0.request = { request, _, _ in request.headerFields[.expect] = nil } }
    flawed(
      "waits-for-ever", "waits for 100 Continue without a timeout", caughtBy: "expect-continue",
      timeLimit: .milliseconds(500)
    ) { $0.request = { _, _, options in options.continueTimeout = .seconds(3600) } }
    flawed(
      "sends-before-reset", "reports every reset as one after the request",
      caughtBy: "reset-before-content", saying: "the phase of connectionReset"
    ) {
      $0.error = { error in
        var error = error
        if error.kind == .connectionReset { error.phase = .awaitingHead }
        return error
      }
    }
    flawed("no-request-trailers", "sends no trailer fields", caughtBy: "request-trailers") {
      $0.send = { base, request, body, options in
        try await base.send(request, body: body.ignoringErrors(), options: options)
      }
    }
    flawed(
      "tries-without-expect", "sends the request again after 417", caughtBy: "expectation-failed"
    ) {
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
        "drops-\(clause)", "drops the content of \(status)", caughtBy: clause,
        saying: "the content of \(status)"
      ) {
        $0.response = { if $0.response.status.code == status { $0.body = HTTPResponseBody([]) } }
      }
    }
    flawed(
      "waits-for-100", "waits for 100 Continue without a timeout",
      caughtBy: "continue-after-interim", timeLimit: .milliseconds(800)
    ) {
      $0.request = { _, _, options in options.continueTimeout = .seconds(60) }
    }
    flawed(
      "blind-producer", "does not notice a closed connection before all content is sent",
      caughtBy: "cut-upload",
      timeLimit: .milliseconds(500)
    ) {
      $0.wait(afterFailure: .emptyReply)
    }
  }
}
