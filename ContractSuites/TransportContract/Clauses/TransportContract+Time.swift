import ContractTesting
import Testing
import TransportPort

private let open = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"

/// The shortest of several measurements, so that a busy machine is not taken for a slow transport.
private func best(
  of counts: ClosedRange<Int>, under limit: Duration, _ measure: () async throws -> Duration
) async throws -> Duration {
  var best = try await measure()
  for count in 1..<counts.upperBound where count < counts.lowerBound || best >= limit {
    best = min(best, try await measure())
  }
  return best
}

extension TransportFixture {
  /// A world whose peer ends a kept connection once it has read a second request on it.
  fileprivate func dying(_ step: ScriptStep) async throws -> TransportWorld {
    try await world(
      OriginPlan { $0.ordinal == 1 ? .respond(text: "\($0.connection)") : [.readBody, step] })
  }
}

extension TransportFixture {
  /// Checks that a bound on time ends an exchange and its connection.
  ///
  /// On a busy machine the bound may be over before that phase; then it is tried again.
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
      return try await world.expect(
        "the connection is closed", { $0.closedByClient == 1 }, sourceLocation: sourceLocation)
    }
    Issue.record(
      "the exchange was never as far as \(phase.rawValue) in time", sourceLocation: sourceLocation)
  }
}

extension ClauseGroup<TransportFixture> {
  /// Expects a second request to get its response while the first gets none.
  private static func expectPassing(
    of scheme: HTTPOrigin.Scheme, _ fixture: TransportFixture
  ) async throws {
    let world = try await fixture.world(
      OriginPlan { $0.target == "/silent" ? [.readBody, .stall] : .respond(text: "hi") },
      scheme: scheme)
    let silent = Task { try await world.answer(.get, "/silent") }
    try await world.expect("the first arrives") { $0.requests == 1 }
    let second = Task { try await world.answer().text }
    let hasArrived = try await world.log.happens(within: .seconds(2)) { $0.requests == 2 }
    check(hasArrived, "the second request waits for the first's response", #_sourceLocation)
    silent.cancel()
    _ = try? await silent.value
    expectEqual(try await second.value, "hi", "the second's content")
  }

  static let time = ClauseGroup("Time, cancellation, connections") {
    Clause(
      "connect-timeout", "connecting takes no longer than its time-out, which is its own error",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(OriginPlan(reachability: .silent) { _ in [] })
      let limited = world.through { $0.enforcing(Deadlines(connect: .milliseconds(100))) }
      let error = await limited.expectFailure(.connectTimeout)
      expectEqual(error?.phase, .connecting, "the phase")
      expectEqual(error?.bytesSent, false, "whether bytes were sent")
      expectEqual(error?.isRetrySafe, true, "whether a retry is safe")
    }
    Clause(
      "idle-timeout",
      "a response that stands still is ended, before its head and within its content",
      from: "this project"
    ) { fixture in
      let idle = Deadlines(idle: .milliseconds(200))
      try await fixture.expectEnd(.idleTimeout, in: .awaitingHead, of: [.readBody, .stall], idle)
      try await fixture.expectEnd(
        .idleTimeout, in: .receivingBody, of: .raw(open) + [.stall], idle)
    }
    Clause(
      "deadline", "the overall deadline ends a response that drips without end",
      from: "this project"
    ) { fixture in
      let drip = OriginScript(
        [[ScriptStep]](repeating: [.pause(.milliseconds(20)), .send("a")], count: 5000).flatMap(
          \.self))
      try await fixture.expectEnd(
        .deadlineExceeded, in: .receivingBody, of: .raw("HTTP/1.1 200 OK\r\n\r\n") + drip,
        Deadlines(idle: .seconds(30), overall: .milliseconds(200)))
    }
    Clause("precision", "bounds on time are kept to well below a second", from: "this project") {
      fixture in
      let world = try await fixture.world(OriginPlan(reachability: .silent) { _ in [] })
      let stalled = try await fixture.world([.readBody, .stall])
      for (world, deadlines) in [
        (world, Deadlines(connect: .milliseconds(150))),
        (stalled, Deadlines(idle: .milliseconds(150))),
        (stalled, Deadlines(overall: .milliseconds(150))),
      ] {
        let taken = try await best(of: 3...8, under: .milliseconds(400)) {
          let start = ContinuousClock.now
          _ = try? await world.through { $0.enforcing(deadlines) }.answer()
          let taken = ContinuousClock.now - start
          check(
            taken >= .milliseconds(150), "150 ms were over after \(taken)", #_sourceLocation)
          return taken
        }
        check(taken < .milliseconds(400), "150 ms were over after \(taken)", #_sourceLocation)
      }
    }
    Clause(
      "cancelled-before", "a task that was cancelled before does no input or output",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await world.expectFailure(.cancelled)
      }
      await task.value
      expectEqual(world.log.counts.connections, 0, "the number of connections")
    }
    Clause(
      "cancel-head", "a request that is cancelled before the head ends within 100 ms and closes",
      from: "this project"
    ) { fixture in
      let taken = try await best(of: 1...8, under: .milliseconds(100)) {
        let world = try await fixture.world([.send("HTTP/1.1 200 OK\r\nA: b\r\n"), .stall])
        let task = Task { await world.expectFailure(.cancelled) }
        try await world.expect("the head arrives") { $0.requests == 1 }
        let start = ContinuousClock.now
        task.cancel()
        let error = await task.value
        let taken = ContinuousClock.now - start
        expectEqual(error?.isRetrySafe, false, "whether a retry is safe")
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
        return taken
      }
      check(taken < .milliseconds(100), "the cancelled request took \(taken)", #_sourceLocation)
    }
    Clause(
      "cancel-body",
      "a response that is cancelled within its content ends within 100 ms and closes",
      from: "this project"
    ) { fixture in
      let taken = try await best(of: 1...8, under: .milliseconds(100)) {
        let world = try await fixture.world(.raw(open) + [.stall])
        let exchange = try await world.send()
        var first = exchange.body.makeAsyncIterator()
        expectEqual(try await first.next(), Array("abc".utf8), "the content before")
        let task = Task { () async -> TransportError? in
          var rest = exchange.body.makeAsyncIterator()
          do throws(TransportError) { _ = try await rest.next() } catch { return error }
          return nil
        }
        let start = ContinuousClock.now
        task.cancel()
        let error = await task.value
        let taken = ContinuousClock.now - start
        expectEqual(error?.kind, .cancelled, "what the reader got")
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
        return taken
      }
      check(taken < .milliseconds(100), "the cancelled response took \(taken)", #_sourceLocation)
    }
    Clause(
      "slow-name", "a slow lookup holds up no other request, not even when it is cancelled",
      from: "this project"
    ) { fixture in
      let quick = try fixture.peer(.respond(text: "hi"))
      let slow = try fixture.peer(
        OriginPlan(reachability: .resolvingSlowly(.seconds(30))) { _ in .respond() })
      let world = try await fixture.world([quick, slow])
      let start = ContinuousClock.now
      let lookup = Task { _ = try? await world.transport.send(HTTPRequest(url: slow.url)) }
      expectEqual(try await world.answer().text, "hi", "the answer during the lookup")
      lookup.cancel()
      await lookup.value
      expectEqual(try await world.answer().text, "hi", "the answer after the lookup")
      let taken = ContinuousClock.now - start
      check(taken < .seconds(15), "two requests beside a lookup took \(taken)", #_sourceLocation)
      expectEqual(slow.log.counts.requests, 0, "the requests that were given up")
    }
    Clause(
      "cancel-storm", "cancelling many requests in every phase hangs none and leaves no connection",
      from: "this project"
    ) { fixture in
      let scripts: [OriginScript] = [
        [.stall], [.send("HTTP/1.1 2"), .stall], .raw(open) + [.stall],
        [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeatedly([0x61], count: nil)],
        .respond(text: "done"),
      ]
      let world = try await fixture.world(
        OriginPlan { scripts[($0.connection + $0.ordinal) % scripts.count] })
      // Else whoever takes long to set out would see all of them cancelled before.
      let first = Task { try await world.answer().status }
      try await world.expect("a connection is made") { $0.connections >= 1 }
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
      "dropped-response", "a response that is dropped frees its connection", from: "this project"
    ) { fixture in
      let flood = ScriptStep.sendRepeatedly([0x61], count: nil)
      let world = try await fixture.world(
        [.send("HTTP/1.1 200 OK\r\n\r\n"), flood], .respond(text: "hi")
      ) { $0.limits = ConnectionLimits(perOrigin: 1, total: 1) }
      var exchange: HTTPExchange? = try await world.send()
      expectEqual(exchange?.response.status.code, 200, "the status")
      exchange = nil
      expectEqual(try await world.answer().text, "hi", "the content after that")
      try await world.expect("the first connection is closed") { $0.closedByClient >= 1 }
    }
    Clause("reuse", "a connection is used again by the requests that follow", from: "RFC 9112 §9.3")
    {
      fixture in
      let world = try await fixture.world(.respond())
      for method in [HTTPRequest.Method.get, .post, .head, .delete, .get] {
        try await world.answer(method)
      }
      expectEqual(world.log.requests.map(\.head.connection), [1, 1, 1, 1, 1], "the connections")
      expectEqual(world.log.requests.map(\.head.ordinal), [1, 2, 3, 4, 5], "the places on them")
    }
    Clause(
      "connection-close", "a connection is not used again after `Connection: close`",
      from: "RFC 9112 §9.6"
    ) { fixture in
      let world = try await fixture.world(
        .respond(headerFields: [.connection: "Close"], text: "hi"))
      for _ in 1...2 { expectEqual(try await world.answer().text, "hi", "the content") }
      expectEqual(world.log.requests.map(\.head.connection), [1, 2], "the connections")
    }
    Clause(
      "asks-close", "a connection is not used again when the request has `Connection: close`",
      from: "RFC 9112 §9.6"
    ) { fixture in
      let world = try await fixture.world(.respond(text: "hi"))
      for _ in 1...2 { try await world.answer(.get, "/", [.connection: "close"]) }
      expectEqual(world.log.requests.map(\.head.connection), [1, 2], "the connections")
      expectEqual(world.log.requests.first?.fields[.connection], "close", "Connection")
    }
    Clause(
      "stale-retry", "an idempotent request on a connection that dies is sent again on another",
      from: "RFC 9112 §9.3.1, RFC 9110 §9.2.2"
    ) { fixture in
      for step in [ScriptStep.close, .reset] {
        let world = try await fixture.dying(step).through { $0.retryingWhenSafe() }
        expectEqual(try await world.answer().text, "1", "the first content")
        expectEqual(try await world.answer().text, "2", "the content after the connection died")
        let put = try await world.answer(.put, body: .text("body"))
        expectEqual(put.text, "3", "the content after the next died")
        expectEqual(world.log.requests.last?.bodyCount, 4, "the bytes of content sent again")
      }
    }
    Clause(
      "sent-once", "a request that isn't idempotent is never on the wire twice",
      from: "RFC 9110 §9.2.2"
    ) { fixture in
      for step in [ScriptStep.close, .reset] {
        for body in [HTTPRequestBody.none, .text("pay"), .stream(Chunks("pay"))] {
          // Kept or fresh, a connection that has a POST ends.
          let plan = OriginPlan { $0.method == .post ? [.readBody, step] : .respond() }
          let world = try await fixture.world(plan).through { $0.retryingWhenSafe(attempts: 3) }
          try await world.answer()
          let error = await world.expectFailure(
            .emptyReply, .connectionReset, of: .post, body: body)
          expectEqual(error?.isRetrySafe, false, "whether a retry is safe")
          expectEqual(error?.bytesSent, true, "whether bytes were sent")
          try await world.answer(.get)
          expectEqual(
            world.log.requests.filter { $0.head.method == .post }.count, 1, "the POSTs on the wire")
        }
      }
    }
    Clause(
      "origin-limit", "an origin has no more connections than the limit, and others aren't held up",
      from: "RFC 9112 §9.4"
    ) { fixture in
      let full = try fixture.peer(.raw(open) + [.stall])
      let other = try fixture.peer(.respond(text: "hi"))
      let world = try await fixture.world([full, other]) {
        $0.limits = ConnectionLimits(perOrigin: 2, total: 10)
      }
      let held = [try await world.send(), try await world.send()]
      let third = Task { try await world.send().response.status.code }
      let beside = try await world.transport.send(HTTPRequest(url: other.url)).body.collect(upTo: 9)
      expectEqual(beside, Array("hi".utf8), "the other origin's content")
      let isExceeded = try await full.log.happens(within: .milliseconds(300)) { $0.connections > 2 }
      check(!isExceeded, "more than 2 connections were opened", #_sourceLocation)
      held[0].body.cancel()
      expectEqual(try await third.value, 200, "the status of the one that waited")
    }
    Clause(
      "silent-first", "a request that gets no response holds up no other to the same origin",
      from: "this project"
    ) { fixture in try await Self.expectPassing(of: .http, fixture) }
    Clause(
      "silent-first-tls", "nor does it over TLS, where the connection might have been shared",
      from: "this project", requires: .customAuthorities
    ) { fixture in try await Self.expectPassing(of: .https, fixture) }
    Clause(
      "total-limit", "there are no more connections in all than the limit, and the next waits",
      from: "RFC 9112 §9.4"
    ) { fixture in
      let world = try await fixture.world([.readBody, .stall]) {
        $0.limits = ConnectionLimits(perOrigin: 10, total: 2)
      }
      // One peer by two names: two origins.
      let urls = [
        "http://127.0.0.1:\(world.peers[0].port)/", "http://localhost:\(world.peers[0].port)/",
      ]
      let first = urls.map { url in
        Task { try await world.answer(to: HTTPRequest(url: url)).status }
      }
      try await world.expect("two requests arrive") { $0.requests == 2 }
      let more = urls.map { url in Task { try await world.answer(to: HTTPRequest(url: url)).status }
      }
      // As many exchanges elsewhere give the ones that wait the time to be sent, were they free to.
      let elsewhere = try await fixture.world(.respond())
      for _ in 1...10 { try await elsewhere.answer() }
      let isExceeded = try await world.log.happens(within: .milliseconds(400)) {
        $0.connections > 2
      }
      check(!isExceeded, "more than 2 connections were opened", #_sourceLocation)
      for task in first { task.cancel() }
      try await world.expect("the ones that waited arrive") { $0.requests == 4 }
      for task in first + more {
        task.cancel()
        _ = try? await task.value
      }
    }
    Clause(
      "crowd", "1,000 requests at a time are answered over at most 64 connections",
      from: "this project"
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
        for try await (index, text) in group { expectEqual(text, "/\(index)", "the content") }
      }
      expectEqual(world.log.requests.count, 1000, "the number of requests")
      let connections = world.log.counts.connections
      check(connections <= 64, "\(connections) connections were opened", #_sourceLocation)
    }
    Clause(
      "slow-consumer", "a response is fetched only as fast as it is read", from: "this project"
    ) { fixture in
      let block = [UInt8](repeating: 0x61, count: 65_536)
      let world = try await fixture.world([
        .readBody, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
        .sendRepeatedly(block, count: 768), .close,
      ])
      let exchange = try await world.send()
      var (sent, isFetched) = (-1, false)
      while !isFetched, world.log.counts.sentBytes > sent {
        sent = world.log.counts.sentBytes
        isFetched = try await world.log.happens(within: .milliseconds(300)) { $0.closedByPeer > 0 }
      }
      check(!isFetched, "48 MiB were fetched while nobody read", #_sourceLocation)
      var count = 0
      for try await bytes in exchange.body { count += bytes.count }
      expectEqual(count, 768 * 65_536, "the bytes that were read in the end")
    }
    Clause(
      "shutdown", "a transport that is shut down fails what is pending and what comes after",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world([.readBody, .stall]) {
        $0.limits = ConnectionLimits(perOrigin: 1, total: 1)
      }
      let first = Task { await world.expectFailure(.shutDown) }
      try await world.expect("the first arrives") { $0.requests == 1 }
      let waiting = Task { await world.expectFailure(.shutDown) }
      await world.shutDown()
      _ = (await first.value, await waiting.value)
      await world.expectFailure(.shutDown)
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      expectEqual(world.log.counts.requests, 1, "the number of requests")
    }
  }
}
