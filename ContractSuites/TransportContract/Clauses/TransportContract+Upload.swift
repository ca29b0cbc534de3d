import ContractTesting
import SystemLocks
import Testing
import TransportPort

/// Creates content in chunks of 64 KiB.
///
/// - Parameters:
///   - count: The size of the content in bytes.
///   - onRequest: Called with the offset of each chunk when the transport asks for it.
private func content(
  of count: Int, onRequest: @escaping @Sendable (_ offset: Int) -> Void
) -> Chunks {
  let size = 65_536
  return Chunks { index in
    let left = count - index * size
    guard left > 0 else { return nil }
    onRequest(index * size)
    return [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: min(size, left))
  }
}

private struct ProducerFailure: Error {}

extension TransportFixture {
  /// Checks that the content of an error response is returned if it precedes the request's content.
  fileprivate func expectContent(
    ofErrorResponse status: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var options = TransportOptions()
    options.continueTimeout = .seconds(60)
    let fields: HTTPFields = [.expect: "100-continue"]
    for (start, rest) in [
      ("Content-Length: 3\r\n\r\nw", "hyX"),
      ("Transfer-Encoding: chunked\r\n\r\n1\r\nw\r\n", "2\r\nhy\r\n0\r\n\r\nX"),
    ] {
      let head = "HTTP/1.1 \(status) No\r\n\(start)"
      let scripts: [OriginScript] = [
        [.send(head + rest)], [.send(head), .pause(.milliseconds(10)), .send(rest)],
      ]
      for script in scripts {
        let answer = try await world(script).answer(
          .post, "/", fields, body: .text("hello"), options: options)
        checkEqual(answer.status, status, "the status", sourceLocation: sourceLocation)
        checkEqual(
          answer.text, "why", "the content of \(status)", sourceLocation: sourceLocation)
      }
      let cut = try await world([.send(head), .close])
      await cut.expectFailure(
        .truncatedBody, of: .post, "/", fields, body: .text("hello"), options: options,
        sourceLocation: sourceLocation)
    }
  }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var upload: [Clause<TransportFixture>] {
    Clause(
      "no-content-length",
      "without content, POST, PUT and PATCH have Content-Length 0 and other methods none",
      from: "RFC 9110 §8.6"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for method in [HTTPRequest.Method.get, .head, .delete, .options, .post, .put, .patch] {
        let seen = try await world.arrival(of: method)
        let expected = [.post, .put, .patch].contains(method) ? ["0"] : []
        checkEqual(seen.fields[values: .contentLength], expected, "Content-Length of \(method)")
        checkEqual(seen.fields[values: .transferEncoding], [], "Transfer-Encoding of \(method)")
      }
    }
    Clause(
      "content-framing",
      "content of known length has a Content-Length, and other content is chunked",
      from: "RFC 9112 §6.2 and §7.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for body in [HTTPRequestBody.text("hello"), .stream(Chunks("hel", "lo"), length: 5)] {
        let known = try await world.arrival(of: .put, body: body)
        checkEqual(known.fields[values: .contentLength], ["5"], "Content-Length")
        checkEqual(known.fields[values: .transferEncoding], [], "Transfer-Encoding")
        checkText(known.body, "hello", "the content")
      }
      let unknown = try await world.arrival(of: .put, body: .stream(Chunks("hel", "", "lo")))
      checkEqual(unknown.fields[values: .contentLength], [], "Content-Length of a stream")
      checkEqual(unknown.fields[values: .transferEncoding], ["chunked"], "Transfer-Encoding")
      checkText(unknown.body, "hello", "the content")
    }
    Clause(
      "empty-chunked", "an empty stream is sent as the last chunk only", from: "RFC 9112 §7.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let seen = try await world.arrival(of: .post, body: .stream(Chunks()))
      checkEqual(seen.fields[values: .transferEncoding], ["chunked"], "Transfer-Encoding")
      checkEqual(seen.bodyCount, 0, "the number of content bytes")
      checkEqual(seen.trailers, [:], "the trailer section")
    }
    Clause("echo", "1 MB is sent and received unchanged", from: "RFC 9110 §6.4") { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .echoBody,
        .send("0\r\n\r\n"),
      ])
      let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
      let answer = try await world.answer(.put, body: .bytes(content))
      check(
        answer.content == content,
        "the \(answer.content.count) received bytes differ from the 1,000,000 sent")
    }
    Clause(
      "upload-backpressure",
      "the transport reads little content from the caller while the peer reads none",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world([.stall])
      let requested = Counter()
      let body = content(of: 40 << 20) { _ in requested.increment(by: 65_536) }
      let task = Task { try await world.send(.put, body: .stream(body)) }
      // A transport that has read everything may send it in another request, before this is looked at.
      try await world.expect("the request arrives") { $0.requests >= 1 }
      // On a busy machine reading is slow, so it is observed until nothing is read for 100 ms and
      // while others run.
      var isOverrun = false
      var last = -1
      while !isOverrun, requested.value != last {
        last = requested.value
        isOverrun = try await happens(within: .milliseconds(100)) { requested.value > 32 << 20 }
        try await fixture.passTime()
      }
      check(
        !isOverrun, "\(requested.value) bytes were read from the caller while the peer read none")
      task.cancel()
      _ = try? await task.value
    }
    Clause(
      "long-upload", "an upload of 50 MB arrives completely, with at most 32 MiB buffered",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.respond())
      let ahead = Mutex(0)
      let body = content(of: 50_000_000) { made in
        let read = world.log.counts.bodyBytes
        ahead.withLock { $0 = max($0, made - read) }
      }
      for length in [50_000_000, nil] {
        try await world.answer(.put, body: .stream(body, length: length))
        checkEqual(world.log.requests.last?.bodyCount, 50_000_000, "the number of content bytes")
      }
      let most = ahead.withLock { $0 }
      check(most <= 32 << 20, "\(most) bytes were buffered")
    }
    Clause(
      "producer-fails",
      "an error of the content's producer fails the request and closes its connection",
      from: "this project", requires: .connections
    ) { fixture in
      for length in [10, nil] {
        let world = try await fixture.world(.respond())
        let chunks = Chunks { index in
          guard index == 2 else { return [1, 2, 3] }
          // Throw only after a connection exists that can be closed.
          try await world.expect("a connection is opened") { $0.connections == 1 }
          throw ProducerFailure()
        }
        let error = await world.expectFailure(
          .bodyProducerFailed, of: .post, body: .stream(chunks, length: length))
        guard let error else { return }
        check(
          error.underlying is ProducerFailure, "the error does not contain the producer's error")
        checkEqual(error.phase, .sending, "the phase")
        checkEqual(error.bytesSent, true, "whether bytes were sent")
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
        checkEqual(
          world.log.requests.first?.trailers, nil,
          "the trailer section, which marks the end of the content,")
      }
      let world = try await fixture.world(.respond())
      await world.expectFailure(
        .bodyProducerFailed, of: .post, body: .stream(Chunks { _ in throw CancellationError() }))
    }
    Clause(
      "producer-ends-cancelled",
      "content that ends because its request was cancelled is not sent as complete",
      from: "RFC 9112 §8", requires: .connections
    ) { fixture in
      for length in [10, nil] {
        let world = try await fixture.world(.respond())
        let chunks = Chunks { index in
          // Like AsyncStream, it ends when it is cancelled.
          if index > 0 { try? await waitForCancellation() }
          return index > 0 ? nil : [1]
        }
        let task = Task {
          await world.expectFailure(
            .cancelled, of: .post, body: .stream(chunks, length: length))
        }
        try await world.expect("the content begins") { $0.bodyBytes == 1 }
        task.cancel()
        _ = await task.value
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
        checkEqual(
          world.log.requests.first?.trailers, nil,
          "the trailer section, which marks the end of the content,")
      }
    }
    Clause(
      "interleaving", "the response can be read while the request is still being sent",
      from: "RFC 9110 §7.5", requires: .bidirectionalStreaming
    ) { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .echoBody,
        .send("0\r\n\r\n"),
      ])
      let (turns, next) = AsyncStream<Void>.makeStream()
      let texts = ["ping", "pong", "pang"]
      let chunks = Chunks { index in
        if index > 0 { for await _ in turns { break } }
        return index < texts.count ? Array(texts[index].utf8) : nil
      }
      let exchange = try await world.send(.post, body: .stream(chunks))
      var seen: [String] = []
      for try await piece in exchange.body {
        seen.append(String(decoding: piece, as: UTF8.self))
        next.yield()
      }
      checkEqual(seen, texts, "the list of received pieces")
    }
    Absence(
      of: .bidirectionalStreaming,
      "the response is not returned before the request's content is complete",
      from: "RFC 9110 §7.5"
    ) { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .echoBody,
        .send("0\r\n\r\n"),
      ])
      let heads = Counter()
      let early = Counter()
      let chunks = Chunks { index in
        if index == 1, try await happens(within: .milliseconds(300), { heads.value > 0 }) {
          early.increment()
        }
        return index < 2 ? [0x61] : nil
      }
      let exchange = try await world.send(.post, body: .stream(chunks))
      heads.increment()
      checkEqual(try await exchange.body.collect(upTo: 9), [0x61, 0x61], "the content")
      checkEqual(early.value, 0, "the number of heads before the content was complete")
    }
    Clause(
      "early-response", "a final response can precede the end of the request's content",
      from: "RFC 9112 §9.3, RFC 9110 §7.5", requires: .connections
    ) { fixture in
      for (text, content, step) in [
        ("413 No\r\nContent-Length: 0\r\n\r\n", "", ScriptStep.close),
        ("413 No\r\nContent-Length: 0\r\n\r\n", "", .stall),
        ("413 No\r\nContent-Length: 2\r\n\r\nno", "no", .stall),
        ("413 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", "no", .stall),
        ("204 No\r\n\r\n", "", .stall), ("413 No\r\n\r\nno", "no", .close),
      ] {
        for length in [5, nil] {
          let world = try await fixture.world(
            [.readBodyBytes(1), .send("HTTP/1.1 \(text)"), step])
          let chunks = Chunks { index in
            if index > 0 { try await waitForCancellation() }
            return [1]
          }
          let answer = try await world.answer(.post, body: .stream(chunks, length: length))
          checkEqual("\(answer.status)", String(text.prefix(3)), "the status")
          checkEqual(answer.text, content, "the content of \(describe(text))")
          checkEqual(world.log.counts.bodyBytes, 1, "the number of bytes read before the response")
        }
      }
    }
    Clause(
      "upload-after-error", "the content goes on after an error status",
      from: "RFC 9110 §7.5", requires: .bidirectionalStreaming
    ) { fixture in
      for status in [303, 413, 500] {
        try await fixture.world(.readingUpload(after: status)).expectUpload(after: status)
      }
      // Before any content.
      let early = try await fixture.world(.readingUpload(after: 413, from: 0))
      try await early.expectUpload(after: 413, from: 0)
      // After 100 Continue, and after the time in which it did not come.
      let fields: HTTPFields = [.expect: "100-continue"]
      let continued = try await fixture.world(
        [.send("HTTP/1.1 100 Continue\r\n\r\n")] + .readingUpload(after: 403, from: 0))
      try await continued.expectUpload(after: 403, fields, from: 0)
      var options = TransportOptions()
      options.continueTimeout = .milliseconds(50)
      let silent = try await fixture.world(.readingUpload(after: 403))
      try await silent.expectUpload(after: 403, fields, options: options)
    }
    Clause(
      "expect-continue", "the content waits for 100 Continue until the timeout",
      from: "RFC 9110 §10.1.1", requires: .connections
    ) { fixture in
      let fields: HTTPFields = [.expect: "100-continue"]
      var options = TransportOptions()
      checkEqual(options.continueTimeout, .seconds(1), "the default timeout")
      options.continueTimeout = .seconds(60)
      let continued = try await fixture.world(
        [.send("HTTP/1.1 100 Continue\r\n\r\n")] + .respond(text: "done"))
      let answer = try await continued.answer(
        .post, "/", fields, body: .text("hello"), options: options)
      checkEqual(answer.text, "done", "the content after 100")
      checkEqual(
        continued.log.requests.first?.bodyCount, 5, "the number of content bytes after 100")
      // Without content there is nothing to wait with.
      for body in [HTTPRequestBody.none, .bytes([])] {
        let empty = try await fixture.world([.readBody] + .respond(text: "done"))
        let answer = try await empty.answer(.post, "/", fields, body: body, options: options)
        checkEqual(answer.text, "done", "the content after no content")
      }
      let rejecting = try await fixture.world(
        [
          .send("HTTP/1.1 417 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
          .readBodyBytes(5),
        ])
      let rejection = try await rejecting.answer(
        .post, "/", fields, body: .text("hello"), options: options)
      checkEqual(rejection.status, 417, "the status")
      try await rejecting.expect("the connection is closed") { $0.closedByClient == 1 }
      checkEqual(rejecting.log.counts.bodyBytes, 0, "the number of content bytes after 417")
      let refusing = try await fixture.world(
        [
          .send("HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\n"), .pause(.milliseconds(50)),
          .send("late"), .readBodyBytes(5),
        ])
      let refusal = try await refusing.answer(
        .post, "/", fields, body: .text("hello"), options: options)
      checkEqual(refusal.text, "late", "the content of a refusal")
      checkEqual(refusing.log.counts.bodyBytes, 0, "the number of content bytes after 403")
      options.continueTimeout = .milliseconds(50)
      let start = ContinuousClock.now
      let silent = try await fixture.world(.respond(text: "done"))
      let late = try await silent.answer(
        .post, "/", fields, body: .text("hello"), options: options)
      checkEqual(late.text, "done", "the content after the timeout")
      // Less than the timeout, because a transport may count in whole milliseconds.
      let waited = start.duration(to: .now)
      check(waited >= .milliseconds(45), "the content was sent \(waited) after the head")
      checkEqual(
        silent.log.requests.first?.bodyCount, 5, "the number of content bytes after the timeout")
      checkEqual(silent.log.requests.first?.fields[.expect], "100-continue", "Expect")
    }
    Clause(
      "expectation-failed", "417 is returned, and the request is not sent again",
      from: "RFC 9110 §10.1.1"
    ) { fixture in
      let fields: HTTPFields = [.expect: "100-continue"]
      var options = TransportOptions()
      options.continueTimeout = .seconds(60)
      for method in [HTTPRequest.Method.post, .put] {
        let world = try await fixture.world(
          [.send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")], .respond(text: "again"))
        let answer = try await world.answer(
          method, "/", fields, body: .text("hello"), options: options)
        checkEqual(answer.status, 417, "the status of \(method)")
        checkEqual(answer.text, "", "the content")
        checkEqual(world.log.requests.count, 1, "the number of requests")
      }
    }
    Clause(
      "refusal-content",
      "the content of an error response that precedes the request's content is returned",
      from: "RFC 9110 §10.1.1 and §15.5"
    ) { fixture in
      for status in [401, 403, 413] { try await fixture.expectContent(ofErrorResponse: status) }
    }
    Clause(
      "expectation-content", "the content of a 417 response is returned", from: "RFC 9110 §15.5.18"
    ) { fixture in
      try await fixture.expectContent(ofErrorResponse: 417)
    }
    Clause(
      "continue-after-interim", "an interim response other than 100 does not extend the timeout",
      from: "RFC 9110 §10.1.1 and §15.2"
    ) { fixture in
      var options = TransportOptions()
      options.continueTimeout = .milliseconds(200)
      let taken = try await shortest(of: 1...5, under: .seconds(2)) {
        // The 103 arrives 50 ms into the timeout of 200 ms, so extending it would show.
        let world = try await fixture.world(
          [.pause(.milliseconds(50)), .send("HTTP/1.1 103 Early\r\n\r\n")]
            + .respond(text: "done"))
        // The timeout passes once, however many chunks follow.
        let body = HTTPRequestBody.stream(Chunks { $0 < 12 ? [0x61] : nil })
        let start = ContinuousClock.now
        let answer = try await world.through { $0.enforcing(Deadlines(overall: .seconds(20))) }
          .answer(.put, "/", [.expect: "100-continue"], body: body, options: options)
        checkEqual(answer.text, "done", "the content")
        checkEqual(world.log.requests.first?.bodyCount, 12, "the number of content bytes")
        return ContinuousClock.now - start
      }
      check(taken < .seconds(2), "a timeout of 200 ms took \(taken)")
    }
    Clause(
      "cut-upload", "the end of the connection fails the request while its content is incomplete",
      from: "RFC 9112 §9.5", requires: .connections
    ) { fixture in
      let line = "HTTP/1.1 200 OK\r\n"
      for (text, kind) in [
        ("", TransportError.Kind.emptyReply), (line, .truncatedHead),
        (line + "Content-Length: 3\r\n\r\nhi", .truncatedBody),
      ] {
        let world = try await fixture.world([.readBodyBytes(1), .send(text), .close])
        let chunks = Chunks { index in
          if index > 0 { try await waitForCancellation() }
          return [1]
        }
        let error = await world.expectFailure(kind, of: .post, body: .stream(chunks))
        checkEqual(
          error?.phase, kind == .truncatedBody ? .receivingBody : .awaitingHead, "the phase")
      }
    }
    Clause(
      "reset-before-content",
      "a reset while the content waits for 100 Continue is an error of the phase `sending`",
      from: "RFC 9110 §10.1.1", requires: .connections
    ) { fixture in
      var options = TransportOptions()
      options.continueTimeout = .seconds(60)
      let resets: [(OriginScript, TransportError.Kind, TransportError.Phase)] = [
        ([.reset], .connectionReset, .sending),
        (
          [.send("HTTP/1.1 100 Continue\r\n\r\n"), .readBody, .reset], .connectionReset,
          .awaitingHead
        ),
        ([.close], .emptyReply, .awaitingHead),
      ]
      for (script, kind, phase) in resets {
        let world = try await fixture.world(script)
        let error = await world.expectFailure(
          kind, of: .post, "/", [.expect: "100-continue"], body: .text("hello"), options: options)
        checkEqual(error?.phase, phase, "the phase of \(kind)")
      }
      let world = try await fixture.world([.readBody, .reset])
      for length in [5, nil] {
        let error = await world.expectFailure(
          .connectionReset, of: .post, body: .stream(Chunks("he", "llo"), length: length))
        checkEqual(error?.phase, .awaitingHead, "the phase after a streamed body")
      }
    }
    Clause("request-trailers", "trailer fields are sent after the content", from: "RFC 9112 §7.1.2")
    { fixture in
      let world = try await fixture.world(.respond())
      let body = HTTPRequestBody.stream(
        Chunks("one", "two"), trailers: { ["X-Sum": "42", "X-Empty": ""] })
      let seen = try await world.arrival(of: .post, body: body)
      checkText(seen.body, "onetwo", "the content")
      checkEqual(seen.trailers, ["X-Sum": "42", "X-Empty": ""], "the trailer section")
      let next = try await world.arrival(of: .post, body: .stream(Chunks("three", "four")))
      checkText(next.body, "threefour", "the content of the next request")
      checkEqual(next.trailers, [:], "the trailer section of the next request")
    }
  }
}

extension OriginScript {
  /// Begins a response after some bytes of the request's content, and ends it after all.
  static func readingUpload(after status: Int, from count: Int = 1) -> Self {
    [
      .readBodyBytes(count), .send("HTTP/1.1 \(status) No\r\nContent-Length: 4\r\n\r\n"), .readBody,
      .send("late"),
    ]
  }
}

extension TransportWorld {
  /// Uploads to such an origin content that is ready only after the head of the response, from a chunk on.
  func expectUpload(
    after status: Int, _ fields: HTTPFields = [:], from next: Int = 1,
    options: TransportOptions = TransportOptions()
  ) async throws {
    let (heads, head) = AsyncStream<Void>.makeStream()
    let chunks = Chunks { index in
      if index == next { for await _ in heads { break } }
      return index < 30 ? [UInt8](repeating: 7, count: 10_000) : nil
    }
    let exchange = try await send(.post, "/", fields, body: .stream(chunks), options: options)
    head.yield()
    checkEqual(exchange.response.status.code, status, "the status")
    checkEqual(try await exchange.body.collect(upTo: 4), Array("late".utf8), "the content")
    checkEqual(log.requests.map(\.bodyCount), [300_000], "the sizes of the requests' content")
  }
}
