import ContractTesting
import Testing
import TransportPort

private let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

extension ClauseGroup<TransportFixture> {
  static let framing = ClauseGroup("Framing") {
    Clause(
      "exact-length", "Content-Length ends the content, and the connection goes on",
      from: "RFC 9112 §6.2"
    ) { fixture in
      let script = OriginScript.raw("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")
      for script in [script, script.split(into: 1)] {
        let world = try await fixture.world(script)
        expectEqual(try await world.answer().text, "hello world", "the content")
        expectEqual(try await world.answer().text, "hello world", "the content after that")
        expectEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "chunks", "chunks are joined, their extensions passed over, in whatever pieces they come",
      from: "RFC 9112 §7.1.1"
    ) { fixture in
      let script = OriginScript.raw(
        chunked
          + "5;a=b;c=\"d\"\r\nhello\r\n1 ;x\r\n \r\n005\r\nworld\r\nA\r\n0123456789\r\n0;z\r\n\r\n")
      for script in [script, script.split(into: 1)] {
        let world = try await fixture.world(script)
        expectEqual(try await world.answer().text, "hello world0123456789", "the content")
        try await world.answer()
        expectEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "until-close", "content without a length goes to the end of the connection",
      from: "RFC 9112 §6.3, 8"
    ) { fixture in
      for version in ["1.0", "1.1"] {
        let world = try await fixture.world(
          .raw("HTTP/\(version) 200 OK\r\n\r\nall") + [.send(" of it"), .close])
        expectEqual(try await world.answer().text, "all of it", "the content of \(version)")
        try await world.answer()
        expectEqual(world.log.counts.connections, 2, "the number of connections")
      }
    }
    Clause(
      "truncated-length", "content shorter than its Content-Length is an error", from: "RFC 9112 §8"
    ) { fixture in
      for content in ["", "h", "hell"] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(content)") + [.close])
        let error = await world.expectFailure(.truncatedBody)
        expectEqual(error?.phase, .receivingBody, "the phase")
      }
    }
    Clause(
      "truncated-chunk", "chunked content without its last chunk is an error", from: "RFC 9112 §8"
    ) { fixture in
      for text in [
        "", "5", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0",
        "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\nX-A: 1\r\n",
      ] {
        let world = try await fixture.world(.raw(chunked + text) + [.close])
        await world.expectFailure(.truncatedBody)
      }
    }
    Clause(
      "bad-chunk", "a chunk size that is no hexadecimal number is an error", from: "RFC 9112 §7.1"
    ) { fixture in
      for text in [
        "xyz\r\nabc\r\n", "-3\r\nabc\r\n", "+3\r\nabc\r\n", "0x3\r\nabc\r\n", "\r\nabc\r\n",
        "3 z\r\nabc\r\n", "3\r\nabcd\r\n",
      ] {
        let world = try await fixture.world(.raw(chunked + text + "0\r\n\r\n") + [.close])
        await world.expectFailure(.badChunk)
      }
    }
    Clause(
      "bad-chunk-held", "a bad chunk is an error at once, though the connection stays open",
      from: "RFC 9112 §7.1"
    ) { fixture in
      for text in ["0 2\r\nhi", "2;" + String(repeating: "x", count: 8000), "0x2\r\n"] {
        let world = try await fixture.world(.raw(chunked + text) + [.stall])
        await world.expectFailure(.badChunk)
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      }
    }
    Clause(
      "oversized-chunk", "a chunk size beyond what can be counted is an error",
      from: "RFC 9112 §7.1"
    ) { fixture in
      for size in ["FFFFFFFFFFFFFFFF", "10000000000000003", "80000000000000000000000000000003"] {
        let world = try await fixture.world(
          .raw(chunked + "\(size)\r\nabc\r\n0\r\n\r\n") + [.close])
        await world.expectFailure(.badChunk)
      }
    }
    Clause(
      "conflicting-lengths", "two different Content-Lengths are an error", from: "RFC 9112 §6.3, 5"
    ) { fixture in
      for (one, two) in [(2, 3), (3, 2), (0, 3)] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\nContent-Length: \(one)\r\nContent-Length: \(two)\r\n\r\nabc")
            + [.close])
        await world.expectFailure(.conflictingLength)
      }
      let listed = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nabc") + [.close])
      await listed.expectFailure(.conflictingLength)
    }
    Clause(
      "identical-lengths", "the same Content-Length twice is one", from: "RFC 9112 §6.3, 5"
    ) { fixture in
      for lines in ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2"] {
        let world = try await fixture.world(.raw("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nhi"))
        expectEqual(try await world.answer().text, "hi", "the content")
      }
    }
    Clause(
      "invalid-length", "a Content-Length that is no number is an error", from: "RFC 9112 §6.3, 5"
    ) { fixture in
      for length in ["-1", "+3", "abc", "3x", "0x3", "3.0", "", "99999999999999999999"] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabc") + [.close])
        await world.expectFailure(.invalidLength)
      }
    }
    Clause(
      "unused-length", "a Content-Length that is no number is an error where it isn't used too",
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
      "a Content-Length or Transfer-Encoding that goes on in a second line is an error",
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
      "content in a coding other than chunks goes to the end of the connection",
      from: "RFC 9112 §6.3, 4"
    ) { fixture in
      let world = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi")
          + [.send(" there"), .close])
      expectEqual(try await world.answer().text, "hi there", "the content")
    }
    Clause(
      "old-chunks", "a connection with chunks in HTTP/1.0 isn't used again", from: "RFC 9112 §6.1"
    ) { fixture in
      let world = try await fixture.world(
        .raw(
          "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\nhi\r\n0\r\n\r\n"), .respond(text: "next"))
      expectEqual(try await world.answer().text, "hi", "the content")
      expectEqual(try await world.answer().text, "next", "the next content")
      expectEqual(world.log.counts.connections, 2, "the number of connections")
    }
    Clause(
      "both-framings", "chunks win over a Content-Length, and the connection isn't used again",
      from: "RFC 9112 §6.3, 3"
    ) { fixture in
      let world = try await fixture.world(
        .raw(
          "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\nhi\r\n0\r\n\r\n"), .respond(text: "next"))
      expectEqual(try await world.answer().text, "hi", "the content")
      expectEqual(try await world.answer().text, "next", "the next content")
      expectEqual(world.log.counts.connections, 2, "the number of connections")
    }
    Clause(
      "surplus", "bytes past the content never enter the next response", from: "RFC 9112 §6.3"
    ) { fixture in
      let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
      for start in [
        "Content-Length: 2\r\n\r\nhi", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
      ] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\n\(start)\(evil)"), .respond(text: "good"))
        expectEqual(try await world.answer().text, "hi", "the content")
        expectEqual(try await world.answer().text, "good", "the next content")
      }
      let head = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(evil)"), .respond(text: "good"))
      try await head.answer(.head)
      expectEqual(try await head.answer().text, "good", "the content after HEAD")
    }
    Clause(
      "seen-surplus", "a connection on which bytes came past the content isn't used again",
      from: "RFC 9112 §6.3"
    ) { fixture in
      for (method, start) in [
        (HTTPRequest.Method.get, "200 OK\r\nContent-Length: 2\r\n\r\nhi"),
        (.get, "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
        (.get, "200 OK\r\nContent-Length: 0\r\n\r\n"), (.get, "204 No Content\r\n\r\n"),
        (.head, "200 OK\r\nContent-Length: 2\r\n\r\n"),
      ] {
        let world = try await fixture.world(.raw("HTTP/1.1 \(start)X"), .respond(text: "next"))
        try await world.answer(method)
        expectEqual(try await world.answer().text, "next", "the content after \(shown(start))")
        expectEqual(world.log.counts.connections, 2, "the number of connections")
      }
    }
    Clause(
      "no-content", "204 and 304 have no content, whatever their length says",
      from: "RFC 9112 §6.3, 1"
    ) { fixture in
      for status in [204, 304] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\n"), .respond(text: "next"))
        expectEqual(try await world.answer().text, "", "the content of \(status)")
        expectEqual(try await world.answer().text, "next", "the next content")
        expectEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "head-length", "the response to HEAD has a length and no content", from: "RFC 9112 §6.3, 1"
    ) { fixture in
      for framing in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
        let world = try await fixture.world(
          .raw("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n"), .respond(text: "next"))
        let answer = try await world.answer(.head)
        expectEqual(answer.text, "", "the content")
        if framing.hasSuffix("5") { expectEqual(answer.fields[.contentLength], "5", "the length") }
        expectEqual(try await world.answer().text, "next", "the next content")
        expectEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "trailers", "the trailer fields can be read once the content was", from: "RFC 9112 §7.1.2"
    ) { fixture in
      let world = try await fixture.world(
        .raw(chunked + "2\r\nhi\r\n0\r\nX-Sum: 1\r\nX-Empty:\r\nX-Sum: 2\r\n\r\n"))
      let exchange = try await world.send()
      expectEqual(exchange.body.trailerFields, nil, "the trailers before the end")
      expectEqual(try await exchange.body.collect(upTo: 9), Array("hi".utf8), "the content")
      expectEqual(
        exchange.body.trailerFields, ["X-Sum": "1", "X-Empty": "", "X-Sum": "2"], "the trailers")
      expectEqual(
        exchange.response.headerFields.contains("X-Sum"), false, "whether the head has X-Sum")
    }
    Clause(
      "reset", "a reset within the content is an error that comes after the bytes before it",
      from: "RFC 9112 §8"
    ) { fixture in
      let (reads, read) = AsyncStream<Void>.makeStream()
      let world = try await fixture.world(
        [
          .readBodyBytes(1), .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
          .readBodyBytes(1), .reset,
        ])
      // The peer resets once it has the second byte, which is sent once the content was read.
      let chunks = Chunks { place in
        if place == 1 { for await _ in reads { break } }
        return place < 2 ? [0x61] : nil
      }
      let exchange = try await world.send(.put, body: .stream(chunks, length: 2))
      var body = exchange.body.makeAsyncIterator()
      var bytes: [UInt8] = []
      while bytes.count < 3, let more = try await body.next() { bytes += more }
      expectEqual(bytes, Array("abc".utf8), "the content before the reset")
      read.yield()
      do throws(TransportError) {
        let more = try await body.next()
        Issue.record("expected connectionReset, got \(shown(more as Any))")
      } catch {
        expectEqual(error.kind, .connectionReset, "the kind of '\(error)'")
        expectEqual(error.phase, .receivingBody, "the phase")
      }
    }
    Clause(
      "tls-cut", "under TLS, content cut short of its length or last chunk is an error",
      from: "RFC 9112 §9.8"
    ) { fixture in
      for text in ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf", chunked + "4\r\nhalf\r\n"] {
        for end in [ScriptStep.close, .closeWithoutNotify] {
          let world = try await fixture.world(.raw(text) + [end], scheme: .https)
          await world.expectFailure(.truncatedBody, .connectionReset)
        }
      }
    }
    Clause(
      "no-close-notify", "under TLS, content that ends without close_notify is an error",
      from: "RFC 9112 §9.8"
    ) { fixture in
      let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
      let cut = try await fixture.world(.raw(head + "half") + [.closeWithoutNotify], scheme: .https)
      await cut.expectFailure(.truncatedBody, .connectionReset)
      let whole = try await fixture.world(.raw(head + "whole") + [.close], scheme: .https)
      expectEqual(try await whole.answer().text, "whole", "the content with close_notify")
    }
  }
}
