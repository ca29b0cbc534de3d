import ContractTesting
import Testing
import TransportPort

private let incomplete = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"

extension HTTPResponseBody {
  /// Reads the next piece, and describes it, the end or the kind of the error.
  fileprivate func nextOutcome() async -> String {
    var iterator = makeAsyncIterator()
    do throws(TransportError) {
      return try await iterator.next().map { String(decoding: $0, as: UTF8.self) } ?? "the end"
    } catch {
      return "\(error.kind)" + (error.bytesSent ? "" : " before any byte was sent")
    }
  }

  /// The same content, with a count of the calls that cancel it.
  fileprivate func counting(_ cancellations: Counter) -> HTTPResponseBody {
    HTTPResponseBody(
      next: { () async throws(TransportError) in
        var iterator = self.makeAsyncIterator()
        return try await iterator.next().map { .bytes($0) } ?? .end(trailers: [:])
      },
      cancel: {
        cancellations.increment()
        cancel()
      })
  }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var reading: [Clause<TransportFixture>] {
    Clause(
      "read-again", "reading content after its end or its error gives the same end or error",
      from: "this project"
    ) { fixture in
      let whole = try await fixture.world(.respond(text: "hi")).send().body
      checkText(try await whole.collect(upTo: 9), "hi", "the content")
      for _ in 1...2 { checkEqual(await whole.nextOutcome(), "the end", "what follows the end") }
      let cut = try await fixture.world(.raw(incomplete) + [.close]).send().body
      checkEqual(await cut.nextOutcome(), "abc", "the content before its error")
      for _ in 1...3 {
        checkEqual(await cut.nextOutcome(), "truncatedBody", "what follows the content")
      }
      let cancelled = try await fixture.world(.respond(text: "hi")).send().body
      cancelled.cancel()
      for _ in 1...2 {
        checkEqual(await cancelled.nextOutcome(), "cancelled", "what follows the cancellation")
      }
    }
    Clause(
      "second-reader", "a second task that reads content at the same time gets an error of its own",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.raw(incomplete) + [.stall])
      let body = try await world.send().body
      checkEqual(await body.nextOutcome(), "abc", "the first piece")
      await withTaskGroup(of: String.self) { group in
        for _ in 1...2 { group.addTask { await body.nextOutcome() } }
        checkEqual(await group.next(), "concurrentBodyRead", "the result of the second reader")
        body.cancel()
        checkEqual(await group.next(), "cancelled", "the result of the first reader")
      }
    }
    Clause(
      "body-cancellation",
      "content is cancelled when it is released or cancelled before its end, and not after it",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond(text: "hi"))
      for (isRead, isCancelled) in [(true, true), (true, false), (false, true), (false, false)] {
        let cancellations = Counter()
        var body: HTTPResponseBody? = try await world.send().body.counting(cancellations)
        if isRead { checkText(try await body?.collect(upTo: 9), "hi", "the content") }
        if isCancelled { body?.cancel() }
        body = nil
        checkEqual(
          cancellations.value, isRead ? 0 : 1,
          "the number of cancellations of content that is \(isRead ? "read" : "not read")")
      }
      let failing = Counter()
      let cut = try await fixture.world(.raw(incomplete) + [.close])
      do {
        let body = try await cut.send().body.counting(failing)
        for _ in 1...2 { _ = await body.nextOutcome() }
      }
      checkEqual(failing.value, 0, "the number of cancellations of content that failed")
    }
    Clause(
      "observed-cancellation",
      "cancelling content whose progress is observed closes its connection",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.raw(incomplete) + [.stall])
      let body = try await world.send().body.reportingProgress { _ in }
      checkEqual(await body.nextOutcome(), "abc", "the content before the cancellation")
      body.cancel()
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      checkEqual(await body.nextOutcome(), "cancelled", "what follows the cancellation")
    }
    Clause(
      "observed-trailers", "trailer fields pass through the policies that wrap content",
      from: "RFC 9112 §7.1.2"
    ) { fixture in
      let world = try await fixture.world(
        .raw(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n"))
      let exchange = try await world.through { $0.enforcing(Deadlines(overall: .seconds(60))) }
        .send()
      let body = exchange.body.reportingProgress { _ in }
      checkText(try await body.collect(upTo: 9), "hi", "the content")
      checkEqual(body.trailerFields, ["X-Sum": "1"], "the trailer section")
    }
    Clause(
      "bad-trailers", "an invalid trailer section is an error of the content's framing",
      from: "RFC 9112 §7.1.2"
    ) { fixture in
      for line in ["No colon", "X-A : 1", " X-A: 1"] {
        let world = try await fixture.world(
          .raw(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "2\r\nhi\r\n0\r\n\(line)\r\n\r\n") + [.close])
        let error = await world.expectFailure(.badChunk)
        checkEqual(error?.phase, .receivingBody, "the phase")
      }
    }
    Clause(
      "transfer-coding", "a transfer coding other than chunked or identity is an error",
      from: "RFC 9112 §6.1"
    ) { fixture in
      for coding in ["gzip", "gzip, chunked", "chunked, chunked", "chunked, identity"] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
            + [.close])
        await world.expectFailure(.unsupportedTransferCoding)
      }
    }
    Clause(
      "used-content", "content that was read before and is not replayable fails its second request",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let body = HTTPRequestBody.stream(Chunks("once"))
      try await world.answer(.post, body: body)
      let error = await world.expectFailure(.bodyNotReplayable, of: .post, body: body)
      checkEqual(error?.isRetrySafe, false, "whether a retry is safe")
      checkEqual(world.log.counts.bodyBytes, 4, "the number of content bytes")
    }
    Clause(
      "piped-content",
      "a response's content can be the content of a request, which fails with its error",
      from: "this project"
    ) { fixture in
      let upstream = try await fixture.world(
        .respond(text: "piped"), .raw(incomplete) + [.close])
      let downstream = try await fixture.world(.respond())
      let source = try await upstream.send().body
      try await downstream.answer(.put, body: .stream(source))
      checkText(downstream.log.requests.first?.body, "piped", "the content")
      let cut = try await upstream.send().body
      await downstream.expectFailure(.truncatedBody, of: .put, body: .stream(cut))
    }
    Clause(
      "unanswered", "a request whose script ends without a response is read and stays open",
      from: "RFC 9112 §9.3", requires: .connections
    ) { fixture in
      let world = try await fixture.world(OriginScript([]))
      let task = Task { await world.expectFailure(.cancelled, of: .post, body: .text("hello")) }
      try await world.expect("the content arrives") { $0.bodyBytes == 5 }
      checkEqual(
        world.log.counts.closedByClient + world.log.counts.closedByPeer, 0,
        "the number of closed connections")
      task.cancel()
      _ = await task.value
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
    }
  }
}
