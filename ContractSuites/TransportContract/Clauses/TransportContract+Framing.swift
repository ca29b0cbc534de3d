import ContractTesting
import Testing
import TransportPort

private let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

extension TransportClauses {
  /// Creates a clause about a response that the peer sends while no request is open.
  private static func late(
    _ id: String, _ way: String, _ scheme: HTTPOrigin.Scheme,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Clause<TransportFixture> {
    Clause(
      id, "\(way), a response to no request is never the next response, and ends the connection",
      from: "RFC 9112 §6.3", requires: .connections, sourceLocation: sourceLocation
    ) { fixture in
      let first = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
      let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
      for delay in [Duration.zero, .milliseconds(30)] {
        let world = try await fixture.world(
          .raw(first) + [.pause(delay), .send(evil)], .respond(text: "good"), scheme: scheme)
        checkEqual(
          try await world.answer(.post).text, "hi", "the content", sourceLocation: sourceLocation)
        // A peer in memory sends nothing unasked; its connection is closed instead.
        try await world.expect(
          "the second response is sent",
          { $0.sentBytes == first.utf8.count + evil.utf8.count || $0.closedByClient == 1 },
          sourceLocation: sourceLocation)
        checkEqual(
          try await world.answer(.post).text, "good", "the next content",
          sourceLocation: sourceLocation)
        checkEqual(
          world.log.counts.connections, 2, "the number of connections",
          sourceLocation: sourceLocation)
      }
    }
  }

  @ClauseBuilder<TransportFixture>
  static var framing: [Clause<TransportFixture>] {
    Clause(
      "exact-length", "Content-Length ends the content, and the connection is reused",
      from: "RFC 9112 §6.2", requires: .connections
    ) { fixture in
      let script = OriginScript.raw("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")
      for script in [script, script.split(into: 1)] {
        let world = try await fixture.world(script)
        checkEqual(try await world.answer().text, "hello world", "the content")
        checkEqual(try await world.answer().text, "hello world", "the next content")
        checkEqual(world.log.counts.connections, 1, "the number of connections")
      }
      for count in [1, 682, 683, 1366, 33_333] {
        let world = try await fixture.world([
          .send("HTTP/1.1 200 OK\r\nContent-Length: \(3 * count)\r\n\r\n"),
          .sendRepeatedly(Array("abc".utf8), count: count),
        ])
        for _ in 1...2 {
          let content = try await world.answer().text
          check(
            content == String(repeating: "abc", count: count),
            "\(content.utf8.count) bytes differ from \(3 * count) sent in pieces of 3")
        }
        checkEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "chunks", "chunks are joined and their extensions ignored, however the bytes are split",
      from: "RFC 9112 §7.1.1", requires: .connections
    ) { fixture in
      let script = OriginScript.raw(
        chunked
          + "5;a=b;c=\"d\"\r\nhello\r\n1 ;x\r\n \r\n005\r\nworld\r\nA\r\n0123456789\r\n0;z\r\n\r\n")
      for script in [script, script.split(into: 1)] {
        let world = try await fixture.world(script)
        checkEqual(try await world.answer().text, "hello world0123456789", "the content")
        try await world.answer()
        checkEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "until-close", "content without a length ends with the connection",
      from: "RFC 9112 §6.3, 8", requires: .connections
    ) { fixture in
      for version in ["1.0", "1.1"] {
        let world = try await fixture.world(
          .raw("HTTP/\(version) 200 OK\r\n\r\nall") + [.send(" of it"), .close])
        checkEqual(try await world.answer().text, "all of it", "the content over HTTP/\(version)")
        try await world.answer()
        checkEqual(world.log.counts.connections, 2, "the number of connections")
      }
    }
    Clause(
      "truncated-length", "content shorter than its Content-Length is an error", from: "RFC 9112 §8"
    ) { fixture in
      for content in ["", "h", "hell"] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(content)") + [.close])
        let error = await world.expectFailure(.truncatedBody)
        checkEqual(error?.phase, .receivingBody, "the phase")
      }
    }
    Clause(
      "truncated-chunk", "chunked content without its last chunk is an error", from: "RFC 9112 §8"
    ) { fixture in
      for text in [
        "", "5", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0",
        "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\nX-A: 1\r\n",
      ] {
        try await fixture.world(.raw(chunked + text) + [.close]).expectFailure(.truncatedBody)
      }
    }
    Clause(
      "bad-chunk", "a chunk size that is not a hexadecimal number is an error",
      from: "RFC 9112 §7.1"
    ) { fixture in
      for text in [
        "xyz\r\nabc\r\n", "-3\r\nabc\r\n", "+3\r\nabc\r\n", "0x3\r\nabc\r\n", "\r\nabc\r\n",
        "3 z\r\nabc\r\n", "3\r\nabcd\r\n",
      ] {
        let world = try await fixture.world(.raw(chunked + text + "0\r\n\r\n") + [.close])
        await world.expectFailure(.badChunk)
      }
      // Also where the connection ends before the line does.
      for text in ["xyz", "3 z", "3\r\nabcd", "0\r\n\rz"] {
        let world = try await fixture.world(.raw(chunked + text) + [.close])
        await world.expectFailure(.badChunk)
      }
    }
    Clause(
      "bad-chunk-held", "an invalid chunk is an error at once, although the connection stays open",
      from: "RFC 9112 §7.1", requires: .connections
    ) { fixture in
      for text in [
        "0 2\r\nhi", "2;" + String(repeating: "x", count: 8000), "0x2\r\n", "0x2\r\n\r\n", "xyz",
        "0x2",
      ] {
        let world = try await fixture.world(.raw(chunked + text) + [.stall])
        await world.expectFailure(.badChunk)
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      }
      // The peer sends the chunk once the head was read, after which the second byte is sent.
      let (reads, read) = AsyncStream<Void>.makeStream()
      let world = try await fixture.world(
        [
          .readBodyBytes(1), .send(chunked), .readBodyBytes(1), .send("0x2\r\n"), .stall,
        ])
      let chunks = Chunks { index in
        if index == 1 { for await _ in reads { break } }
        return index < 2 ? [0x61] : nil
      }
      let exchange = try await world.send(.put, body: .stream(chunks, length: 2))
      read.yield()
      let error = await #expect(throws: TransportError.self) {
        try await exchange.body.collect(upTo: 9)
      }
      checkEqual(error?.kind, .badChunk, "the kind of the error after the head")
    }
    Clause(
      "oversized-chunk", "a chunk size that overflows a signed 64-bit integer is an error",
      from: "RFC 9112 §7.1"
    ) { fixture in
      for size in ["FFFFFFFFFFFFFFFF", "10000000000000003", "80000000000000000000000000000003"] {
        try await fixture.world(.raw(chunked + "\(size)\r\nabc\r\n0\r\n\r\n") + [.close])
          .expectFailure(.badChunk)
      }
    }
    Clause(
      "conflicting-lengths", "different values of Content-Length are an error",
      from: "RFC 9112 §6.3, 5"
    ) { fixture in
      for (one, two) in [(2, 3), (3, 2), (0, 3)] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\nContent-Length: \(one)\r\nContent-Length: \(two)\r\n\r\nabc")
            + [.close])
        await world.expectFailure(.conflictingLength)
      }
      try await fixture.world(.raw("HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nabc") + [.close])
        .expectFailure(.conflictingLength)
    }
    Clause(
      "identical-lengths", "repeated identical values of Content-Length count as one",
      from: "RFC 9112 §6.3, 5"
    ) { fixture in
      for lines in ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2"] {
        let world = try await fixture.world(.raw("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nhi"))
        checkEqual(try await world.answer().text, "hi", "the content")
      }
    }
    Clause(
      "invalid-length", "a Content-Length that is not a decimal number is an error",
      from: "RFC 9112 §6.3, 5"
    ) { fixture in
      for length in ["-1", "+3", "abc", "3x", "0x3", "3.0", "", "99999999999999999999"] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabc") + [.close])
        await world.expectFailure(.invalidLength)
      }
    }
    Clause(
      "unused-length", "an invalid Content-Length is an error even if the framing ignores it",
      from: "RFC 9110 §8.6, RFC 9112 §6.3"
    ) { fixture in
      for length in ["x", "-1", "", "99999999999999999999"] {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n"
        let bare = try await fixture.world(.raw(head + "\r\n") + [.close])
        await bare.expectFailure(.invalidLength, of: .head)
        let chunks = try await fixture.world(
          .raw(head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n") + [.close])
        await chunks.expectFailure(.invalidLength)
      }
    }
    Clause(
      "folded-framing",
      "a folded Content-Length or Transfer-Encoding is an error",
      from: "this project"
    ) { fixture in
      for (line, kind) in [
        ("Transfer-Encoding:\r\n chunked", TransportError.Kind.unsupportedTransferCoding),
        ("Content-Length: 1\r\n 2", .invalidLength), ("Content-Length:\r\n 12", .invalidLength),
      ] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n2\r\nhi\r\n0\r\n\r\n") + [.close])
        await world.expectFailure(kind)
      }
    }
    Clause(
      "coding-until-close",
      "content in a transfer coding other than chunked ends with the connection",
      from: "RFC 9112 §6.3, 4"
    ) { fixture in
      let world = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi")
          + [.send(" there"), .close])
      checkEqual(try await world.answer().text, "hi there", "the content")
    }
    Clause(
      "old-chunks", "a connection is not reused after a chunked response of HTTP/1.0",
      from: "RFC 9112 §6.1", requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        .raw(
          "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\nhi\r\n0\r\n\r\n"), .respond(text: "next"))
      checkEqual(try await world.answer().text, "hi", "the content")
      checkEqual(try await world.answer().text, "next", "the next content")
      checkEqual(world.log.counts.connections, 2, "the number of connections")
    }
    Clause(
      "both-framings", "chunked overrides Content-Length, and the connection is not reused",
      from: "RFC 9112 §6.3, 3", requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        .raw(
          "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\nhi\r\n0\r\n\r\n"), .respond(text: "next"))
      checkEqual(try await world.answer().text, "hi", "the content")
      checkEqual(try await world.answer().text, "next", "the next content")
      checkEqual(world.log.counts.connections, 2, "the number of connections")
    }
    Clause(
      "surplus", "bytes after the content are never part of the next response",
      from: "RFC 9112 §6.3"
    ) { fixture in
      let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
      for start in [
        "Content-Length: 2\r\n\r\nhi", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
      ] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\n\(start)\(evil)"), .respond(text: "good"))
        checkEqual(try await world.answer().text, "hi", "the content")
        checkEqual(try await world.answer().text, "good", "the next content")
      }
      let head = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(evil)"), .respond(text: "good"))
      try await head.answer(.head)
      checkEqual(try await head.answer().text, "good", "the content after HEAD")
    }
    Clause(
      "seen-surplus", "a connection is not reused if bytes follow the content",
      from: "RFC 9112 §6.3", requires: .connections
    ) { fixture in
      for (method, start) in [
        (HTTPRequest.Method.get, "200 OK\r\nContent-Length: 2\r\n\r\nhi"),
        (.get, "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
        (.get, "200 OK\r\nContent-Length: 0\r\n\r\n"), (.get, "204 No Content\r\n\r\n"),
        (.head, "200 OK\r\nContent-Length: 2\r\n\r\n"),
      ] {
        let world = try await fixture.world(.raw("HTTP/1.1 \(start)X"), .respond(text: "next"))
        try await world.answer(method)
        checkEqual(try await world.answer().text, "next", "the content after \(describe(start))")
        checkEqual(world.log.counts.connections, 2, "the number of connections")
      }
      // In one record of TLS, what follows the content is decrypted with it.
      let head = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      let world = try await fixture.world(
        [head, .send("hiX")], .respond(text: "next"), scheme: .https)
      try await world.answer()
      checkEqual(try await world.answer().text, "next", "the content over TLS")
      checkEqual(world.log.counts.connections, 2, "the number of connections over TLS")
    }
    late("late-surplus", "over http", .http)
    late("late-surplus-tls", "over https", .https)
    Clause(
      "endless-extensions", "chunk extensions much larger than the content are an error",
      from: "RFC 9112 §7.1.1", requires: .connections
    ) { fixture in
      let chunk = Array("1;\(String(repeating: "x", count: 4000))\r\na\r\n".utf8)
      let world = try await fixture.world(.raw(chunked) + [.sendRepeatedly(chunk, count: nil)])
      await world.expectFailure(.badChunk)
    }
    Clause(
      "no-content", "204 and 304 have no content, whatever their Content-Length",
      from: "RFC 9112 §6.3, 1", requires: .connections
    ) { fixture in
      for status in [204, 304] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\n"), .respond(text: "next"))
        checkEqual(try await world.answer().text, "", "the content of \(status)")
        checkEqual(try await world.answer().text, "next", "the next content")
        checkEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "head-length", "a response to HEAD keeps its Content-Length and has no content",
      from: "RFC 9112 §6.3, 1", requires: .connections
    ) { fixture in
      for framing in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n"), .respond(text: "next"))
        let answer = try await world.answer(.head)
        checkEqual(answer.text, "", "the content")
        if framing.hasSuffix("5") {
          checkEqual(answer.fields[.contentLength], "5", "Content-Length")
        }
        checkEqual(try await world.answer().text, "next", "the next content")
        checkEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "trailers", "the trailer fields are available after the content", from: "RFC 9112 §7.1.2"
    ) { fixture in
      let world = try await fixture.world(
        .raw(chunked + "2\r\nhi\r\n0\r\nX-Sum: 1\r\nX-Empty:\r\nX-Sum: 2\r\n\r\n"))
      let exchange = try await world.send()
      checkEqual(exchange.body.trailerFields, nil, "the trailer section before the end")
      checkText(try await exchange.body.collect(upTo: 9), "hi", "the content")
      checkEqual(
        exchange.body.trailerFields, ["X-Sum": "1", "X-Empty": "", "X-Sum": "2"],
        "the trailer section")
      checkEqual(
        exchange.response.headerFields.contains("X-Sum"), false, "whether the head has X-Sum")
    }
    Clause(
      "long-trailers",
      "trailer fields are returned, or are an error if they exceed the limits of a head",
      from: "RFC 9112 §7.1.2, this project"
    ) { fixture in
      // A transport may have lower limits for trailer fields, but it must not drop or cut any.
      for count in [1000, 10_000, 70_000] {
        let value = String(repeating: "x", count: count)
        let world = try await fixture.world(
          .raw(chunked + "2\r\nhi\r\n0\r\nX-A: \(value)\r\n\r\n"))
        let exchange = try await world.send()
        do throws(TransportError) {
          checkText(try await exchange.body.collect(upTo: 9), "hi", "the content")
          checkEqual(
            exchange.body.trailerFields?["X-A"]?.utf8.count, count, "the size of the trailer field")
          check(count < 65_536, "\(count) bytes of trailer fields were accepted")
        } catch {
          checkEqual(error.kind, .headTooLarge, "the kind of '\(error)'")
          checkEqual(error.phase, .receivingBody, "the phase")
          check(count > 1000, "\(count) bytes of trailer fields were rejected")
        }
      }
    }
    Clause(
      "reset", "a reset within the content is an error, after the bytes received before it",
      from: "RFC 9112 §8", requires: .connections
    ) { fixture in
      let (reads, read) = AsyncStream<Void>.makeStream()
      let world = try await fixture.world(
        [
          .readBodyBytes(1), .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
          .readBodyBytes(1), .reset,
        ])
      // The peer resets after reading the second byte, which is sent after the content was read.
      let chunks = Chunks { index in
        if index == 1 { for await _ in reads { break } }
        return index < 2 ? [0x61] : nil
      }
      let exchange = try await world.send(.put, body: .stream(chunks, length: 2))
      var body = exchange.body.makeAsyncIterator()
      var bytes: [UInt8] = []
      while bytes.count < 3, let more = try await body.next() { bytes += more }
      checkText(bytes, "abc", "the content before the reset")
      read.yield()
      do throws(TransportError) {
        let more = try await body.next()
        let found = more.map { "\($0.count) bytes" } ?? "the end of the content"
        Issue.record("expected connectionReset, got \(found)")
      } catch {
        checkEqual(error.kind, .connectionReset, "the kind of '\(error)'")
        checkEqual(error.phase, .receivingBody, "the phase")
      }
    }
    Clause(
      "tls-cut", "over TLS, a head or content that ends before its end is an error",
      from: "RFC 9112 §9.8"
    ) { fixture in
      for (text, kind) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf", TransportError.Kind.truncatedBody),
        (chunked + "4\r\nhalf\r\n", .truncatedBody),
        ("HTTP/1.1 200 OK\r\nA: b\r\n", .truncatedHead),
      ] {
        for end in [ScriptStep.close, .closeWithoutNotify] {
          try await fixture.world(.raw(text) + [end], scheme: .https).expectFailure(kind)
        }
      }
    }
    Clause(
      "no-close-notify", "over TLS, content until close that ends without close_notify is an error",
      from: "RFC 9112 §9.8"
    ) { fixture in
      let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
      let cut = try await fixture.world(.raw(head + "half") + [.closeWithoutNotify], scheme: .https)
      await cut.expectFailure(.truncatedBody, .connectionReset)
      let whole = try await fixture.world(.raw(head + "whole") + [.close], scheme: .https)
      checkEqual(try await whole.answer().text, "whole", "the content with close_notify")
      let plain = try await fixture.world(.raw(head + "plain") + [.closeWithoutNotify])
      checkEqual(try await plain.answer().text, "plain", "the content without TLS")
    }
  }
}
