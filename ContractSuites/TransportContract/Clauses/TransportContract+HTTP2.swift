import ContractTesting
import Testing
import TransportPort

extension TransportFixture {
  /// Opens a world whose peer supports HTTP/2 and plays the script of each request.
  fileprivate func multiplexedWorld(
    _ onRequest: @escaping @Sendable (OriginRequest) -> OriginScript
  ) async throws -> TransportWorld {
    try await world(OriginPlan(version: .http2, onRequest: onRequest), scheme: .https)
  }
}

/// Creates content whose last chunk, ".", is held back until a condition holds, for at most 20 s.
func text(
  _ text: String, until isReleased: @escaping @Sendable () -> Bool
) -> HTTPRequestBody {
  .stream(
    Chunks { index in
      if index == 1 { _ = try await happens(within: .seconds(20), isReleased) }
      return index < 2 ? Array((index == 0 ? text : ".").utf8) : nil
    })
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var http2: [Clause<TransportFixture>] {
    Clause(
      "multiplex", "concurrent requests share one connection", from: "RFC 9113 §5 and §9.1"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let answers = (1...8).map { index in
        Task {
          let body = text("\(index)") { world.log.counts.requests == 8 }
          return try await world.answer(.put, "/\(index)", body: body).text
        }
      }
      try await world.expect("8 requests are open at the same time") { $0.requests == 8 }
      for (index, answer) in answers.enumerated() {
        checkEqual(try await answer.value, "\(index + 1).", "the content of response \(index + 1)")
      }
      checkEqual(
        Set(world.log.requests.map(\.head.target)), Set((1...8).map { "/\($0)" }),
        "the set of targets")
      checkEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "streams", "content larger than a flow-control window arrives unchanged on 6 streams at once",
      from: "RFC 9113 §5.2"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let answers = (0..<6).map { seed in
        Task {
          let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9 &+ seed) }
          let chunks = Chunks { index in
            let piece = content.dropFirst(index * 40_000).prefix(40_000)
            return piece.isEmpty ? nil : Array(piece)
          }
          let body = seed % 2 == 0 ? HTTPRequestBody.bytes(content) : .stream(chunks)
          return try await world.answer(.put, body: body).content == content
        }
      }
      for (seed, answer) in answers.enumerated() {
        let isSame = try await answer.value
        check(isSame, "the content of response \(seed) differs from that of its request")
      }
      // nghttpd runs in its own process, so its response can arrive before its log does.
      try await world.expect("all content arrives") { $0.bodyBytes >= 6 * 300_000 }
      checkEqual(
        world.log.requests.map(\.bodyCount), Array(repeating: 300_000, count: 6),
        "the list of content sizes")
      checkEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "trailers", "the trailer fields are available after the content", from: "RFC 9113 §8.1"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let exchange = try await world.send(.post, body: .text("hi"))
      checkEqual(exchange.body.trailerFields, nil, "the trailer section before the end")
      checkText(try await exchange.body.collect(upTo: 9), "hi", "the content")
      checkEqual(exchange.body.trailerFields, ["X-End": "yes"], "the trailer section")
    }
    Clause(
      "cancel-stream",
      "cancelling an exchange ends its stream, and no other stream of the connection",
      from: "RFC 9113 §5.4.2 and §8.1"
    ) { fixture in
      let world = try await fixture.echoWorld()
      let isOver: @Sendable (PeerLog.Counts) -> Bool = { $0.resetStreams + $0.closedByClient > 0 }
      let other = Task {
        try await world.answer(
          .put, body: text("other") { isOver(world.log.counts) }
        ).text
      }
      try await world.expect("the other request arrives") { $0.requests == 1 }
      let stalled = Chunks { index in
        if index == 1 { try await waitForCancellation() }
        return [0x61]
      }
      let cancelled = Task {
        await world.expectFailure(.cancelled, of: .put, body: .stream(stalled))
      }
      try await world.expect("both requests are open") { $0.requests == 2 }
      cancelled.cancel()
      _ = await cancelled.value
      let hasEnded = try await world.log.happens(within: .seconds(2), isOver)
      check(hasEnded, "the cancelled stream did not end within 2 s")
      checkEqual(world.log.counts.resetStreams, 1, "the number of reset streams")
      checkEqual(try await other.value, "other.", "the content of the other response")
      checkEqual(
        try await world.answer(.put, body: .text("next")).text, "next", "the next content")
      // nghttpd runs in its own process, so its response can arrive before its log does.
      try await world.expect("the next request arrives") { $0.requests == 3 }
      checkEqual(
        world.log.requests.map(\.head.connection), [1, 1, 1], "the list of connections")
      let only = Task {
        await world.expectFailure(.cancelled, of: .put, body: .stream(stalled))
      }
      try await world.expect("one more request is open") { $0.requests == 4 }
      only.cancel()
      _ = await only.value
      try await world.expect("the peer sees the end of the only open stream") {
        $0.resetStreams + $0.closedByClient > 1
      }
    }
    Clause(
      "unread-stream", "an unread response blocks no other on the connection",
      from: "RFC 9113 §5.2", requires: .scriptedServer
    ) { fixture in
      let block = [UInt8](repeating: 0x61, count: 65_536)
      // More than the 32 MiB that libcurl lets a server send on a stream.
      let world = try await fixture.multiplexedWorld { request in
        guard request.target == "/flood" else { return .respond(text: request.target) }
        return [
          .send("HTTP/1.1 200 OK\r\nContent-Length: \(560 * 65_536)\r\n\r\n"),
          .sendRepeatedly(block, count: 560),
        ]
      }
      let flood = try await world.send(.get, "/flood")
      for index in 1...20 {
        checkEqual(try await world.answer(.get, "/\(index)").text, "/\(index)", "the content")
      }
      var count = 0
      for try await bytes in flood.body { count += bytes.count }
      checkEqual(count, 560 * 65_536, "the number of bytes read")
      checkEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "request-trailers", "trailer fields are sent after the content", from: "RFC 9113 §8.1",
      requires: .scriptedServer
    ) { fixture in
      for isFirst in [false, true] {
        let world = try await fixture.multiplexedWorld { _ in .respond() }
        if !isFirst { try await world.answer() }
        let body = HTTPRequestBody.stream(Chunks("one", "two"), trailers: { ["X-Sum": "42"] })
        let seen = try await world.arrival(of: .post, body: body)
        checkText(seen.body, "onetwo", "the content")
        checkEqual(seen.trailers, ["X-Sum": "42"], "the trailer section")
      }
    }
    Clause(
      "length-and-trailers",
      "trailer fields follow content of a declared length, and exceed no limit of a head",
      from: "RFC 9113 §8.1, this project", requires: .scriptedServer
    ) { fixture in
      let head = "Content-Length: 2\r\nTransfer-Encoding: chunked\r\nTrailer: X-A, X-B\r\n\r\n"
      let world = try await fixture.multiplexedWorld { request in
        [
          .send(
            "HTTP/1.1 200 OK\r\n\(head)2\r\nhi\r\n0\r\nX-A: 1\r\nX-B: 2\r\nX-A: 3\r\n\r\n")
        ]
      }
      let exchange = try await world.send()
      checkText(try await exchange.body.collect(upTo: 9), "hi", "the content")
      checkEqual(
        exchange.body.trailerFields, ["X-A": "1", "X-B": "2", "X-A": "3"], "the trailer section")
      let many = (1...20).map { "X-\($0): 1\r\n" }.joined()
      let flooding = try await fixture.multiplexedWorld { request in
        [.send("HTTP/1.1 200 OK\r\n\(head)2\r\nhi\r\n0\r\n\(many)\r\n")]
      }
      var options = TransportOptions()
      options.headLimits = HTTPHeadLimits(bytes: 400, fields: 16)
      let error = await flooding.expectFailure(.headTooLarge, options: options)
      checkEqual(error?.phase, .receivingBody, "the phase")
    }
    Clause(
      "large-head", "a head of 300,000 bytes is sent completely over TLS, whatever the version",
      from: "RFC 9110 §5.4", requires: .scriptedServer
    ) { fixture in
      let value = String(repeating: "0123456789", count: 10_000)
      for version in [OriginPlan.Version.http11, .http2] {
        let world = try await fixture.world(
          OriginPlan(version: version) { _ in .respond() }, scheme: .https)
        for method in [HTTPRequest.Method.get, .post, .get] {
          let seen = try await world.arrival(
            of: method, "/", ["X-1": value, "X-2": value, "X-3": value],
            body: method == .post ? .text("hello") : .none)
          for name in ["X-1", "X-2", "X-3"] as [HTTPField.Name] {
            check(seen.fields[name] == value, "\(name) of \(method) over \(version) differs")
          }
          checkEqual(seen.bodyCount, method == .post ? 5 : 0, "the number of content bytes")
        }
      }
    }
    Clause(
      "connection-fields", "connection-specific fields and reason phrases are not transmitted",
      from: "RFC 9113 §8.2.2 and §8.3.2", requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld { _ in
        .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Kept: 1\r\n\r\n0\r\n\r\n")
      }
      let fields: HTTPFields = [.connection: "close", "Keep-Alive": "timeout=5", "X-Kept": "1"]
      let seen = try await world.arrival(of: .post, "/a?b", fields, body: .stream(Chunks("hi")))
      for name in [HTTPField.Name.connection, "Keep-Alive", .transferEncoding] {
        checkEqual(seen.fields[values: name], [], "\(name)")
      }
      checkEqual(seen.fields["X-Kept"], "1", "X-Kept")
      let response = try await world.answer().exchange.response
      checkEqual(response.status.reasonPhrase, "", "the reason phrase")
      checkEqual(response.headerFields.map(\.name.rawName), ["x-kept"], "the names received")
      checkEqual(seen.head.target, "/a?b", "the target")
      checkEqual(seen.fields[.host], "127.0.0.1:\(world.peers[0].port)", "Host")
    }
    Clause(
      "go-away", "after GOAWAY, open requests complete and new requests use another connection",
      from: "RFC 9113 §6.8", requires: .scriptedServer, timeLimit: .seconds(60)
    ) { fixture in
      let leave = OriginScript([.goAway(isProcessed: true)]) + .respond(text: "last")
      let world = try await fixture.multiplexedWorld { request in
        request.target == "/leave" ? leave : .respond(text: request.target)
      }
      let hasLeft = Counter()
      let before = Task {
        try await world.answer(.put, "/before", body: text("a") { hasLeft.value == 1 }).text
      }
      try await world.expect("the first request arrives") { $0.requests == 1 }
      checkEqual(try await world.answer(.get, "/leave").text, "last", "the content with GOAWAY")
      checkEqual(try await world.answer(.get, "/after").text, "/after", "the content after GOAWAY")
      hasLeft.increment()
      checkEqual(try await before.value, "/before", "the content of the request before GOAWAY")
      let connections = world.log.requests.map { "\($0.head.target) \($0.head.connection)" }
      checkEqual(
        connections, ["/before 1", "/leave 1", "/after 2"],
        "the list of targets with their connections")
    }
    Clause(
      "go-away-unprocessed",
      "a request that GOAWAY reports as unprocessed is retried, whatever its method",
      from: "RFC 9113 §6.8 and §8.7", requires: .scriptedServer
    ) { fixture in
      for method in [HTTPRequest.Method.get, .put, .post] {
        let world = try await fixture.multiplexedWorld { request in
          request.target == "/leave" && request.connection == 1
            ? [.goAway(isProcessed: false)] : .respond(text: "\(request.connection)")
        }.through { $0.retryingWhenSafe() }
        checkEqual(try await world.answer().text, "1", "the first content")
        let answer = try? await world.answer(method, "/leave", body: .text("pay"))
        checkEqual(answer?.text, "2", "the content of \(method) after GOAWAY")
        checkEqual(world.log.requests.last?.bodyCount, 3, "the number of bytes in the retry")
        checkEqual(world.log.requests.count, 3, "the number of requests")
      }
      let bare = try await fixture.multiplexedWorld { _ in [.goAway(isProcessed: false)] }
      let error = await bare.expectFailure(.connectionReset, of: .post, body: .text("pay"))
      checkEqual(error?.isRetrySafe, true, "whether a retry is safe")
    }
    Clause(
      "go-away-others", "GOAWAY ends only the open requests that it does not cover, as unprocessed",
      from: "RFC 9113 §6.8 and §8.7", requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld { request in
        switch (request.target, request.connection) {
        case ("/leave", 1): [.pause(.milliseconds(300)), .goAway(isProcessed: false)]
        case ("/later", 1): [.readBody, .stall]
        default: .respond(text: request.connection == 1 ? "the first" : "another")
        }
      }.through { $0.retryingWhenSafe() }
      let isOver = Counter()
      let before = Task {
        try await world.answer(.put, "/before", body: text("a") { isOver.value == 1 }).text
      }
      try await world.expect("the first request arrives") { $0.requests == 1 }
      let leave = Task { try await world.answer(.post, "/leave").text }
      try await world.expect("the second request arrives") { $0.requests == 2 }
      checkEqual(
        try await world.answer(.post, "/later").text, "another", "the connection of a later request"
      )
      checkEqual(try await leave.value, "another", "the connection of the request with GOAWAY")
      isOver.increment()
      checkEqual(try await before.value, "the first", "the connection of the request before GOAWAY")
      checkEqual(world.log.counts.resetStreams, 0, "the number of reset streams")
    }
    Clause(
      "go-away-behind-content",
      "GOAWAY right behind a long response ends only the requests that it does not cover",
      from: "RFC 9113 §6.8 and §8.7", requires: .scriptedServer
    ) { fixture in
      let block = [UInt8](repeating: 0x61, count: 65_536)
      for _ in 1...3 {
        let world = try await fixture.multiplexedWorld { request in
          switch (request.target, request.connection) {
          case ("/first", 1):
            [
              .pause(.milliseconds(100)),
              .send("HTTP/1.1 200 OK\r\nContent-Length: \(4 * 65_536)\r\n\r\n"),
              .sendRepeatedly(block, count: 4), .goAway(isProcessed: true),
            ]
          case (_, 1): [.stall]
          default: .respond(text: "another")
          }
        }.through { $0.retryingWhenSafe() }
        let first = Task { try await world.answer(.get, "/first").text.utf8.count }
        try await world.expect("the first request arrives") { $0.requests == 1 }
        let later = (1...3).map { _ in Task { try await world.answer(.post, "/later").text } }
        checkEqual(try await first.value, 4 * 65_536, "the number of bytes before GOAWAY")
        for answer in later {
          checkEqual(try await answer.value, "another", "the connection of a later request")
        }
      }
    }
    Clause(
      "broken-connection", "the end of a connection fails all of its requests",
      from: "RFC 9113 §5.4.1", requires: .scriptedServer
    ) { fixture in
      for step in [ScriptStep.close, .reset] {
        let world = try await fixture.multiplexedWorld { request in
          switch request.target {
          case "/stall": [.readBody, .stall]
          case "/break": [.readBody, step]
          default: .respond(text: "\(request.connection)")
          }
        }
        // POST: a transport may repeat idempotent requests on another connection.
        let stalled = Task {
          await world.expectFailure(.emptyReply, .connectionReset, of: .post, "/stall")
        }
        try await world.expect("the first request arrives") { $0.requests == 1 }
        await world.expectFailure(.emptyReply, .connectionReset, of: .post, "/break")
        _ = await stalled.value
        check(try await world.answer().text != "1", "the next request uses the broken connection")
      }
    }
    Clause(
      "shared-place", "a connection keeps its place as long as a request on it is open",
      from: "RFC 9113 §9.1", requires: .scriptedServer
    ) { fixture in
      let plan = OriginPlan(version: .http2) { request in
        let head = ScriptStep.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        return switch request.target {
        case "/open": [head, .stall]
        case "/reset": [.readBody, .resetStream(2)]
        default: .respond(text: "shared")
        }
      }
      let world = try await fixture.world(plan, scheme: .https) {
        $0.limits = ConnectionLimits(perOrigin: 1, total: 1)
      }
      // Two names of one peer are two origins.
      let other = HTTPRequest(url: "https://localhost:\(world.peers[0].port)/")
      // A connection that was idle before is no longer idle.
      checkEqual(try await world.answer().text, "shared", "the first content")
      let open = [try await world.send(.get, "/open"), try await world.send(.get, "/open")]
      let waiting = Task { try await world.answer(to: other).status }
      for exchange in open {
        let isEarly = try await world.log.happens(within: .milliseconds(200)) { $0.requests > 3 }
        check(!isEarly, "the other origin has a connection beyond the limit")
        exchange.body.cancel()
      }
      checkEqual(try await waiting.value, 200, "the status of the other origin")
      checkEqual(try await world.answer().text, "shared", "the content")
      await world.expectFailure(.connectionReset, of: .get, "/reset")
      checkEqual(try await world.answer(to: other).status, 200, "the status of the other origin")
      checkEqual(
        world.log.requests.map(\.head.connection), [1, 1, 1, 2, 3, 3, 4],
        "the list of connections")
    }
    Clause(
      "sent-once", "a request that is not idempotent is not retried after its connection breaks",
      from: "RFC 9110 §9.2.2", requires: .scriptedServer
    ) { fixture in
      for step in [ScriptStep.close, .reset] {
        let world = try await fixture.multiplexedWorld { request in
          request.ordinal == 1 ? .respond(text: "\(request.connection)") : [.readBody, step]
        }.through { $0.retryingWhenSafe(attempts: 3) }
        try await world.answer()
        let error = await world.expectFailure(
          .emptyReply, .connectionReset, of: .post, body: .text("pay"))
        checkEqual(error?.isRetrySafe, false, "whether a retry is safe")
        // A client may have opened the second connection for the POST, and then not sent it.
        let other = try await world.answer(.get).text
        check(["2", "3"].contains(other), "the GET was answered on connection \(other)")
        checkEqual(
          world.log.requests.filter { $0.head.method == .post }.count, 1,
          "the number of received POSTs")
      }
    }
    Clause(
      "cancelled-content", "content of a cancelled response is never part of another one",
      from: "this project", requires: .scriptedServer
    ) { fixture in
      let count = 64 * 65_536
      let world = try await fixture.multiplexedWorld { request in
        let head = ScriptStep.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        guard let letter = request.target.utf8.last, request.target != "/open" else {
          return [head, .stall]
        }
        let chunk = Array("10000\r\n".utf8) + Array(repeating: letter, count: 65_536)
        return [head, .sendRepeatedly(chunk + [13, 10], count: 64), .send("0\r\n\r\n")]
      }
      // Keeps the connection in use, while the others fill the buffers of their unread responses.
      let open = try await world.send(.get, "/open")
      for (index, letter) in ["a", "b", "c"].enumerated() {
        let exchange = try await world.send(.get, "/\(letter)")
        try await world.expect("the server has sent response \(letter)") {
          $0.sentBytes == 0 || $0.sentBytes > (index + 1) * count
        }
        guard letter == "c" else {
          exchange.body.cancel()
          continue
        }
        let content = try await exchange.body.collect(upTo: 1 << 24)
        checkEqual(content.count, count, "the number of bytes")
        check(
          content.allSatisfy { $0 == UInt8(ascii: "c") }, "the response contains other content")
      }
      open.body.cancel()
      checkEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "reset-stream",
      "a stream that the server resets fails alone, and is safe to retry if it is idempotent",
      from: "RFC 9113 §5.4.2, RFC 9110 §9.2.2", requires: .scriptedServer
    ) { fixture in
      // INTERNAL_ERROR and CANCEL, and violations of the protocol, which would recur.
      for (code, kind) in [
        (UInt32(2), TransportError.Kind.connectionReset), (8, .connectionReset),
        (0, .connectionReset), (1, .protocolViolation), (3, .protocolViolation),
        (4, .protocolViolation),
        (5, .protocolViolation), (6, .protocolViolation), (9, .protocolViolation),
        (12, .protocolViolation),
      ] {
        let world = try await fixture.multiplexedWorld { request in
          request.target == "/fail" ? [.readBody, .resetStream(code)] : .respond(text: "hi")
        }
        for method in [HTTPRequest.Method.get, .post] {
          let body = method == .post ? HTTPRequestBody.text("pay") : .none
          let error = await world.expectFailure(kind, of: method, "/fail", body: body)
          checkEqual(
            error?.isRetrySafe, kind == .connectionReset && method == .get,
            "whether a retry of \(method) is safe after stream error \(code)")
          checkEqual(error?.bytesSent, true, "whether bytes were sent")
          checkEqual(try await world.answer().text, "hi", "the next content")
        }
        checkEqual(world.log.counts.connections, 1, "the number of connections")
        checkEqual(world.log.counts.resetStreams, 0, "the number of streams that the client reset")
      }
      let world = try await fixture.multiplexedWorld { _ in
        [
          .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"), .pause(.milliseconds(50)),
          .resetStream(2),
        ]
      }
      let error = await world.expectFailure(.connectionReset)
      checkEqual(error?.phase, .receivingBody, "the phase of a reset within the content")
    }
    Clause(
      "refused-stream",
      "a refused first request of a connection is retried, but not once it may be processed",
      from: "RFC 9113 §8.7, RFC 9110 §9.2.2", requires: .scriptedServer
    ) { fixture in
      // libcurl 7.88 does not tell the refusal of a later request from the end of the connection.
      let refused = UInt32(7)
      for method in [HTTPRequest.Method.get, .put, .post] {
        let counter = Counter()
        let world = try await fixture.multiplexedWorld { _ in
          counter.increment() == 1
            ? [.readBody, .resetStream(refused)] : .respond(text: "processed")
        }.through { $0.retryingWhenSafe() }
        let answer = try? await world.answer(method, body: .text("pay"))
        checkEqual(answer?.text, "processed", "the content of \(method) after its refusal")
        checkEqual(counter.value, 2, "the number of requests")
      }
      // A processed stream that ends with its connection, and one after a refusal.
      for steps in [[.goAway(isProcessed: true), .reset], [ScriptStep.reset]] {
        let counter = Counter()
        let world = try await fixture.multiplexedWorld { _ in
          counter.increment() == 1 && steps.count == 1
            ? [.readBody, .resetStream(refused)] : OriginScript([.readBody] + steps)
        }.through { $0.retryingWhenSafe(attempts: 3) }
        let error = await world.expectFailure(
          .emptyReply, .connectionReset, of: .post, body: .text("pay"))
        checkEqual(error?.isRetrySafe, false, "whether a retry is safe")
        checkEqual(counter.value, 3 - steps.count, "the number of requests")
      }
    }
    Clause(
      "go-away-late", "GOAWAY after a response ends the use of its connection for new requests",
      from: "RFC 9113 §6.8", requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld { request in
        .respond(text: "\(request.connection)")
          + (request.target == "/leave" ? [.goAway(isProcessed: true)] : [])
      }.through { $0.retryingWhenSafe() }
      checkEqual(try await world.answer().text, "1", "the first content")
      checkEqual(try await world.answer(.get, "/leave").text, "1", "the content before GOAWAY")
      checkEqual(try await world.answer().text, "2", "the content after GOAWAY")
    }
    Clause(
      "go-away-at-once", "requests that wait for a connection with GOAWAY are sent on another",
      from: "RFC 9113 §6.8", requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld { request in
        request.connection == 1
          ? [.goAway(isProcessed: true)] + .respond(text: "first") : .respond(text: "other")
      }.through { $0.retryingWhenSafe() }
      let answers = (1...20).map { _ in Task { try await world.answer().text } }
      var texts: [String] = []
      for answer in answers { texts.append((try? await answer.value) ?? "none") }
      checkEqual(texts.filter { $0 == "first" }.count, 1, "the number of answers before GOAWAY")
      checkEqual(texts.filter { $0 == "other" }.count, 19, "the number of answers after GOAWAY")
    }
    Clause(
      "cut-when-kept",
      "a response that is cut off on a kept connection is an error, not a new request",
      from: "RFC 9113 §8.1", requires: .scriptedServer
    ) { fixture in
      let head = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")
      for ending in [ScriptStep.close, .closeWithoutNotify, .reset] {
        let world = try await fixture.multiplexedWorld {
          $0.ordinal == 1 ? .respond() : [head, .pause(.milliseconds(20)), ending]
        }
        try await world.expectCut()
      }
    }
    Clause(
      "streamed-once", "a streamed body is sent again as a whole or not at all",
      from: "RFC 9113 §8.7, RFC 9110 §9.2.2", requires: .scriptedServer
    ) { fixture in
      for ending in [ScriptStep.close, .reset, .resetStream(7)] {
        let world = try await fixture.multiplexedWorld {
          $0.ordinal == 1 || $0.method == .get
            ? [.readBody] + .respond() : [.readBodyBytes(5), ending]
        }
        try await world.expectStreamedOnce()
      }
    }
    Clause(
      "server-closes", "a connection that the server closes after a response is not reused",
      from: "RFC 9113 §9.1", requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld {
        .respond(text: "\($0.connection)") + [.close]
      }
      try await world.expectClosedByServer()
    }
    Clause(
      "early-response",
      "a final response can precede the end of the request's content",
      from: "RFC 9113 §8.1", requires: .scriptedServer
    ) { fixture in
      let world = try await fixture.multiplexedWorld { request in
        request.method == .post
          ? [.readBodyBytes(1), .send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")]
          : .respond(text: "hi")
      }
      let chunks = Chunks { index in
        if index > 0 { try await waitForCancellation() }
        return [1]
      }
      checkEqual(try await world.answer(.post, body: .stream(chunks)).status, 413, "the status")
      try await world.expect("the client ends the stream") {
        $0.resetStreams + $0.closedByClient == 1
      }
      checkEqual(try await world.answer().text, "hi", "the next content")
    }
    Clause(
      "upload-after-error", "the content goes on after an error status",
      from: "RFC 9113 §8.1", requires: .scriptedServer
    ) { fixture in
      for status in [303, 413, 500] {
        let world = try await fixture.multiplexedWorld { _ in .readingUpload(after: status) }
        try await world.expectUpload(after: status)
      }
    }
    Absence(of: .scriptedServer, "the server responds on its own, with 404 for an unknown file") {
      fixture in
      checkEqual(try await fixture.echoWorld().answer(.get, "/none").status, 404, "the status")
    }
  }
}
