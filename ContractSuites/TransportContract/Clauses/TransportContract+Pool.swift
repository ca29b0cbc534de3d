import ContractTesting
import Testing
import TransportPort

extension TransportFixture {
  /// Gives requests that wait for a connection the time to be sent by mistake, or to begin to wait.
  func passTime() async throws {
    let elsewhere = try await world(.respond())
    for _ in 1...10 { try await elsewhere.answer() }
  }
}

extension ScriptStep {
  /// The pause between a response and the end of its connection.
  ///
  /// A RST destroys a response that the client has not read yet, and on a busy machine that takes
  /// some time.
  static func beforeEnd(_ ending: Self) -> Self {
    .pause(.milliseconds(ending == .reset ? 200 : 5))
  }
}

extension OriginPlan {
  /// Answers with the target, but never ends the content of "/held".
  static let holding = OriginPlan {
    $0.target == "/held"
      ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") + [.stall]
      : .respond(text: $0.target)
  }
}

extension TransportWorld {
  /// Expects two answers from an origin that returns the connection's number and then closes it.
  func expectClosedByServer() async throws {
    for connection in 1...2 {
      checkEqual(try await answer().text, "\(connection)", "the content")
      let isClosed = try await expect("the server has closed the connection") {
        $0.closedByPeer == connection
      }
      guard isClosed else { return }
    }
  }

  /// Expects an answer, and a response that is cut off.
  func expectCut() async throws {
    checkEqual(try await answer().status, 200, "the status of the first response")
    await expectFailure(.truncatedBody, .connectionReset, of: .get)
    checkEqual(log.requests.count, 2, "the number of requests")
  }

  /// Uploads content on a kept connection that ends when a part of it was read.
  func expectStreamedOnce() async throws {
    let chunks = Chunks { $0 < 30 ? [UInt8](repeating: 7, count: 10_000) : nil }
    for _ in 1...4 {
      checkEqual(try await answer().status, 200, "the status before the upload")
      guard (try? await answer(.put, body: .stream(chunks))) != nil else { continue }
      // The transport has kept the content, and sent it again.
      checkEqual(log.requests.last?.bodyCount, 300_000, "the size of the content")
    }
  }
}

/// How fast a producer of content is.
private enum Pace: CaseIterable {
  case waiting
  case slow
  case fast
}

/// What a producer of content holds, such as an open file.
private final class Resource: Sendable {
  let piece = [UInt8](repeating: 1, count: 65_536)
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var pool: [Clause<TransportFixture>] {
    Clause(
      "failed-place", "a connection that could not be opened leaves its place to the next",
      from: "RFC 9112 §9.4", requires: .connections
    ) { fixture in
      let refusing = try fixture.peer(OriginPlan(reachability: .refusing) { _ in [] })
      let unknown = try fixture.peer(
        OriginPlan(identity: .unknownAuthority) { _ in [] }, scheme: .https)
      let good = try fixture.peer(.respond(text: "hi"))
      let world = try await fixture.world([refusing, unknown, good]) {
        $0.limits = ConnectionLimits(perOrigin: 1, total: 1)
      }
      for _ in 1...2 {
        await world.expectFailure([.connectionRefused], of: HTTPRequest(url: refusing.url))
        await world.expectFailure([.tls(.unknownAuthority)], of: HTTPRequest(url: unknown.url))
        let answer = try await world.answer(to: HTTPRequest(url: good.url))
        checkEqual(answer.text, "hi", "the content after two failures")
      }
    }
    Clause(
      "leaves-queue", "a request that is cancelled while it waits for a connection is never sent",
      from: "RFC 9112 §9.4", requires: .connections
    ) { fixture in
      let world = try await fixture.world(OriginPlan.holding) {
        $0.limits = ConnectionLimits(perOrigin: 1, total: 1)
      }
      let held = try await world.send(.get, "/held")
      let cancelled = (1...2).map { _ in
        Task { await world.expectFailure(.cancelled, of: .get, "/cancelled") }
      }
      let next = Task { try await world.answer(.get, "/next").text }
      try await fixture.passTime()
      for task in cancelled { task.cancel() }
      for task in cancelled {
        checkEqual(await task.value?.bytesSent, false, "whether bytes were sent")
      }
      held.body.cancel()
      checkEqual(try await next.value, "/next", "the content of the request that still waits")
      // Now no other request waits.
      let again = try await world.send(.get, "/held")
      let only = Task { await world.expectFailure(.cancelled, of: .get, "/cancelled") }
      try await fixture.passTime()
      only.cancel()
      _ = await only.value
      again.body.cancel()
      for _ in 1...2 {
        checkEqual(try await world.answer(.get, "/next").text, "/next", "the next content")
      }
      checkEqual(
        world.log.requests.map(\.head.target), ["/held", "/next", "/held", "/next", "/next"],
        "the list of targets")
    }
    Clause(
      "queue-releases",
      "a request that is cancelled while it waits for a connection releases its content",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(OriginPlan.holding) {
        $0.limits = ConnectionLimits(perOrigin: 1, total: 1)
      }
      let held = try await world.send(.get, "/held")
      let released = Counter()
      let task = Task {
        let resource = Resource { released.increment() }
        let chunks = Chunks { $0 == 0 ? resource.piece : nil }
        await world.expectFailure(.cancelled, of: .post, "/cancelled", body: .stream(chunks))
      }
      try await fixture.passTime()
      task.cancel()
      await task.value
      let isReleased = try await happens(within: .seconds(5)) { released.value == 1 }
      check(isReleased, "the content of the cancelled request was kept")
      held.body.cancel()
    }
    Clause(
      "idle-gives-way",
      "at the total limit, the connection that is idle for longest gives way to another origin",
      from: "RFC 9112 §9.4", requires: .connections
    ) { fixture in
      let world = try await fixture.world(OriginPlan.holding) {
        $0.limits = ConnectionLimits(perOrigin: 2, total: 2)
      }
      // Three names of one peer are three origins.
      let names = ["127.0.0.1", "localhost", "a.localhost"]
      for index in [0, 1, 2, 1, 2, 0] {
        let url = "http://\(names[index]):\(world.peers[0].port)/"
        checkEqual(try await world.answer(to: HTTPRequest(url: url)).text, "/", "the content")
        // libcurl counts a connection's idle time in milliseconds.
        try await fixture.passTime()
      }
      let connections = world.log.requests.map(\.head.connection)
      checkEqual(connections, [1, 2, 3, 2, 3, 4], "the list of connections")
      guard connections == [1, 2, 3, 2, 3, 4] else { return }
      try await world.expect("the connections beyond the limit are closed") {
        $0.closedByClient == 2
      }
      let url = "http://\(names[1]):\(world.peers[0].port)/held"
      let held = try await world.transport.send(HTTPRequest(url: url))
      try await world.expect("a connection gives way before the response has been read") {
        $0.closedByClient == 3
      }
      held.body.cancel()
    }
    Clause(
      "new-connection", "a request that must not reuse a connection gets a new one",
      from: "this project", requires: .connections
    ) { fixture in
      var options = TransportOptions()
      options.reusesConnections = false
      for total in [1, 9] {
        let world = try await fixture.world(.respond(text: "hi")) {
          $0.limits = ConnectionLimits(perOrigin: 1, total: total)
        }
        for options in [TransportOptions(), options, options] {
          checkEqual(try await world.answer(options: options).text, "hi", "the content")
        }
        let connections = world.log.requests.map(\.head.connection)
        checkEqual(connections, [1, 2, 3], "the list of connections")
        guard connections == [1, 2, 3] else { return }
        try await world.expect("the idle connections are closed") { $0.closedByClient >= 2 }
      }
    }
    Clause(
      "connected-in-time", "the connect timeout ends with the connection's establishment",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world([.pause(.milliseconds(500))] + .respond(text: "hi"))
        .through { $0.enforcing(Deadlines(connect: .milliseconds(100))) }
      // On a busy machine the timeout can pass before there is a connection, and can end late.
      var failure = ""
      for _ in 1...10 {
        do throws(TransportError) {
          return checkEqual(try await world.answer().text, "hi", "the content after the timeout")
        } catch {
          failure = "\(error)"
        }
      }
      Issue.record("none of 10 requests was answered; the last one failed: \(failure)")
    }
    Clause(
      "waits-untimed", "the connect timeout does not count the wait for a connection's place",
      from: "this project", requires: .connections
    ) { fixture in
      let plan = OriginPlan { request in
        request.target == "/slow"
          ? [.pause(.milliseconds(600))] + .respond(text: "slow") : .respond(text: "hi")
      }
      for (name, limits) in [
        ("127.0.0.1", ConnectionLimits(perOrigin: 1, total: 9)),
        ("localhost", ConnectionLimits(perOrigin: 9, total: 1)),
      ] {
        let world = try await fixture.world(plan) { $0.limits = limits }
          .through { $0.enforcing(Deadlines(connect: .milliseconds(400))) }
        let slow = Task { try await world.answer(.get, "/slow").text }
        try await world.expect("the slow request arrives") { $0.requests == 1 }
        let url = "http://\(name):\(world.peers[0].port)/"
        let next = try await world.answer(to: HTTPRequest(url: url)).text
        checkEqual(next, "hi", "the content for \(name), after a wait")
        checkEqual(try await slow.value, "slow", "the content of the slow response")
      }
    }
    Clause(
      "server-closes", "a connection that the server closes after a response is not reused",
      from: "RFC 9112 §9.6", requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        OriginPlan { .respond(text: "\($0.connection)") + [.close] })
      try await world.expectClosedByServer()
    }
    Clause(
      "dead-connection",
      "an idempotent request whose kept connection ends without a response is safe to send again",
      from: "RFC 9110 §9.2.2, RFC 9112 §9.3.1", requires: .connections
    ) { fixture in
      for ending in [ScriptStep.close, .reset] {
        let world = try await fixture.world(
          OriginPlan {
            $0.ordinal == 1 ? .respond(text: "\($0.connection)") : [.readBody, ending]
          }
        ).through { $0.retryingWhenSafe() }
        for connection in 1...8 {
          checkEqual(try await world.answer().text, "\(connection)", "the connection")
        }
      }
    }
    Clause(
      "cut-when-kept",
      "a response that is cut off on a kept connection is an error, not a new request",
      from: "RFC 9112 §8 and §9.3.1", requires: .connections
    ) { fixture in
      for text in ["Content-Length: 9\r\n\r\nhi", "Transfer-Encoding: chunked\r\n\r\n5\r\nhi"] {
        for ending in [ScriptStep.close, .reset] {
          let cut: OriginScript = [.send("HTTP/1.1 200 OK\r\n" + text), ending]
          try await fixture.world(OriginPlan { $0.ordinal == 1 ? .respond() : cut }).expectCut()
        }
      }
      // The request may be sent again while no head is complete, but nothing of the first try counts.
      let cut: OriginScript = [.send("HTTP/1.1 200 OK\r\nX-Cut: 1\r\n"), .reset]
      let world = try await fixture.world(
        OriginPlan { $0.ordinal == 1 ? .respond(text: "\($0.connection)") : cut }
      ).through { $0.retryingWhenSafe() }
      for connection in 1...3 {
        let answer = try await world.answer()
        checkEqual(answer.text, "\(connection)", "the connection")
        checkEqual(answer.fields["X-Cut"], nil, "X-Cut")
      }
    }
    Clause(
      "streamed-once", "a streamed body is sent again as a whole or not at all",
      from: "RFC 9110 §9.2.2", requires: .connections
    ) { fixture in
      for ending in [ScriptStep.close, .reset] {
        let world = try await fixture.world(
          OriginPlan {
            $0.ordinal == 1 || $0.method == .get
              ? [.readBody] + .respond() : [.readBodyBytes(5), ending]
          })
        try await world.expectStreamedOnce()
      }
    }
    Clause(
      "dead-while-idle", "a request is not sent on a connection that ended while it was idle",
      from: "RFC 9112 §9.3.1, RFC 9110 §9.2.2", requires: .connections
    ) { fixture in
      for ending in [ScriptStep.close, .reset] {
        let world = try await fixture.world(
          OriginPlan { .respond(text: "\($0.connection)") + [.beforeEnd(ending), ending] })
        for connection in 1...6 {
          let answer = try await world.answer(.post, body: .text("pay"))
          checkEqual(answer.text, "\(connection)", "the connection")
          try await world.expect("the connection has ended") {
            $0.ended == connection
          }
          try await fixture.passTime()
        }
        checkEqual(world.log.requests.count, 6, "the number of requests")
      }
    }
    Clause(
      "read-after-response",
      "content that the server reads after its response arrives, and the connection is reused",
      from: "RFC 9112 §9.3", requires: .connections
    ) { fixture in
      let response = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
      for script in [[response], [response, .readBody]] {
        let world = try await fixture.world(OriginScript(script))
        for count in 1...2 {
          checkEqual(try await world.answer(.put, body: .text("hello")).text, "hi", "the content")
          let hasArrived = try await world.expect("the request's content arrives") {
            $0.bodyBytes == 5 * count
          }
          guard hasArrived else { return }
        }
        checkEqual(world.log.requests.map(\.head.connection), [1, 1], "the list of connections")
      }
    }
    Clause(
      "closed-at-once", "a new connection that the server closes at once is an error, once",
      from: "RFC 9112 §9.5", requires: .connections
    ) { fixture in
      let opened = Counter()
      let plan = OriginPlan(
        onConnect: { connection in
          opened.increment()
          return connection == 1 ? [.close] : []
        }, onRequest: { _ in .respond(text: "hi") })
      let world = try await fixture.world(plan)
      await world.expectFailure(.emptyReply, .connectionReset, of: .post)
      for _ in 1...3 { checkEqual(try await world.answer().text, "hi", "the next content") }
      checkEqual(opened.value, 2, "the number of connections")
    }
    Clause(
      "producer-ends", "the end of an exchange ends the production of its content",
      from: "this project", requires: .connections
    ) { fixture in
      let elsewhere = try await fixture.world(.respond())
      for pace in Pace.allCases {
        let world = try await fixture.world([.readBodyBytes(100_000), .stall])
        let (asked, released) = (Counter(), Counter())
        let task = Task {
          let resource = Resource { released.increment() }
          let chunks = Chunks { index in
            asked.increment()
            switch pace {
            case .waiting: if index > 0 { try await waitForCancellation() }
            // This producer ignores the cancellation.
            case .slow: _ = try? await elsewhere.answer()
            case .fast: break
            }
            return index < 1024 ? resource.piece : nil
          }
          await world.expectFailure(.cancelled, of: .post, body: .stream(chunks))
        }
        let isAsked = try await happens(within: .seconds(5)) { asked.value > 1 }
        check(isAsked, "the transport asked for no second chunk")
        try await fixture.passTime()
        task.cancel()
        _ = await task.value
        let count = asked.value
        if pace == .slow { try await fixture.passTime() }
        check(asked.value <= count + 1, "more content was asked for after the end")
        let isReleased = try await happens(within: .seconds(5)) { released.value == 1 }
        check(isReleased, "the producer of the content was kept")
      }
    }
    Clause(
      "deaf-producer", "cancelling ends a request whose content's producer does not notice it",
      from: "this project", requires: .connections
    ) { fixture in
      let (asked, isOver, ended) = (Counter(), Counter(), Counter())
      let world = try await fixture.world([.readBody, .stall])
      let chunks = Chunks { index in
        asked.increment()
        guard index > 0 else { return [1] }
        let wait = Task.detached { try await happens(within: .seconds(20)) { isOver.value == 1 } }
        _ = try await wait.value
        ended.increment()
        return nil
      }
      let task = Task { await world.expectFailure(.cancelled, of: .post, body: .stream(chunks)) }
      let isAsked = try await happens(within: .seconds(5)) { asked.value == 2 }
      check(isAsked, "the transport asked for no second chunk")
      // A transport may read all content before it sends any.
      try await fixture.passTime()
      task.cancel()
      _ = await task.value
      checkEqual(ended.value, 0, "the number of producers that ended before their request")
      isOver.increment()
      try await world.expect("the connection is closed") { $0.closedByClient == $0.connections }
    }
  }
}
