import ContractTesting
import ScriptedOrigin
import Testing
import TransportPort

extension TransportFixture {
  /// Opens a transport for two peers, whose first two connections share a local port.
  fileprivate func worldOnOnePort(_ far: TransportPeer, _ near: TransportPeer) async throws -> (
    far: TransportWorld, near: HTTPRequest
  ) {
    let port = try ScriptedOrigin.freePort()
    let world = try await world([far, near]) { $0.localPorts = [port, port] }
    return (world, HTTPRequest(url: near.url))
  }
}

extension TransportClauses {
  /// Clauses about connections to different peers that have the same local port.
  ///
  /// A system allows that, and with many peers or few ports it happens by chance.
  @ClauseBuilder<TransportFixture>
  static var localPorts: [Clause<TransportFixture>] {
    Clause(
      "shared-port-answer",
      "an answer to no request is noticed although another connection has the same local port",
      from: "RFC 9112 §9.3, this project", requires: .localPorts
    ) { fixture in
      for scheme in [HTTPOrigin.Scheme.http, .https] {
        let stray = OriginScript.respond(text: "stray")
        let far = try fixture.peer(
          OriginPlan {
            .respond(text: "\($0.connection)") + [.pause(.milliseconds(50))] + stray
          }, scheme: scheme)
        let near = try fixture.peer(.respond(text: "near"), scheme: scheme)
        let (world, request) = try await fixture.worldOnOnePort(far, near)
        checkEqual(try await world.answer().text, "1", "the first content")
        checkEqual(try await world.answer(to: request).text, "near", "the other peer's content")
        let size = "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\n1".utf8.count
        try await world.expect("the answer to no request is sent") { $0.sentBytes > size }
        try await fixture.passTime()
        checkEqual(try await world.answer().text, "2", "the content from another connection")
      }
    }
    Clause(
      "shared-port-upload",
      "an upload goes on although another connection with the same local port is closed",
      from: "this project", requires: .localPorts
    ) { fixture in
      let far = try fixture.peer(.respond(text: "uploaded"))
      let near = try fixture.peer(.respond(text: "near") + [.close])
      let (world, request) = try await fixture.worldOnOnePort(far, near)
      let isClosed = Counter()
      let upload = Task {
        try await world.answer(.post, body: text("a") { isClosed.value == 1 }).text
      }
      try await world.expect("the upload begins") { $0.bodyBytes == 1 }
      checkEqual(try await world.answer(to: request).text, "near", "the other peer's content")
      let hasClosed = try await near.log.happens { $0.closedByPeer == 1 }
      check(hasClosed, "the other peer did not close its connection")
      try await fixture.passTime()
      isClosed.increment()
      checkEqual(try await upload.value, "uploaded", "the content after the upload")
      checkEqual(world.log.requests.map(\.bodyCount), [2], "the list of content sizes")
    }
    Absence.ofLocalPorts
  }

  /// The clause about a shared local port over HTTP/2.
  @ClauseBuilder<TransportFixture>
  static var localPortsOverHTTP2: [Clause<TransportFixture>] {
    Clause(
      "shared-port-go-away",
      "GOAWAY concerns only its connection, not another one with the same local port",
      from: "RFC 9113 §6.8, RFC 9110 §9.2.2", requires: .scriptedServer, .localPorts
    ) { fixture in
      let far = try fixture.peer(
        OriginPlan(version: .http2) {
          $0.method == .post ? [.readBody, .reset] : .respond(text: "far")
        }, scheme: .https)
      let leave = OriginScript([.goAway(isProcessed: true)]) + .respond(text: "near")
      let near = try fixture.peer(OriginPlan(version: .http2) { _ in leave }, scheme: .https)
      let (world, request) = try await fixture.worldOnOnePort(far, near)
      // So that the stream of the POST has a higher number than any stream of the other connection.
      for _ in 1...3 { checkEqual(try await world.answer().text, "far", "the content") }
      let hasLeft = Counter()
      let post = Task {
        await world.expectFailure(
          .emptyReply, .connectionReset, of: .post, body: text("pay") { hasLeft.value == 1 })
      }
      try await world.expect("the POST arrives") { $0.requests == 4 }
      checkEqual(try await world.answer(to: request).text, "near", "the content with GOAWAY")
      hasLeft.increment()
      checkEqual(await post.value?.isRetrySafe, false, "whether a retry is safe")
      checkEqual(world.log.requests.count, 4, "the number of requests")
    }
    Absence.ofLocalPorts
  }
}

extension Absence<TransportFixture> {
  fileprivate static let ofLocalPorts = Absence(
    of: .localPorts,
    "two connections to one peer are open although the setup names one port for both"
  ) { fixture in
    let port = try ScriptedOrigin.freePort()
    let world = try await fixture.world(OriginPlan.holding) { $0.localPorts = [port, port] }
    let held = try await world.send(.get, "/held")
    checkEqual(try await world.answer(.get, "/other").text, "/other", "the content")
    held.body.cancel()
  }
}
