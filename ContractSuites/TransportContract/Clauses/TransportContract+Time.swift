import ContractTesting
import Testing
import TransportPort

private let incomplete = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"

extension TransportFixture {
  /// Opens a world whose peer ends each connection after reading the second request on it.
  fileprivate func endingReusedConnections(by step: ScriptStep) async throws -> TransportWorld {
    try await world(
      OriginPlan { $0.ordinal == 1 ? .respond(text: "\($0.connection)") : [.readBody, step] })
  }
}

extension TransportFixture {
  /// Checks that a timeout ends an exchange and its connection.
  ///
  /// On a busy machine the timeout can pass before the phase begins, so there are ten attempts.
  fileprivate func expectEnd(
    _ kind: TransportError.Kind, in phase: TransportError.Phase, of script: OriginScript,
    _ deadlines: Deadlines, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for _ in 1...10 {
      let world = try await world(script)
      let error = await world.through { $0.enforcing(deadlines) }
        .expectFailure(kind, sourceLocation: sourceLocation)
      guard let error else { return }
      guard error.phase == phase, world.log.counts.requests > 0 else { continue }
      try await world.expect(
        "the connection is closed", { $0.closedByClient == 1 }, sourceLocation: sourceLocation)
      return
    }
    Issue.record(
      "the timeout passed before the phase \(phase.rawValue) in all 10 attempts",
      sourceLocation: sourceLocation)
  }
}

extension TransportClauses {
  /// Checks that a second request is answered while the first is not.
  private static func expectSecondResponse(
    over scheme: HTTPOrigin.Scheme, _ fixture: TransportFixture
  ) async throws {
    let world = try await fixture.world(
      OriginPlan { $0.target == "/silent" ? [.readBody, .stall] : .respond(text: "hi") },
      scheme: scheme)
    let silent = Task { try await world.answer(.get, "/silent") }
    try await world.expect("the first request arrives") { $0.requests == 1 }
    let second = Task { try await world.answer().text }
    let hasArrived = try await world.log.happens(within: .seconds(2)) { $0.requests == 2 }
    check(hasArrived, "the second request waits for the first response")
    silent.cancel()
    _ = try? await silent.value
    checkEqual(try await second.value, "hi", "the content of the second response")
  }

  @ClauseBuilder<TransportFixture>
  static var time: [Clause<TransportFixture>] {
    Clause(
      "connect-timeout", "the connect timeout ends connecting, with a separate error",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(OriginPlan(reachability: .silent) { _ in [] })
      let limited = world.through { $0.enforcing(Deadlines(connect: .milliseconds(100))) }
      let error = await limited.expectFailure(.connectTimeout)
      checkEqual(error?.phase, .connecting, "the phase")
      checkEqual(error?.bytesSent, false, "whether bytes were sent")
      checkEqual(error?.isRetrySafe, true, "whether a retry is safe")
    }
    Clause(
      "idle-timeout",
      "the idle timeout ends a stalled response, before its head and within its content",
      from: "this project", requires: .connections
    ) { fixture in
      let idle = Deadlines(idle: .milliseconds(200))
      try await fixture.expectEnd(.idleTimeout, in: .awaitingHead, of: [.readBody, .stall], idle)
      try await fixture.expectEnd(
        .idleTimeout, in: .receivingBody, of: .raw(incomplete) + [.stall], idle)
    }
    Clause(
      "deadline", "the overall deadline ends a response that never stops sending",
      from: "this project", requires: .connections
    ) { fixture in
      let drip = OriginScript(
        [[ScriptStep]](repeating: [.pause(.milliseconds(20)), .send("a")], count: 5000).flatMap(
          \.self))
      try await fixture.expectEnd(
        .deadlineExceeded, in: .receivingBody, of: .raw("HTTP/1.1 200 OK\r\n\r\n") + drip,
        Deadlines(idle: .seconds(30), overall: .milliseconds(200)))
    }
    Clause(
      "precision", "a timeout of 150 ms expires after 150 to 400 ms", from: "this project",
      requires: .connections
    ) { fixture in
      let world = try await fixture.world(OriginPlan(reachability: .silent) { _ in [] })
      let stalled = try await fixture.world([.readBody, .stall])
      for (world, deadlines) in [
        (world, Deadlines(connect: .milliseconds(150))),
        (stalled, Deadlines(idle: .milliseconds(150))),
        (stalled, Deadlines(overall: .milliseconds(150))),
      ] {
        let taken = try await shortest(of: 3...8, under: .milliseconds(400)) {
          let start = ContinuousClock.now
          _ = try? await world.through { $0.enforcing(deadlines) }.answer()
          let taken = ContinuousClock.now - start
          check(taken >= .milliseconds(150), "the timeout of 150 ms expired after \(taken)")
          return taken
        }
        check(taken < .milliseconds(400), "the timeout of 150 ms expired after \(taken)")
      }
    }
    Clause(
      "cancelled-before", "a request of a cancelled task opens no connection",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        let error = await world.expectFailure(.cancelled)
        checkEqual(error?.bytesSent, false, "whether bytes were sent")
        // A policy may run the request in another task, which must not start uncancelled. The
        // start of that task competes with its cancellation, so one attempt shows little.
        let limited = world.through { $0.enforcing(Deadlines(overall: .seconds(60))) }
        for _ in 1...200 { await limited.expectFailure(.cancelled) }
      }
      await task.value
      checkEqual(world.log.counts.connections, 0, "the number of connections")
    }
    Clause(
      "cancel-head",
      "a request cancelled before the head ends within 100 ms and closes its connection",
      from: "this project", requires: .connections
    ) { fixture in
      let taken = try await shortest(of: 1...8, under: .milliseconds(100)) {
        let world = try await fixture.world([.send("HTTP/1.1 200 OK\r\nA: b\r\n"), .stall])
        // A policy passes the cancellation on.
        let limited = world.through { $0.enforcing(Deadlines(overall: .seconds(60))) }
        let task = Task { await limited.expectFailure(.cancelled) }
        try await world.expect("the request arrives") { $0.requests == 1 }
        let start = ContinuousClock.now
        task.cancel()
        let error = await task.value
        let taken = ContinuousClock.now - start
        checkEqual(error?.isRetrySafe, false, "whether a retry is safe")
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
        return taken
      }
      check(taken < .milliseconds(100), "the request ended \(taken) after its cancellation")
    }
    Clause(
      "cancel-body",
      "a response cancelled within its content ends within 100 ms and closes its connection",
      from: "this project", requires: .connections
    ) { fixture in
      let taken = try await shortest(of: 1...8, under: .milliseconds(100)) {
        let world = try await fixture.world(.raw(incomplete) + [.stall])
        let exchange = try await world.send()
        var first = exchange.body.makeAsyncIterator()
        checkText(try await first.next(), "abc", "the content before the cancellation")
        let task = Task { () async -> TransportError? in
          var rest = exchange.body.makeAsyncIterator()
          do throws(TransportError) { _ = try await rest.next() } catch { return error }
          return nil
        }
        let start = ContinuousClock.now
        task.cancel()
        let error = await task.value
        let taken = ContinuousClock.now - start
        checkEqual(error?.kind, .cancelled, "the error of the reader")
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
        return taken
      }
      check(taken < .milliseconds(100), "the response ended \(taken) after its cancellation")
    }
    Clause(
      "slow-name", "a slow name lookup delays no other request, even if it is cancelled",
      from: "this project", requires: .connections
    ) { fixture in
      let quick = try fixture.peer(.respond(text: "hi"))
      let slow = try fixture.peer(
        OriginPlan(reachability: .resolvingSlowly(.seconds(30))) { _ in .respond() })
      let world = try await fixture.world([quick, slow])
      let start = ContinuousClock.now
      let lookup = Task { _ = try? await world.transport.send(HTTPRequest(url: slow.url)) }
      checkEqual(try await world.answer().text, "hi", "the content during the lookup")
      lookup.cancel()
      await lookup.value
      checkEqual(try await world.answer().text, "hi", "the content after the lookup was cancelled")
      let taken = ContinuousClock.now - start
      check(taken < .seconds(15), "two requests took \(taken) during and after a lookup of 30 s")
      checkEqual(slow.log.counts.requests, 0, "the number of requests to the slow name")
    }
    Clause(
      "cancel-storm",
      "cancelling 200 requests in various phases ends all of them and their connections",
      from: "this project", requires: .connections, timeLimit: .seconds(60)
    ) { fixture in
      let scripts: [OriginScript] = [
        [.stall], [.send("HTTP/1.1 2"), .stall], .raw(incomplete) + [.stall],
        [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeatedly([0x61], count: nil)],
        .respond(text: "done"),
      ]
      let world = try await fixture.world(
        OriginPlan { scripts[($0.connection + $0.ordinal) % scripts.count] })
      // A transport that starts slowly would otherwise see only cancelled requests.
      let first = Task { try await world.answer().status }
      try await world.expect("a connection is opened") { $0.connections >= 1 }
      await withTaskGroup { group in
        for index in 0..<200 {
          group.addTask {
            let task = Task { try await world.answer(index % 3 == 0 ? .post : .get).status }
            try? await Task.sleep(for: .microseconds(index * 37 % 20_000))
            task.cancel()
            _ = try? await task.value
          }
        }
      }
      first.cancel()
      _ = try? await first.value
      await world.shutDown()
      try await world.expect("every connection is closed") {
        $0.connections == $0.closedByClient + $0.closedByPeer
      }
    }
    Clause(
      "dropped-response", "releasing an unread response frees its connection", from: "this project",
      requires: .connections
    ) { fixture in
      let flood = ScriptStep.sendRepeatedly([0x61], count: nil)
      let world = try await fixture.world(
        [.send("HTTP/1.1 200 OK\r\n\r\n"), flood], .respond(text: "hi")
      ) { $0.limits = ConnectionLimits(perOrigin: 1, total: 1) }
      var exchange: HTTPExchange? = try await world.send()
      checkEqual(exchange?.response.status.code, 200, "the status")
      exchange = nil
      checkEqual(try await world.answer().text, "hi", "the content of the next response")
      try await world.expect("the first connection is closed") { $0.closedByClient >= 1 }
    }
    Clause(
      "reuse", "later requests reuse the connection", from: "RFC 9112 §9.3", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.respond())
      for method in [HTTPRequest.Method.get, .post, .head, .delete, .get] {
        try await world.answer(method)
      }
      checkEqual(
        world.log.requests.map(\.head.connection), [1, 1, 1, 1, 1], "the list of connections")
      checkEqual(
        world.log.requests.map(\.head.ordinal), [1, 2, 3, 4, 5],
        "the list of positions on the connection")
      for length in [5, nil, nil] {
        try await world.answer(.put, body: .stream(Chunks("hel", "lo"), length: length))
      }
      checkEqual(world.log.counts.connections, 1, "the number of connections after streams")
    }
    Clause(
      "connection-close", "a connection is not reused after a response with `Connection: close`",
      from: "RFC 9112 §9.6", requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        .respond(headerFields: [.connection: "Close"], text: "hi"))
      for _ in 1...2 { checkEqual(try await world.answer().text, "hi", "the content") }
      checkEqual(world.log.requests.map(\.head.connection), [1, 2], "the list of connections")
      let later = try await fixture.world(
        OriginPlan {
          .respond(headerFields: $0.ordinal == 2 ? [.connection: "close"] : [:], text: "hi")
        })
      for _ in 1...3 { checkEqual(try await later.answer().text, "hi", "the content") }
      checkEqual(later.log.requests.map(\.head.connection), [1, 1, 2], "the list of connections")
    }
    Clause(
      "asks-close", "a connection is not reused after a request with `Connection: close`",
      from: "RFC 9112 §9.6", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.respond(text: "hi"))
      for _ in 1...2 { try await world.answer(.get, "/", [.connection: "close"]) }
      checkEqual(world.log.requests.map(\.head.connection), [1, 2], "the list of connections")
      checkEqual(world.log.requests.first?.fields[.connection], "close", "Connection")
      let kept = try await fixture.world(.respond(text: "hi") + [.stall])
      for _ in 1...2 { try await kept.answer(.get, "/", [.connection: "close"]) }
      try await kept.expect("the client closes both connections") { $0.closedByClient == 2 }
    }
    Clause(
      "stale-retry", "an idempotent request is retried on a new connection if a reused one ends",
      from: "RFC 9112 §9.3.1, RFC 9110 §9.2.2", requires: .connections
    ) { fixture in
      // Over HTTP/1.1 a connection has no stream that could be reset apart from it.
      for step in [ScriptStep.close, .reset, .resetStream(2)] {
        let world = try await fixture.endingReusedConnections(by: step).through {
          $0.retryingWhenSafe()
        }
        checkEqual(try await world.answer().text, "1", "the first content")
        checkEqual(try await world.answer().text, "2", "the content after the connection ended")
        let put = try await world.answer(.put, body: .text("body"))
        checkEqual(put.text, "3", "the content after the next connection ended")
        checkEqual(world.log.requests.last?.bodyCount, 4, "the number of bytes in the retry")
      }
    }
    Clause(
      "retry-connection", "a retry uses a new connection and no other that may have ended as well",
      from: "RFC 9112 §9.3.1", requires: .connections
    ) { fixture in
      // Each connection ends when its second request arrives.
      let world = try await fixture.world(
        OriginPlan {
          $0.ordinal == 1
            ? .respond(text: "hi") : [.readBody, .close]
        }
      ).through { $0.retryingWhenSafe() }
      var options = TransportOptions()
      for reuses in [true, false] {
        options.reusesConnections = reuses
        try await world.answer(options: options)
      }
      checkEqual(try await world.answer().text, "hi", "the content of the retry")
      checkEqual(world.log.requests.last?.head.connection, 3, "the connection of the retry")
    }
    Clause(
      "sent-once", "a request that is not idempotent is sent at most once",
      from: "RFC 9110 §9.2.2", requires: .connections
    ) { fixture in
      for step in [ScriptStep.close, .reset] {
        for body in [HTTPRequestBody.none, .text("pay"), .stream(Chunks("pay"))] {
          // Every connection, new or reused, ends when it receives a POST.
          let plan = OriginPlan { $0.method == .post ? [.readBody, step] : .respond() }
          let world = try await fixture.world(plan).through { $0.retryingWhenSafe(attempts: 3) }
          try await world.answer()
          let error = await world.expectFailure(
            .emptyReply, .connectionReset, of: .post, body: body)
          checkEqual(error?.isRetrySafe, false, "whether a retry is safe")
          checkEqual(error?.bytesSent, true, "whether bytes were sent")
          try await world.answer(.get)
          checkEqual(
            world.log.requests.filter { $0.head.method == .post }.count, 1,
            "the number of received POSTs")
        }
      }
    }
    Clause(
      "origin-limit",
      "connections to one origin stay within the limit without delaying other origins",
      from: "RFC 9112 §9.4", requires: .connections
    ) { fixture in
      let full = try fixture.peer(.raw(incomplete) + [.stall])
      let other = try fixture.peer(.respond(text: "hi"))
      let world = try await fixture.world([full, other]) {
        $0.limits = ConnectionLimits(perOrigin: 2, total: 10)
      }
      // A connection that has ended no longer counts toward the limit; each counts once.
      for _ in 1...2 { try await world.send().body.cancel() }
      let before = full.log.counts.connections
      let held = [try await world.send(), try await world.send()]
      let third = Task { try await world.send().response.status.code }
      let content = try await world.transport.send(HTTPRequest(url: other.url)).body.collect(
        upTo: 9)
      checkText(content, "hi", "the content from the other origin")
      let isExceeded = try await full.log.happens(within: .milliseconds(300)) {
        $0.connections > before + 2
      }
      check(!isExceeded, "more than 2 connections are open")
      held[0].body.cancel()
      checkEqual(try await third.value, 200, "the status of the waiting request")
    }
    Clause(
      "silent-first", "a request without a response delays no other to the same origin",
      from: "this project", requires: .connections
    ) { fixture in try await Self.expectSecondResponse(over: .http, fixture) }
    Clause(
      "silent-first-tls",
      "a request without a response over TLS delays no other to the same origin",
      from: "this project", requires: .customAuthorities, .connections
    ) { fixture in try await Self.expectSecondResponse(over: .https, fixture) }
    Clause(
      "total-limit", "the total of connections stays within the limit, and further requests wait",
      from: "RFC 9112 §9.4", requires: .connections
    ) { fixture in
      let world = try await fixture.world([.readBody, .stall]) {
        $0.limits = ConnectionLimits(perOrigin: 10, total: 2)
      }
      // Two names of one peer are two origins.
      let urls = [
        "http://127.0.0.1:\(world.peers[0].port)/", "http://localhost:\(world.peers[0].port)/",
      ]
      let first = urls.map { url in
        Task { try await world.answer(to: HTTPRequest(url: url)).status }
      }
      try await world.expect("two requests arrive") { $0.requests == 2 }
      let more = urls.map { url in Task { try await world.answer(to: HTTPRequest(url: url)).status }
      }
      try await fixture.passTime()
      let isExceeded = try await world.log.happens(within: .milliseconds(400)) {
        $0.connections > 2
      }
      check(!isExceeded, "more than 2 connections are open")
      for task in first { task.cancel() }
      try await world.expect("the waiting requests arrive") { $0.requests == 4 }
      for task in first + more {
        task.cancel()
        _ = try? await task.value
      }
    }
    Clause(
      "crowd", "1,000 concurrent requests are answered over at most 64 connections",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        OriginPlan { [.readBody, .pause(.milliseconds(5))] + .respond(text: $0.target) }
      ) {
        $0.limits = ConnectionLimits(perOrigin: 64, total: 64)
      }
      try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for index in 0..<1000 {
          group.addTask { (index, try await world.answer(.get, "/\(index)").text) }
        }
        for try await (index, text) in group { checkEqual(text, "/\(index)", "the content") }
      }
      checkEqual(world.log.requests.count, 1000, "the number of requests")
      let connections = world.log.counts.connections
      check(connections <= 64, "\(connections) connections were opened")
    }
    Clause(
      "slow-consumer", "a response is received only as fast as it is read", from: "this project",
      requires: .connections
    ) { fixture in
      let block = [UInt8](repeating: 0x61, count: 65_536)
      let world = try await fixture.world([
        .readBody, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
        .sendRepeatedly(block, count: 768), .close,
      ])
      let exchange = try await world.send()
      var (sent, isReceived) = (-1, false)
      while !isReceived, world.log.counts.sentBytes > sent {
        sent = world.log.counts.sentBytes
        isReceived = try await world.log.happens(within: .milliseconds(100)) { $0.closedByPeer > 0 }
        // A busy machine may let nothing else run meanwhile.
        try await fixture.passTime()
      }
      check(!isReceived, "48 MiB were received without a reader")
      var count = 0
      for try await bytes in exchange.body { count += bytes.count }
      checkEqual(count, 768 * 65_536, "the number of bytes read")
    }
    Clause(
      "shutdown", "shutting down fails all pending and later requests",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world([.readBody, .stall]) {
        $0.limits = ConnectionLimits(perOrigin: 1, total: 1)
      }
      let first = Task { await world.expectFailure(.shutDown) }
      try await world.expect("the first request arrives") { $0.requests == 1 }
      let waiting = Task { await world.expectFailure(.shutDown)?.bytesSent }
      try await fixture.passTime()
      await world.shutDown()
      _ = await first.value
      checkEqual(await waiting.value, false, "whether bytes of the waiting request were sent")
      let later = await world.expectFailure(.shutDown)
      checkEqual(later?.bytesSent, false, "whether bytes of a later request were sent")
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      checkEqual(world.log.counts.requests, 1, "the number of requests")
    }
    Absence(of: .connections, "requests are answered without a connection to the peer") { fixture in
      let world = try await fixture.world(.respond(text: "hi"))
      checkEqual(try await world.answer().text, "hi", "the content")
      checkEqual(world.log.counts.connections, 0, "the number of connections")
    }
  }
}
