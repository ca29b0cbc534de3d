import ContractTesting
import SystemLocks
import Testing
import TransportPort

/// Content of so many bytes in chunks of 64 KiB, each made when it is asked for.
private func content(of count: Int, asked: @escaping @Sendable (Int) -> Void) -> Chunks {
  let size = 65_536
  return Chunks { place in
    let left = count - place * size
    guard left > 0 else { return nil }
    asked(place * size)
    return [UInt8](repeating: UInt8(truncatingIfNeeded: place), count: min(size, left))
  }
}

private struct ProducerFailure: Error {}

extension TransportFixture {
  /// Checks that a refusal before the request's content is handed out whole.
  fileprivate func expectContent(
    ofRefusal status: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var options = TransportOptions()
    options.continueTimeout = .seconds(60)
    let contents = [
      "Content-Length: 3\r\n\r\nwhy",
      "Transfer-Encoding: chunked\r\n\r\n1\r\nw\r\n2\r\nhy\r\n0\r\n\r\n",
    ]
    for content in contents {
      let world = try await world([.send("HTTP/1.1 \(status) No\r\n" + content)])
      let answer = try await world.answer(
        .post, "/", [.expect: "100-continue"], body: .text("hello"), options: options)
      expectEqual(answer.status, status, "the status", sourceLocation: sourceLocation)
      expectEqual(
        answer.text, "why", "the content of \(status)", sourceLocation: sourceLocation)
    }
  }
}

extension ClauseGroup<TransportFixture> {
  static let upload = ClauseGroup("Upload") {
    Clause(
      "no-content-length", "without content, GET has no length and POST, PUT and PATCH have zero",
      from: "RFC 9110 §8.6"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for method in [HTTPRequest.Method.get, .head, .delete, .options, .post, .put, .patch] {
        let seen = try await world.arrival(of: method)
        let expected = [.post, .put, .patch].contains(method) ? ["0"] : []
        expectEqual(seen.fields[values: .contentLength], expected, "Content-Length of \(method)")
        expectEqual(seen.fields[values: .transferEncoding], [], "Transfer-Encoding of \(method)")
      }
    }
    Clause(
      "content-framing", "content of known length has a Content-Length, other content is chunked",
      from: "RFC 9112 §6.2 and §7.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for body in [HTTPRequestBody.text("hello"), .stream(Chunks("hel", "lo"), length: 5)] {
        let known = try await world.arrival(of: .put, body: body)
        expectEqual(known.fields[values: .contentLength], ["5"], "Content-Length")
        expectEqual(known.fields[values: .transferEncoding], [], "Transfer-Encoding")
        expectEqual(known.body, Array("hello".utf8), "the content")
      }
      let unknown = try await world.arrival(of: .put, body: .stream(Chunks("hel", "", "lo")))
      expectEqual(unknown.fields[values: .contentLength], [], "Content-Length of a stream")
      expectEqual(unknown.fields[values: .transferEncoding], ["chunked"], "Transfer-Encoding")
      expectEqual(unknown.body, Array("hello".utf8), "the content")
    }
    Clause(
      "empty-chunked", "an empty stream is sent as its last chunk alone", from: "RFC 9112 §7.1"
    ) {
      fixture in
      let world = try await fixture.world(.respond())
      let seen = try await world.arrival(of: .post, body: .stream(Chunks()))
      expectEqual(seen.fields[values: .transferEncoding], ["chunked"], "Transfer-Encoding")
      expectEqual(seen.bodyCount, 0, "the bytes of content")
      expectEqual(seen.trailers, [:], "the trailers at the end")
    }
    Clause("echo", "1 MB goes there and back unchanged", from: "RFC 9110 §6.4") { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .echoBody,
        .send("0\r\n\r\n"),
      ])
      let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
      let answer = try await world.answer(.put, body: .bytes(content))
      check(
        answer.content == content,
        "the \(answer.content.count) bytes that came back are not those sent",
        #_sourceLocation)
    }
    Clause(
      "upload-backpressure", "content isn't asked for while the peer reads none",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world([.stall])
      let asked = Counter()
      let body = content(of: 64 << 20) { _ in asked.increment(by: 65_536) }
      let task = Task { try await world.send(.put, body: .stream(body)) }
      try await world.expect("the head arrives") { $0.requests == 1 }
      let isOverrun = try await happens(within: .milliseconds(300)) { asked.value > 32 << 20 }
      check(
        !isOverrun, "\(asked.value) bytes were asked for while the peer read none", #_sourceLocation
      )
      task.cancel()
      _ = try? await task.value
    }
    Clause(
      "long-upload", "50 MB arrive to the byte, and little of it is held on the way",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let ahead = Mutex(0)
      let body = content(of: 50_000_000) { made in
        let read = world.log.counts.bodyBytes
        ahead.withLock { $0 = max($0, made - read) }
      }
      for length in [50_000_000, nil] {
        try await world.answer(.put, body: .stream(body, length: length))
        expectEqual(world.log.requests.last?.bodyCount, 50_000_000, "the bytes of content")
      }
      let most = ahead.withLock { $0 }
      check(most <= 32 << 20, "\(most) bytes were held on the way", #_sourceLocation)
    }
    Clause(
      "producer-fails", "a producer that throws fails the request and closes the connection",
      from: "this project"
    ) { fixture in
      for length in [10, nil] {
        let world = try await fixture.world(.respond())
        let chunks = Chunks { place in
          guard place == 2 else { return [1, 2, 3] }
          // Fails once there is a connection to close.
          try await world.expect("a connection is made") { $0.connections == 1 }
          throw ProducerFailure()
        }
        let error = await world.expectFailure(
          .bodyProducerFailed, of: .post, body: .stream(chunks, length: length))
        check(
          error?.underlying is ProducerFailure, "the error doesn't hold that of the producer",
          #_sourceLocation)
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
        expectEqual(world.log.requests.first?.trailers, nil, "the end of the content at the peer")
      }
    }
    Clause(
      "interleaving", "the response can be read while the request is being sent",
      from: "RFC 9110 §7.5", requires: .bidirectionalStreaming
    ) { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .echoBody,
        .send("0\r\n\r\n"),
      ])
      let (turns, next) = AsyncStream<Void>.makeStream()
      let texts = ["ping", "pong", "pang"]
      let chunks = Chunks { place in
        if place > 0 { for await _ in turns { break } }
        return place < texts.count ? Array(texts[place].utf8) : nil
      }
      let exchange = try await world.send(.post, body: .stream(chunks))
      var seen: [String] = []
      for try await piece in exchange.body {
        seen.append(String(decoding: piece, as: UTF8.self))
        next.yield()
      }
      expectEqual(seen, texts, "what came back, one by one")
    }
    Absence(
      of: .bidirectionalStreaming, "no response is read while the request's content is being made",
      from: "RFC 9110 §7.5"
    ) { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .echoBody,
        .send("0\r\n\r\n"),
      ])
      let heads = Counter()
      let early = Counter()
      let chunks = Chunks { place in
        if place == 1, try await happens(within: .milliseconds(300), { heads.value > 0 }) {
          early.increment()
        }
        return place < 2 ? [0x61] : nil
      }
      let exchange = try await world.send(.post, body: .stream(chunks))
      heads.increment()
      expectEqual(try await exchange.body.collect(upTo: 9), [0x61, 0x61], "what came back")
      expectEqual(early.value, 0, "the heads before the content was made")
    }
    Clause(
      "early-response", "a final response may come before the content was sent",
      from: "RFC 9112 §9.3, RFC 9110 §7.5"
    ) { fixture in
      let world = try await fixture.world(
        [.readBodyBytes(1), .send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), .close])
      let chunks = Chunks { place in
        if place > 0 { try await waitForCancellation() }
        return [1]
      }
      let answer = try await world.answer(.post, body: .stream(chunks, length: 5))
      expectEqual(answer.status, 413, "the status")
    }
    Clause(
      "expect-continue", "content waits for 100 Continue, but no longer than the time-out",
      from: "RFC 9110 §10.1.1"
    ) { fixture in
      let fields: HTTPFields = [.expect: "100-continue"]
      var options = TransportOptions()
      options.continueTimeout = .seconds(60)
      let told = try await fixture.world(
        [.send("HTTP/1.1 100 Continue\r\n\r\n")] + .respond(text: "done"))
      let answer = try await told.answer(.post, "/", fields, body: .text("hello"), options: options)
      expectEqual(answer.text, "done", "the content after 100")
      expectEqual(told.log.requests.first?.bodyCount, 5, "the bytes of content after 100")
      let refused = try await fixture.world(
        [
          .send("HTTP/1.1 417 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
          .readBodyBytes(5),
        ])
      let refusal = try await refused.answer(
        .post, "/", fields, body: .text("hello"), options: options)
      expectEqual(refusal.status, 417, "the status")
      try await refused.expect("the connection is closed") { $0.closedByClient == 1 }
      expectEqual(refused.log.counts.bodyBytes, 0, "the bytes of content after a refusal")
      options.continueTimeout = .milliseconds(50)
      let silent = try await fixture.world(.respond(text: "done"))
      let patient = try await silent.answer(
        .post, "/", fields, body: .text("hello"), options: options)
      expectEqual(patient.text, "done", "the content after the time-out")
      expectEqual(
        silent.log.requests.first?.bodyCount, 5, "the bytes of content after the time-out")
      expectEqual(silent.log.requests.first?.fields[.expect], "100-continue", "Expect")
    }
    Clause(
      "expectation-failed", "417 is handed out, and nothing is sent again",
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
        expectEqual(answer.status, 417, "the status of \(method)")
        expectEqual(answer.text, "", "the content")
        expectEqual(world.log.requests.count, 1, "the number of requests")
      }
    }
    Clause(
      "refusal-content", "what a refusal before the content says is handed out",
      from: "RFC 9110 §10.1.1 and §15.5"
    ) { fixture in
      for status in [401, 403, 413] { try await fixture.expectContent(ofRefusal: status) }
    }
    Clause(
      "expectation-content", "what 417 says is handed out as well", from: "RFC 9110 §15.5.18"
    ) { fixture in
      try await fixture.expectContent(ofRefusal: 417)
    }
    Clause(
      "continue-after-interim", "an interim response other than 100 doesn't prolong the time-out",
      from: "RFC 9110 §10.1.1 and §15.2"
    ) { fixture in
      var options = TransportOptions()
      options.continueTimeout = .milliseconds(200)
      for _ in 1...5 {
        let world = try await fixture.world(
          [.send("HTTP/1.1 103 Early\r\n\r\n")] + .respond(text: "done"))
        let answer = try await world.through { $0.enforcing(Deadlines(overall: .seconds(2))) }
          .answer(
            .put, "/", [.expect: "100-continue"], body: .text("hello"), options: options)
        expectEqual(answer.text, "done", "the content")
        expectEqual(world.log.requests.first?.bodyCount, 5, "the bytes of content")
      }
    }
    Clause(
      "cut-upload", "a connection that ends is noticed while the content is being made",
      from: "RFC 9112 §9.5"
    ) { fixture in
      let line = "HTTP/1.1 200 OK\r\n"
      for (text, kind) in [
        ("", TransportError.Kind.emptyReply), (line, .truncatedHead),
        (line + "Content-Length: 3\r\n\r\nhi", .truncatedBody),
      ] {
        let world = try await fixture.world([.readBodyBytes(1), .send(text), .close])
        let chunks = Chunks { place in
          if place > 0 { try await waitForCancellation() }
          return [1]
        }
        await world.expectFailure(kind, of: .post, body: .stream(chunks))
      }
    }
    Clause("request-trailers", "trailer fields follow the content", from: "RFC 9112 §7.1.2") {
      fixture in
      let world = try await fixture.world(.respond())
      let body = HTTPRequestBody.stream(
        Chunks("one", "two"), trailers: { ["X-Sum": "42", "X-Empty": ""] })
      let seen = try await world.arrival(of: .post, body: body)
      expectEqual(seen.body, Array("onetwo".utf8), "the content")
      expectEqual(seen.trailers, ["X-Sum": "42", "X-Empty": ""], "the trailers")
    }
  }
}
