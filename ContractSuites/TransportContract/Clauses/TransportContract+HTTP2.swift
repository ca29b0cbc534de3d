import ContractTesting
import Testing
import TransportPort

extension TransportFixture {
  /// A world whose peer speaks HTTP/2 and does what a plan says.
  fileprivate func multiplexedWorld(
    _ onRequest: @escaping @Sendable (OriginRequest) -> OriginScript
  ) async throws -> TransportWorld {
    try await world(OriginPlan(version: .http2, onRequest: onRequest), scheme: .https)
  }
}

/// Content whose last chunk is held back until there is so much traffic at the first peer.
private func text(
  _ text: String, until isReleased: @escaping @Sendable () -> Bool
) -> HTTPRequestBody {
  .stream(
    Chunks { place in
      if place == 1 { _ = try await happens(within: .seconds(5), isReleased) }
      return place < 2 ? Array((place == 0 ? text : ".").utf8) : nil
    })
}

extension ClauseGroup<TransportFixture> {
  static let http2 = ClauseGroup("HTTP/2") {
    Clause(
      "multiplex", "requests at the same time share one connection", from: "RFC 9113 §5 and §9.1"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let answers = (1...8).map { index in
        Task {
          let body = text("\(index)") { world.log.counts.requests == 8 }
          return try await world.answer(.put, "/\(index)", body: body).text
        }
      }
      try await world.expect("all are under way at the same time") { $0.requests == 8 }
      for (index, answer) in answers.enumerated() {
        expectEqual(try await answer.value, "\(index + 1).", "the content of \(index + 1)")
      }
      expectEqual(
        Set(world.log.requests.map(\.head.target)), Set((1...8).map { "/\($0)" }), "the targets")
      expectEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "streams", "content on many streams at once, larger than a window, arrives as it was sent",
      from: "RFC 9113 §5.2"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let answers = (0..<6).map { seed in
        Task {
          let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9 &+ seed) }
          let chunks = Chunks { place in
            let piece = content.dropFirst(place * 40_000).prefix(40_000)
            return piece.isEmpty ? nil : Array(piece)
          }
          let body = seed % 2 == 0 ? HTTPRequestBody.bytes(content) : .stream(chunks)
          return try await world.answer(.put, body: body).content == content
        }
      }
      for (seed, answer) in answers.enumerated() {
        let isSame = try await answer.value
        check(isSame, "what came back on stream \(seed) is not what was sent", #_sourceLocation)
      }
      expectEqual(
        world.log.requests.map(\.bodyCount), Array(repeating: 300_000, count: 6), "the bytes sent")
      expectEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "trailers", "the trailer fields can be read once the content was", from: "RFC 9113 §8.1"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let exchange = try await world.send(.post, body: .text("hi"))
      expectEqual(exchange.body.trailerFields, nil, "the trailers before the end")
      expectEqual(try await exchange.body.collect(upTo: 9), Array("hi".utf8), "the content")
      expectEqual(exchange.body.trailerFields, ["X-End": "yes"], "the trailers")
    }
    Clause(
      "cancel-stream", "cancelling an exchange ends its stream and nothing else on the connection",
      from: "RFC 9113 §5.4.2 and §8.1"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let isOver: @Sendable (PeerLog.Counts) -> Bool = { $0.resetStreams + $0.closedByClient > 0 }
      let other = Task {
        try await world.answer(
          .put, body: text("other") { isOver(world.log.counts) }
        ).text
      }
      try await world.expect("the other arrives") { $0.requests == 1 }
      let stalled = Chunks { place in
        if place == 1 { try await waitForCancellation() }
        return [0x61]
      }
      let cancelled = Task {
        await world.expectFailure(.cancelled, of: .put, body: .stream(stalled))
      }
      try await world.expect("both are under way") { $0.requests == 2 }
      cancelled.cancel()
      _ = await cancelled.value
      let isSoon = try await world.log.happens(within: .seconds(2), isOver)
      check(isSoon, "the stream did not end while the other waited", #_sourceLocation)
      expectEqual(world.log.counts.resetStreams, 1, "the number of streams that were reset")
      expectEqual(try await other.value, "other.", "the other's content")
      expectEqual(
        try await world.answer(.put, body: .text("next")).text, "next", "the next content")
      // A server in a process of its own may answer before its log is read.
      try await world.expect("the next is seen") { $0.requests == 3 }
      expectEqual(
        world.log.requests.map(\.head.connection), [1, 1, 1], "the connections of the requests")
      let alone = Task {
        await world.expectFailure(.cancelled, of: .put, body: .stream(stalled))
      }
      try await world.expect("one more is under way") { $0.requests == 4 }
      alone.cancel()
      _ = await alone.value
      try await world.expect("the peer hears of that one as well") {
        $0.resetStreams + $0.closedByClient > 1
      }
    }
    Clause(
      "unread-stream", "a response that nobody reads holds up no other on the connection",
      from: "RFC 9113 §5.2", requires: .scriptedServer
    ) { fixture in
      let block = [UInt8](repeating: 0x61, count: 65_536)
      let world = try await fixture.multiplexedWorld { request in
        guard request.target == "/flood" else { return .respond(text: request.target) }
        return [
          .send("HTTP/1.1 200 OK\r\nContent-Length: \(768 * 65_536)\r\n\r\n"),
          .sendRepeatedly(block, count: 768),
        ]
      }
      let flood = try await world.send(.get, "/flood")
      for index in 1...20 {
        expectEqual(try await world.answer(.get, "/\(index)").text, "/\(index)", "the content")
      }
      var count = 0
      for try await bytes in flood.body { count += bytes.count }
      expectEqual(count, 768 * 65_536, "the bytes that were read in the end")
      expectEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "request-trailers", "trailer fields follow the content", from: "RFC 9113 §8.1",
      requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld { _ in .respond() }
      try await world.answer()
      let body = HTTPRequestBody.stream(Chunks("one", "two"), trailers: { ["X-Sum": "42"] })
      let seen = try await world.arrival(of: .post, body: body)
      expectEqual(seen.body, Array("onetwo".utf8), "the content")
      expectEqual(seen.trailers, ["X-Sum": "42"], "the trailers")
    }
    Clause(
      "connection-fields", "no field that only concerns a connection is sent",
      from: "RFC 9113 §8.2.2", requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld { _ in .respond() }
      let fields: HTTPFields = [.connection: "close", "Keep-Alive": "timeout=5", "X-Kept": "1"]
      let seen = try await world.arrival(of: .post, "/a?b", fields, body: .stream(Chunks("hi")))
      for name in [HTTPField.Name.connection, "Keep-Alive", .transferEncoding] {
        expectEqual(seen.fields[values: name], [], "\(name)")
      }
      expectEqual(seen.fields["X-Kept"], "1", "X-Kept")
      expectEqual(seen.head.target, "/a?b", "the target")
      expectEqual(seen.fields[.host], "127.0.0.1:\(world.peers[0].port)", "the authority")
    }
    Clause(
      "go-away", "after GOAWAY what is under way is finished, and new requests go elsewhere",
      from: "RFC 9113 §6.8", requires: .scriptedServer
    ) { fixture in
      let leave = OriginScript([.goAway(isProcessed: true)]) + .respond(text: "last")
      let world = try await fixture.multiplexedWorld { request in
        request.target == "/leave" ? leave : .respond(text: request.target)
      }
      let hasLeft = Counter()
      let before = Task {
        try await world.answer(.put, "/before", body: text("a") { hasLeft.value == 1 }).text
      }
      try await world.expect("the first arrives") { $0.requests == 1 }
      expectEqual(try await world.answer(.get, "/leave").text, "last", "the content with GOAWAY")
      expectEqual(try await world.answer(.get, "/after").text, "/after", "the content after GOAWAY")
      hasLeft.increment()
      expectEqual(try await before.value, "/before", "the content that was asked for before")
      let connections = world.log.requests.map { "\($0.head.target) \($0.head.connection)" }
      expectEqual(connections, ["/before 1", "/leave 1", "/after 2"], "the requests' connections")
    }
    Clause(
      "go-away-unprocessed",
      "a request that GOAWAY leaves out may be sent again, whatever its method",
      from: "RFC 9113 §6.8 and §8.7", requires: .scriptedServer
    ) { fixture in
      for method in [HTTPRequest.Method.get, .put, .post] {
        let world = try await fixture.multiplexedWorld { request in
          request.target == "/leave" && request.connection == 1
            ? [.goAway(isProcessed: false)] : .respond(text: "\(request.connection)")
        }.through { $0.retryingWhenSafe() }
        expectEqual(try await world.answer().text, "1", "the first content")
        let answer = try await world.answer(method, "/leave", body: .text("pay"))
        expectEqual(answer.text, "2", "the content of \(method) after GOAWAY")
        expectEqual(world.log.requests.last?.bodyCount, 3, "the bytes of content sent again")
        expectEqual(world.log.requests.count, 3, "the number of requests")
      }
    }
    Clause(
      "sent-once", "a request that isn't idempotent isn't sent again when its connection breaks",
      from: "RFC 9110 §9.2.2", requires: .scriptedServer
    ) { fixture in
      for step in [ScriptStep.close, .reset] {
        let world = try await fixture.multiplexedWorld { request in
          request.ordinal == 1 ? .respond(text: "\(request.connection)") : [.readBody, step]
        }.through { $0.retryingWhenSafe(attempts: 3) }
        try await world.answer()
        let error = await world.expectFailure(
          .emptyReply, .connectionReset, of: .post, body: .text("pay"))
        expectEqual(error?.isRetrySafe, false, "whether a retry is safe")
        expectEqual(try await world.answer(.get).text, "2", "the content on another connection")
        expectEqual(
          world.log.requests.filter { $0.head.method == .post }.count, 1, "the POSTs on the wire")
      }
    }
    Absence(of: .scriptedServer, "the server has an answer of its own: there is no such file") {
      fixture in
      expectEqual(try await fixture.echoWorld().answer(.get, "/none").status, 404, "the status")
    }
  }
}
