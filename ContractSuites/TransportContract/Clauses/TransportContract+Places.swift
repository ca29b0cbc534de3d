import ContractTesting
import Testing
import TransportPort

extension TransportFixture {
  /// Opens a connection that receives GOAWAY, and begins to open another.
  ///
  /// A proxy opens the tunnel for the first connection, and does not answer the request for the second
  /// one.
  ///
  /// - Parameter body: Receives the world and the request that opens the second connection, which
  ///   must be cancelled.
  fileprivate func openingAfterGoAway(
    _ body: (TransportWorld, _ opening: Task<TransportError?, Never>) async throws -> Void
  ) async throws {
    let leave = OriginScript([.goAway(isProcessed: true)]) + .respond(text: "last")
    let plan = OriginPlan(version: .http2) {
      $0.target == "/leave" ? leave : .respond(text: $0.target)
    }
    let tunnels = Counter()
    let proxy = try peer(
      OriginPlan { _ in [.stall] }, tunnels: { _ in tunnels.increment() != 2 })
    let world = try await world([peer(plan, scheme: .https), proxy]) { $0.proxy = proxy.url }
    let isOver = Counter()
    let before = Task {
      try await world.answer(.put, "/before", body: text("a") { isOver.value == 1 }).text
    }
    try await world.expect("the first request arrives") { $0.requests == 1 }
    checkEqual(try await world.answer(.get, "/leave").text, "last", "the content with GOAWAY")
    let opening = Task { await world.expectFailure(.cancelled, of: .get, "/opening") }
    let isOpening = try await proxy.log.happens { $0.requests == 2 }
    check(isOpening, "no connection is opened after GOAWAY")
    try await body(world, opening)
    isOver.increment()
    checkEqual(try await before.value, "/before", "the content of the request before GOAWAY")
    checkEqual(tunnels.value, 3, "the number of attempts to connect")
  }
}

extension TransportClauses {
  /// Clauses about the requests that wait for a connection, and their order.
  @ClauseBuilder<TransportFixture>
  static var places: [Clause<TransportFixture>] {
    Clause(
      "waiting-order",
      "requests that wait for one origin are sent in order, and keep no other origin waiting",
      from: "this project", requires: .connections
    ) { fixture in
      // When a task begins to wait cannot be seen from outside: on a busy machine a later one may be
      // first, but hardly in each round.
      let inOrder = ["/held", "/other", "/1", "/2", "/3"]
      var targets: [String] = []
      for _ in 1...3 where targets != inOrder { targets = try await fixture.targetsOfWaiting() }
      checkEqual(targets, inOrder, "the list of targets")
    }
    Clause(
      "places-return", "a place serves again after its request has ended", from: "this project",
      requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") + [.stall]
      ) { $0.limits = ConnectionLimits(perOrigin: 2, total: 2) }
      for round in 1...3 {
        let open = (1...2).map { _ in Task { try await world.send() } }
        try await world.expect("two requests are open in round \(round)") {
          $0.requests == 2 * round
        }
        for exchange in open { try await exchange.value.body.cancel() }
      }
    }
    Clause(
      "keeps-idle", "idle connections to several origins are kept, up to the total limit",
      from: "RFC 9112 §9.3", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.respond(text: "hi")) {
        $0.limits = ConnectionLimits(perOrigin: 1, total: 6)
      }
      let names = ["127.0.0.1", "localhost"] + ["a", "b", "c", "d"].map { "\($0).localhost" }
      for name in names + names {
        let url = "http://\(name):\(world.peers[0].port)/"
        checkEqual(try await world.answer(to: HTTPRequest(url: url)).text, "hi", "the content")
      }
      checkEqual(
        world.log.requests.map(\.head.connection), Array(1...6) + Array(1...6),
        "the list of connections")
    }
  }

  /// Clauses about the requests that share an HTTP/2 connection, and those that wait for it.
  @ClauseBuilder<TransportFixture>
  static var sharedPlaces: [Clause<TransportFixture>] {
    Clause(
      "first-requests", "requests sent before the origin is known to speak HTTP/2 share one place",
      from: "RFC 9113 §9.1", requires: .scriptedServer, timeLimit: .seconds(60)
    ) { fixture in
      let head = ScriptStep.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let plan = OriginPlan(version: .http2) { request in
        request.target == "/open" ? [head, .stall] : .respond(text: request.target)
      }
      let world = try await fixture.world(plan, scheme: .https) {
        $0.limits = ConnectionLimits(perOrigin: 2, total: 2)
      }
      let open = (1...4).map { _ in Task { try await world.send(.get, "/open") } }
      try await world.expect("all requests are sent") { $0.requests == 4 }
      // Two names of one peer are two origins.
      let url = "https://localhost:\(world.peers[0].port)/other"
      let other = Task { try await world.answer(to: HTTPRequest(url: url)).text }
      try await world.expect("the other origin's request arrives") { $0.requests == 5 }
      for exchange in open { try await exchange.value.body.cancel() }
      checkEqual(try await other.value, "/other", "the content of the other origin")
      checkEqual(
        world.log.requests.map(\.head.connection), [1, 1, 1, 1, 2], "the list of connections")
    }
    Clause(
      "go-away-failed",
      "after GOAWAY, the end of the request that opens a connection keeps no other waiting",
      from: "RFC 9113 §6.8", requires: .scriptedServer, .proxy
    ) { fixture in
      try await fixture.openingAfterGoAway { world, opening in
        let waiting = Task { try await world.answer(.get, "/waiting").text }
        try await fixture.passTime()
        opening.cancel()
        _ = await opening.value
        try await world.expect("the waiting request is sent") { $0.requests == 3 }
        checkEqual(try await waiting.value, "/waiting", "the content of the waiting request")
      }
    }
    Clause(
      "go-away-crowd", "after GOAWAY, many new requests share one new connection",
      from: "RFC 9113 §9.1", requires: .scriptedServer, .proxy, timeLimit: .seconds(60)
    ) { fixture in
      try await fixture.openingAfterGoAway { world, opening in
        let crowd = (1...60).map { index in
          Task {
            let body = text("\(index)") { world.log.counts.requests == 62 }
            return try await world.answer(.put, "/\(index)", body: body).text == "/\(index)"
          }
        }
        // Now all of them wait, because the proxy does not answer the first of the new requests.
        try await fixture.passTime()
        opening.cancel()
        _ = await opening.value
        try await world.expect("60 requests are open at the same time") { $0.requests == 62 }
        for request in crowd { check(try await request.value, "a response has the wrong content") }
        checkEqual(world.log.counts.connections, 2, "the number of connections")
      }
    }
    Absence.ofProxy
  }
}

extension TransportFixture {
  /// Lets requests wait for one origin, and then one for another; returns the targets as they were sent.
  fileprivate func targetsOfWaiting() async throws -> [String] {
    let world = try await world(OriginPlan.holding) {
      $0.limits = ConnectionLimits(perOrigin: 1, total: 2)
    }
    let held = try await world.send(.get, "/held")
    var waiting: [Task<String, any Error>] = []
    for index in 1...3 {
      waiting.append(Task { try await world.answer(.get, "/\(index)").text })
      try await passTime()
    }
    // Two names of one peer are two origins.
    let url = "http://localhost:\(world.peers[0].port)/other"
    let other = Task { try await world.answer(to: HTTPRequest(url: url)).text }
    try await world.expect("the other origin's request arrives") { $0.requests == 2 }
    held.body.cancel()
    checkEqual(try await other.value, "/other", "the content of the other origin")
    for (index, task) in waiting.enumerated() {
      checkEqual(try await task.value, "/\(index + 1)", "the content after \(index) others")
    }
    return world.log.requests.map(\.head.target)
  }
}
