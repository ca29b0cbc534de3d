import ContractTesting
import SystemLocks
import Testing
import TransportPort

/// A cookie store that sends every cookie to every URL.
private final class SimpleCookies: HTTPCookieHandling {
  private let values = Mutex<[String]>([])

  var all: [String] { values.withLock { $0 } }

  func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String? {
    let values = all
    return values.isEmpty ? nil : values.joined(separator: "; ")
  }

  func storeCookies(_ lines: [String], fromURL url: String) async throws {
    values.withLock { $0 += lines.map { String($0.prefix { $0 != ";" }) } }
  }
}

/// A cookie store that throws.
private struct FailingCookies: HTTPCookieHandling {
  enum Failure: Error { case load, store }

  let failing: Failure
  let isCancelled: Bool

  func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String? {
    if failing == .load { try fail() }
    return nil
  }

  func storeCookies(_ lines: [String], fromURL url: String) async throws {
    if failing == .store { try fail() }
  }

  private func fail() throws {
    if isCancelled { throw CancellationError() }
    throw failing
  }
}

extension PeerLog {
  /// Checks that a request arrives.
  fileprivate func expectRequest() async throws {
    check(try await happens { $0.requests > 0 }, "no request arrives")
  }
}

extension TransportWorld {
  /// The content of a GET request to the first peer, or the kind of its error.
  fileprivate var outcome: String {
    get async {
      do throws(TransportError) {
        let answer = try await answer()
        return answer.text
      } catch {
        return "\(error.kind)"
      }
    }
  }
}

extension Absence<TransportFixture> {
  static let ofProxy = Absence(of: .proxy, "the proxy of the setup is not used") { fixture in
    let near = try fixture.peer(.respond(text: "direct"))
    let proxy = try fixture.peer(.respond(text: "proxied"))
    let world = try await fixture.world([near, proxy]) { $0.proxy = proxy.url }
    checkEqual(try await world.answer().text, "direct", "the content")
    checkEqual(proxy.log.counts.connections, 0, "the number of connections to the proxy")
  }
}

extension TransportClauses {
  /// Creates a clause that requires the transport to reject a certificate or protocol.
  private static func rejecting(
    _ id: String, _ sentence: String, from source: String, _ identity: OriginPlan.Identity,
    as failure: TransportError.TLSFailure, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Clause<TransportFixture> {
    Clause(id, sentence, from: source, sourceLocation: sourceLocation) { fixture in
      let plan = OriginPlan(identity: identity) { _ in .respond(text: "secret") }
      let world = try await fixture.world(plan, scheme: .https)
      let error = await world.expectFailure(
        .tls(failure), of: .post, body: .text("secret"), sourceLocation: sourceLocation)
      checkEqual(
        error?.bytesSent, false, "whether bytes were sent", sourceLocation: sourceLocation)
      checkEqual(
        world.log.requests.count, 0, "the number of requests", sourceLocation: sourceLocation)
    }
  }

  @ClauseBuilder<TransportFixture>
  static var trust: [Clause<TransportFixture>] {
    rejecting(
      "tls-expired", "an expired certificate is rejected", from: "RFC 5280 §6.1.3",
      .expired, as: .certificateExpired)
    rejecting(
      "tls-not-yet-valid", "a certificate that is not valid yet is rejected",
      from: "RFC 5280 §6.1.3", .notYetValid, as: .certificateExpired)
    rejecting(
      "tls-wrong-host", "a certificate for another host is rejected", from: "RFC 9110 §4.3.4",
      .wrongHost, as: .wrongHost)
    rejecting(
      "tls-self-signed", "a self-signed certificate is rejected", from: "RFC 5280 §6.1.1",
      .selfSigned, as: .selfSigned)
    rejecting(
      "tls-unknown-authority", "a certificate from an unknown authority is rejected",
      from: "RFC 5280 §6.1.1", .unknownAuthority, as: .unknownAuthority)
    rejecting(
      "tls-version", "a server that supports only TLS 1.1 is rejected", from: "RFC 8996 §4 and §5",
      .obsoleteProtocol, as: .protocolVersion)
    Clause(
      "tls-client-certificate",
      "a server that demands a client certificate is a separate error, and not retried",
      from: "RFC 8446 §6.2", requires: .connections
    ) { fixture in
      let plan = OriginPlan(identity: .demandsCertificate) { _ in .respond(text: "secret") }
      let world = try await fixture.world(plan, scheme: .https).through { $0.retryingWhenSafe() }
      let error = await world.expectFailure(.tls(.certificateRequired))
      checkEqual(error?.phase, .securing, "the phase")
      checkEqual(error?.isRetrySafe, false, "whether a retry is safe")
      checkEqual(world.log.requests.count, 0, "the number of requests")
    }
    Clause(
      "tls-phase", "a failed TLS handshake reports the phase `securing`", from: "this project"
    ) { fixture in
      for identity in [OriginPlan.Identity.expired, .obsoleteProtocol] {
        let world = try await fixture.world(
          OriginPlan(identity: identity) { _ in .respond() }, scheme: .https)
        do throws(TransportError) {
          try await world.answer()
          Issue.record("expected the TLS handshake to fail")
        } catch {
          checkEqual(error.phase, .securing, "the phase of \(error)")
        }
      }
    }
    Clause(
      "tls-trusted", "a certificate for the host from a trusted authority is accepted",
      from: "RFC 9110 §4.3.4", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.respond(text: "hi"), scheme: .https)
      for _ in 1...2 { checkEqual(try await world.answer().text, "hi", "the content") }
      checkEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "custom-authority", "only the authorities of the setup are trusted",
      from: "RFC 5280 §6.1.1",
      requires: .customAuthorities
    ) { fixture in
      let system = try await fixture.world(.respond(text: "hi"), scheme: .https) {
        $0.trustedAuthorities = nil
      }
      await system.expectFailure(.tls(.unknownAuthority))
      let given = try await fixture.world(.respond(text: "hi"), scheme: .https)
      checkEqual(try await given.answer().text, "hi", "the content")
    }
    Absence(of: .customAuthorities, "the trusted authorities do not depend on the setup") {
      fixture in
      let given = try await fixture.world(.respond(text: "hi"), scheme: .https).outcome
      let system = try await fixture.world(.respond(text: "hi"), scheme: .https) {
        $0.trustedAuthorities = nil
      }.outcome
      checkEqual(given, system, "the result with authorities in the setup")
    }
    Clause(
      "proxy", "the proxy receives the whole URL, except for hosts that bypass it",
      from: "RFC 9112 §3.2.2", requires: .proxy
    ) { fixture in
      let near = try fixture.peer(.respond(text: "direct"))
      let proxy = try fixture.peer(.respond(text: "proxied"))
      let through = try await fixture.world([near, proxy]) {
        $0.proxy = "http://user:pass@127.0.0.1:\(proxy.port)"
      }
      let url = "http://far.invalid/a?b"
      checkEqual(
        try await through.answer(to: HTTPRequest(url: url)).text, "proxied", "the content")
      checkEqual(proxy.log.requests.map(\.head.target), [url], "the list of targets at the proxy")
      checkEqual(proxy.log.requests.first?.fields[.host], "far.invalid", "Host at the proxy")
      try await through.answer(to: HTTPRequest(url: "http://far.invalid:80/"))
      checkEqual(
        proxy.log.requests.last?.fields[.host], "far.invalid", "Host of a URL with port 80")
      checkEqual(
        proxy.log.requests.first?.fields[.proxyAuthorization], "Basic dXNlcjpwYXNz",
        "Proxy-Authorization at the proxy")
      let bypassing = try await fixture.world([near, proxy]) {
        $0.proxy = proxy.url
        $0.proxyBypass = ["near.invalid", "127.0.0.1"]
      }
      checkEqual(try await bypassing.answer().text, "direct", "the content without the proxy")
      checkEqual(proxy.log.requests.count, 2, "the number of requests at the proxy")
    }
    Clause(
      "proxy-tunnel", "https uses a tunnel, and a 407 response to CONNECT is a separate error",
      from: "RFC 9110 §9.3.6 and §15.5.8", requires: .proxy
    ) { fixture in
      let proxy = try fixture.peer(
        .raw(
          "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"))
      let world = try await fixture.world([proxy]) { $0.proxy = proxy.url }
      let error = await world.expectFailure(
        [.proxyAuthenticationRequired],
        of: HTTPRequest(
          method: .post, url: "https://far.invalid/secret",
          headerFields: [.authorization: "Bearer s3cret"]), body: .text("secret"))
      checkEqual(error?.bytesSent, false, "whether bytes were sent")
      let seen = try #require(proxy.log.requests.first)
      checkEqual(seen.head.method, .connect, "the method at the proxy")
      checkEqual(seen.head.target, "far.invalid:443", "the target at the proxy")
      checkEqual(seen.fields[values: .authorization], [], "Authorization at the proxy")
      checkEqual(seen.fields[values: .host], ["far.invalid:443"], "Host at the proxy")
      await world.expectFailure(
        [.proxyAuthenticationRequired], of: HTTPRequest(url: "https://[2001:DB8::1]:8443/"))
      checkEqual(
        proxy.log.requests.last?.head.target.lowercased(), "[2001:db8::1]:8443",
        "the target of an IPv6 literal at the proxy")
      await world.expectFailure(
        [.proxyAuthenticationRequired], of: HTTPRequest(url: "https://[2001:db8::1]/"))
      checkEqual(
        proxy.log.requests.last?.head.target, "[2001:db8::1]:443",
        "the target of an IPv6 literal without a port")
    }
    Clause(
      "proxy-failed", "a proxy that refuses the connection or the tunnel is a separate error",
      from: "RFC 9110 §9.3.6", requires: .proxy
    ) { fixture in
      let refusing = try fixture.peer(OriginPlan(reachability: .refusing) { _ in [] })
      let unreachable = try await fixture.world([refusing]) { $0.proxy = refusing.url }
      for url in ["http://far.invalid/", "https://far.invalid/"] {
        let error = await unreachable.expectFailure([.proxyFailed], of: HTTPRequest(url: url))
        checkEqual(error?.phase, .connecting, "the phase of a refused connection to the proxy")
        checkEqual(error?.bytesSent, false, "whether bytes were sent")
      }
      let unknown = try fixture.peer(OriginPlan(reachability: .unresolvable) { _ in [] })
      let unresolved = try await fixture.world([unknown]) { $0.proxy = unknown.url }
      for url in ["http://far.invalid/", "https://far.invalid/"] {
        let error = await unresolved.expectFailure([.proxyFailed], of: HTTPRequest(url: url))
        checkEqual(error?.bytesSent, false, "whether bytes were sent to an unknown proxy")
      }
      let bypassing = try await fixture.world([refusing, unknown]) {
        $0.proxy = unknown.url
        $0.proxyBypass = ["127.0.0.1"]
      }
      await bypassing.expectFailure(.connectionRefused)
      for status in [300, 403, 502] {
        let proxy = try fixture.peer(.respond(status))
        let world = try await fixture.world([proxy]) { $0.proxy = proxy.url }
        let error = await world.expectFailure(
          [.proxyFailed], of: HTTPRequest(url: "https://far.invalid/"))
        checkEqual(error?.phase, .connecting, "the phase of the status \(status)")
      }
    }
    Clause(
      "proxy-shutdown",
      "a tunnel ends with its request, and shutting down ends requests and idle tunnels",
      from: "this project", requires: .proxy
    ) { fixture in
      let far = try fixture.peer(
        OriginPlan { $0.path == "/stall" ? [.readBody, .stall] : .respond(text: "far") },
        scheme: .https)
      let proxy = try fixture.peer(OriginPlan { _ in [.readBody, .stall] }, tunnels: { _ in true })
      let world = try await fixture.world([far, proxy]) { $0.proxy = proxy.url }
      let cancelled = Task { await world.expectFailure(.cancelled, of: .get, "/stall") }
      try await far.log.expectRequest()
      cancelled.cancel()
      _ = await cancelled.value
      let hasEnded = try await proxy.log.happens { $0.closedByClient == 1 }
      check(hasEnded, "the tunnel of the cancelled request stays open")
      checkEqual(try await world.answer().text, "far", "the content")
      let plain = HTTPRequest(url: "http://far.invalid/")
      let pending = Task { await world.expectFailure([.shutDown], of: plain) }
      check(
        try await proxy.log.happens { $0.requests == 3 }, "the request to the proxy is missing")
      await world.shutDown()
      _ = await pending.value
      await world.expectFailure([.shutDown], of: plain)
      let areClosed = try await proxy.log.happens { $0.closedByClient == $0.connections }
      check(areClosed, "a connection to the proxy stays open: \(proxy.log.counts)")
    }
    Clause(
      "proxy-timeout", "the connect timeout includes the tunnel, and cancellation ends it",
      from: "RFC 9110 §9.3.6", requires: .proxy
    ) { fixture in
      let proxy = try fixture.peer([.stall])
      let world = try await fixture.world([proxy]) { $0.proxy = proxy.url }
      let request = HTTPRequest(url: "https://far.invalid/")
      let error = await world.through { $0.enforcing(Deadlines(connect: .milliseconds(300))) }
        .expectFailure([.connectTimeout], of: request)
      checkEqual(error?.phase, .connecting, "the phase")
      let count = proxy.log.counts.requests
      let task = Task { await world.expectFailure([.cancelled], of: request) }
      try await world.expect("the proxy receives CONNECT") { $0.requests == count + 1 }
      task.cancel()
      _ = await task.value
      try await world.expect("the connections to the proxy are closed") {
        $0.closedByClient == $0.connections
      }
    }
    Clause(
      "proxy-end-to-end",
      "a tunnel carries https to the origin, and proxy and origin see only their credentials",
      from: "RFC 9110 §9.3.6 and §11.7", requires: .proxy
    ) { fixture in
      let far = try fixture.peer(.respond(text: "far"), scheme: .https)
      let asking = OriginScript.respond(407, headerFields: ["Proxy-Authenticate": "Basic realm=x"])
      let proxy = try fixture.peer(
        OriginPlan { _ in asking },
        tunnels: { $0.headerFields[.proxyAuthorization] == "Basic dXNlcjpwYXNz" })
      let world = try await fixture.world([far, proxy]) {
        $0.proxy = "http://user:pass@127.0.0.1:\(proxy.port)"
      }
      for _ in 1...2 {
        let answer = try await world.answer(
          .put, "/a", [.authorization: "Bearer s3cret"], body: .text("body"))
        checkEqual(answer.text, "far", "the content")
      }
      checkEqual(
        far.log.requests.map(\.head.target), ["/a", "/a"], "the list of targets at the origin")
      checkEqual(
        far.log.requests.map(\.bodyCount), [4, 4], "the list of content sizes at the origin")
      checkEqual(far.log.counts.connections, 1, "the number of connections to the origin")
      checkEqual(proxy.log.requests.count, 1, "the number of tunnels")
      checkEqual(proxy.log.counts.closedByClient, 0, "the number of closed tunnels")
      checkEqual(
        far.log.requests.map { $0.fields[.authorization] }, ["Bearer s3cret", "Bearer s3cret"],
        "Authorization at the origin")
      checkEqual(
        far.log.requests.map { $0.fields[.proxyAuthorization] }, [nil, nil],
        "Proxy-Authorization at the origin")
      for seen in proxy.log.requests {
        checkEqual(seen.head.method, .connect, "the method at the proxy")
        checkEqual(seen.head.target, "127.0.0.1:\(far.port)", "the target at the proxy")
        checkEqual(seen.fields[.authorization], nil, "Authorization at the proxy")
      }
      let wrong = try await fixture.world([far, proxy]) {
        $0.proxy = "http://user:word@127.0.0.1:\(proxy.port)"
      }
      await wrong.expectFailure(.proxyAuthenticationRequired)
      await world.shutDown()
      try await world.expect("the connection to the origin is closed") { $0.closedByClient == 1 }
    }
    Clause(
      "proxy-multiplex", "requests over HTTP/2 through a proxy share one connection in one tunnel",
      from: "RFC 9110 §9.3.6, RFC 9113 §9.1", requires: .proxy, .customAuthorities
    ) { fixture in
      let far = try fixture.peer(
        OriginPlan(version: .http2) { .respond(text: $0.target) }, scheme: .https)
      let proxy = try fixture.peer(OriginPlan { _ in .respond(403) }, tunnels: { _ in true })
      let world = try await fixture.world([far, proxy]) { $0.proxy = proxy.url }
      for target in ["/1", "/2", "/3"] {
        checkEqual(try await world.answer(.get, target).text, target, "the content")
      }
      checkEqual(far.log.counts.connections, 1, "the number of connections to the origin")
      checkEqual(proxy.log.requests.count, 1, "the number of tunnels")
    }
    Absence.ofProxy
    Clause(
      "cookies", "cookies are sent and stored with the policy, and never without it",
      from: "RFC 6265 §3"
    ) { fixture in
      let world = try await fixture.world(
        .respond(headerFields: [.setCookie: "a=1; Path=/", "set-cookie": "b=2"]))
      for _ in 1...2 { try await world.answer() }
      checkEqual(
        world.log.requests.map { $0.fields[.cookie] }, [nil, nil], "Cookie without the policy")
      let cookies = SimpleCookies()
      let handling = world.through { $0.handlingCookies(with: cookies) }
      for _ in 1...2 { try await handling.answer() }
      checkEqual(
        world.log.requests.dropFirst(2).map { $0.fields[.cookie] }, [nil, "a=1; b=2"],
        "Cookie with the policy")
      try await handling.answer(.get, "/", [.cookie: "own=1"])
      checkEqual(world.log.requests.last?.fields[.cookie], "own=1", "Cookie of the request itself")
    }
    Clause(
      "cookie-failures",
      "an error of the cookie store fails the request, before or after it is sent",
      from: "this project"
    ) { fixture in
      for failure in [FailingCookies.Failure.load, .store] {
        for isCancelled in [false, true] {
          let world = try await fixture.world(.respond(headerFields: [.setCookie: "a=1"]))
            .through {
              $0.handlingCookies(
                with: FailingCookies(failing: failure, isCancelled: isCancelled))
            }
          let error = await world.expectFailure(isCancelled ? .cancelled : .cookieStoreFailed)
          checkEqual(
            error?.phase, failure == .load ? .preparing : .awaitingHead, "the phase of \(failure)")
          checkEqual(error?.bytesSent, failure == .store, "whether bytes were sent")
          check(
            error?.underlying is FailingCookies.Failure == !isCancelled,
            "the error does not contain the store's error")
          checkEqual(
            world.log.requests.count, failure == .store ? 1 : 0, "the number of requests")
        }
      }
    }
    Clause(
      "progress", "progress increases to the size of the content in both directions",
      from: "this project"
    ) { fixture in
      let content = [UInt8](repeating: 0x61, count: 500_000)
      let world = try await fixture.world(.respond(body: content))
      let sent = Mutex<[Int]>([])
      let received = Mutex<[Int]>([])
      let body = HTTPRequestBody.bytes(content).reportingProgress { count in
        sent.withLock { $0.append(count) }
      }
      let exchange = try await world.send(.put, body: body)
      _ = try await exchange.body.reportingProgress { count in
        received.withLock { $0.append(count) }
      }.collect(upTo: 1 << 20)
      checkEqual(sent.withLock { $0.first }, 65_536, "the size of the first piece in memory")
      let stream = Chunks { $0 < 2 ? [UInt8](repeating: 0x61, count: 10) : nil }
      let steps = Mutex<[Int]>([])
      let streamed = try await world.send(
        .put,
        body: .stream(stream).reportingProgress { count in steps.withLock { $0.append(count) } })
      checkEqual(steps.withLock { $0 }, [10, 20], "the progress of a stream")
      streamed.body.cancel()
      checkEqual(world.log.requests.last?.bodyCount, 20, "the number of bytes of the stream")
      for (counts, direction) in [
        (sent.withLock { $0 }, "sent"), (received.withLock { $0 }, "received"),
      ] {
        check(
          zip(counts, counts.dropFirst()).allSatisfy(<),
          "the progress of bytes \(direction) does not increase: \(counts)")
        checkEqual(counts.last, 500_000, "the final progress of bytes \(direction)")
      }
      checkEqual(world.log.requests.first?.bodyCount, 500_000, "the number of received bytes")
    }
    Clause(
      "error-facts",
      "an error reports its phase, whether bytes were sent, and whether a retry is safe",
      from: "this project"
    ) { fixture in
      let refusing = try await fixture.world(OriginPlan(reachability: .refusing) { _ in [] })
      let refused = await refusing.expectFailure(.connectionRefused, of: .post, body: .text("a"))
      checkEqual(refused?.phase, .connecting, "the phase of a refused connection")
      checkEqual(refused?.bytesSent, false, "whether bytes were sent")
      checkEqual(refused?.isRetrySafe, true, "whether a retry is safe")
      let nameless = try await fixture.world(OriginPlan(reachability: .unresolvable) { _ in [] })
      let unresolved = await nameless.expectFailure(.nameNotResolved)
      checkEqual(unresolved?.phase, .resolving, "the phase of an unknown name")
      checkEqual(unresolved?.bytesSent, false, "whether bytes were sent")
      let resetting = try await fixture.world([.readBody, .reset])
      for method in [HTTPRequest.Method.get, .put, .post, .patch] {
        let reset = await resetting.expectFailure(.connectionReset, of: method, body: .text("a"))
        checkEqual(reset?.phase, .awaitingHead, "the phase of a reset")
        checkEqual(reset?.bytesSent, true, "whether bytes were sent")
        checkEqual(
          reset?.isRetrySafe, method.isIdempotent, "whether a retry of \(method) is safe")
      }
      let bare = await resetting.expectFailure(.connectionReset)
      checkEqual(bare?.phase, .awaitingHead, "the phase of a reset without content")
      let broken = try await fixture.world(.raw("HTTP/1.1 2000\r\n\r\n") + [.close])
      let malformed = await broken.expectFailure(.malformedHead)
      checkEqual(malformed?.isRetrySafe, false, "whether a retry of a malformed head is safe")
    }
  }
}
