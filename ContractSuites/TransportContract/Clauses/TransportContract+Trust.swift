import ContractTesting
import SystemLocks
import Testing
import TransportPort

/// Cookies as a list of `name=value`, sent to every URL.
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

extension TransportWorld {
  /// What comes of a request: the response's text, or the kind of the error.
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

extension ClauseGroup<TransportFixture> {
  /// A clause on a certificate or protocol that has to be refused.
  private static func refusing(
    _ id: String, _ sentence: String, from source: String, _ identity: OriginPlan.Identity,
    as failure: TransportError.TLSFailure, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Clause<TransportFixture> {
    Clause(id, sentence, from: source, sourceLocation: sourceLocation) { fixture in
      let plan = OriginPlan(identity: identity) { _ in .respond(text: "secret") }
      let world = try await fixture.world(plan, scheme: .https)
      let error = await world.expectFailure(
        .tls(failure), of: .post, body: .text("secret"), sourceLocation: sourceLocation)
      expectEqual(
        error?.bytesSent, false, "whether bytes were sent", sourceLocation: sourceLocation)
      expectEqual(
        world.log.requests.count, 0, "the number of requests", sourceLocation: sourceLocation)
    }
  }

  static let trust = ClauseGroup("TLS, proxies and hooks") {
    refusing(
      "tls-expired", "a certificate that is no longer valid is refused", from: "RFC 5280 §6.1.3",
      .expired, as: .certificateExpired)
    refusing(
      "tls-wrong-host", "a certificate for another host is refused", from: "RFC 9110 §4.3.4",
      .wrongHost, as: .wrongHost)
    refusing(
      "tls-self-signed", "a certificate signed by itself is refused", from: "RFC 5280 §6.1.1",
      .selfSigned, as: .selfSigned)
    refusing(
      "tls-unknown-authority", "a certificate of an unknown authority is refused",
      from: "RFC 5280 §6.1.1", .unknownAuthority, as: .unknownAuthority)
    refusing(
      "tls-version", "no version of TLS before 1.2 is spoken", from: "RFC 8996 §4 and §5",
      .obsoleteProtocol, as: .protocolVersion)
    Clause(
      "tls-phase", "a failure of the handshake is in the phase of securing", from: "this project"
    ) { fixture in
      for identity in [OriginPlan.Identity.expired, .obsoleteProtocol] {
        let world = try await fixture.world(
          OriginPlan(identity: identity) { _ in .respond() }, scheme: .https)
        do throws(TransportError) {
          try await world.answer()
          Issue.record("expected a failure of the handshake")
        } catch {
          expectEqual(error.phase, .securing, "the phase of \(error)")
        }
      }
    }
    Clause(
      "tls-trusted", "a certificate of a trusted authority for the host is accepted",
      from: "RFC 9110 §4.3.4"
    ) { fixture in
      let world = try await fixture.world(.respond(text: "hi"), scheme: .https)
      for _ in 1...2 { expectEqual(try await world.answer().text, "hi", "the content") }
      expectEqual(world.log.counts.connections, 1, "the number of connections")
    }
    Clause(
      "custom-authority", "only the authorities that are given are trusted",
      from: "RFC 5280 §6.1.1",
      requires: .customAuthorities
    ) { fixture in
      let system = try await fixture.world(.respond(text: "hi"), scheme: .https) {
        $0.trustedAuthorities = nil
      }
      await system.expectFailure(.tls(.unknownAuthority))
      let given = try await fixture.world(.respond(text: "hi"), scheme: .https)
      expectEqual(try await given.answer().text, "hi", "the content")
    }
    Absence(of: .customAuthorities, "who is trusted doesn't depend on the setup") { fixture in
      let given = try await fixture.world(.respond(text: "hi"), scheme: .https).outcome
      let system = try await fixture.world(.respond(text: "hi"), scheme: .https) {
        $0.trustedAuthorities = nil
      }.outcome
      expectEqual(given, system, "what comes of it with authorities given")
    }
    Clause(
      "proxy", "a proxy gets the whole URL, and only for hosts that don't go round it",
      from: "RFC 9112 §3.2.2", requires: .proxy
    ) { fixture in
      let near = try fixture.peer(.respond(text: "straight"))
      let proxy = try fixture.peer(.respond(text: "proxied"))
      let through = try await fixture.world([near, proxy]) { $0.proxy = proxy.url }
      let url = "http://far.invalid/a?b"
      expectEqual(
        try await through.answer(to: HTTPRequest(url: url)).text, "proxied", "the content")
      expectEqual(proxy.log.requests.map(\.head.target), [url], "the targets at the proxy")
      expectEqual(proxy.log.requests.first?.fields[.host], "far.invalid", "Host at the proxy")
      let round = try await fixture.world([near, proxy]) {
        $0.proxy = proxy.url
        $0.proxyBypass = ["127.0.0.1"]
      }
      expectEqual(try await round.answer().text, "straight", "the content without the proxy")
      expectEqual(proxy.log.requests.count, 1, "the number of requests at the proxy")
    }
    Clause(
      "proxy-tunnel", "https goes through a tunnel, and 407 to it is an error of its own",
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
      expectEqual(error?.bytesSent, false, "whether bytes of the request were sent")
      let seen = try #require(proxy.log.requests.first)
      expectEqual(seen.head.method, .connect, "the method at the proxy")
      expectEqual(seen.head.target, "far.invalid:443", "the target at the proxy")
      expectEqual(seen.fields[values: .authorization], [], "Authorization at the proxy")
    }
    Clause(
      "proxy-end-to-end", "a tunnel carries https to its end, and credentials stay on their side",
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
        expectEqual(answer.text, "far", "the content")
      }
      expectEqual(far.log.requests.map(\.head.target), ["/a", "/a"], "the targets at the origin")
      expectEqual(far.log.requests.map(\.bodyCount), [4, 4], "the bytes of content at the origin")
      expectEqual(far.log.counts.connections, 1, "the number of connections to the origin")
      expectEqual(
        far.log.requests.map { $0.fields[.authorization] }, ["Bearer s3cret", "Bearer s3cret"],
        "Authorization at the origin")
      expectEqual(
        far.log.requests.map { $0.fields[.proxyAuthorization] }, [nil, nil],
        "Proxy-Authorization at the origin")
      for seen in proxy.log.requests {
        expectEqual(seen.head.method, .connect, "the method at the proxy")
        expectEqual(seen.head.target, "127.0.0.1:\(far.port)", "the target at the proxy")
        expectEqual(seen.fields[.authorization], nil, "Authorization at the proxy")
      }
      let wrong = try await fixture.world([far, proxy]) {
        $0.proxy = "http://user:word@127.0.0.1:\(proxy.port)"
      }
      await wrong.expectFailure(.proxyAuthenticationRequired)
    }
    Absence(of: .proxy, "the setup's proxy is passed by") { fixture in
      let near = try fixture.peer(.respond(text: "straight"))
      let proxy = try fixture.peer(.respond(text: "proxied"))
      let world = try await fixture.world([near, proxy]) { $0.proxy = proxy.url }
      expectEqual(try await world.answer().text, "straight", "the content")
      expectEqual(proxy.log.counts.connections, 0, "the connections to the proxy")
    }
    Clause(
      "cookies", "cookies are sent and kept through the policy, and never without it",
      from: "RFC 6265 §3"
    ) { fixture in
      let world = try await fixture.world(
        .respond(headerFields: [.setCookie: "a=1; Path=/", "set-cookie": "b=2"]))
      for _ in 1...2 { try await world.answer() }
      expectEqual(
        world.log.requests.map { $0.fields[.cookie] }, [nil, nil], "Cookie without the policy")
      let cookies = SimpleCookies()
      let with = world.through { $0.handlingCookies(with: cookies) }
      for _ in 1...2 { try await with.answer() }
      expectEqual(
        world.log.requests.dropFirst(2).map { $0.fields[.cookie] }, [nil, "a=1; b=2"],
        "Cookie through the policy")
    }
    Clause(
      "progress", "progress goes up to the whole in both directions", from: "this project"
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
      for (counts, what) in [
        (sent.withLock { $0 }, "sent"), (received.withLock { $0 }, "received"),
      ] {
        check(
          zip(counts, counts.dropFirst()).allSatisfy(<), "the bytes \(what) went down: \(counts)",
          #_sourceLocation)
        expectEqual(counts.last, 500_000, "the bytes \(what) at the end")
      }
      expectEqual(world.log.requests.last?.bodyCount, 500_000, "the bytes that arrived")
    }
    Clause(
      "error-facts",
      "an error says in which phase it came, whether bytes were sent, and what is safe",
      from: "this project"
    ) { fixture in
      let refusing = try await fixture.world(OriginPlan(reachability: .refusing) { _ in [] })
      let refused = await refusing.expectFailure(.connectionRefused, of: .post, body: .text("a"))
      expectEqual(refused?.phase, .connecting, "the phase of a refused connection")
      expectEqual(refused?.bytesSent, false, "whether bytes were sent")
      expectEqual(refused?.isRetrySafe, true, "whether a retry is safe")
      let nameless = try await fixture.world(OriginPlan(reachability: .unresolvable) { _ in [] })
      let unresolved = await nameless.expectFailure(.nameNotResolved)
      expectEqual(unresolved?.phase, .resolving, "the phase of an unknown name")
      expectEqual(unresolved?.bytesSent, false, "whether bytes were sent")
      let resetting = try await fixture.world([.readBody, .reset])
      for method in [HTTPRequest.Method.get, .put, .post, .patch] {
        let reset = await resetting.expectFailure(.connectionReset, of: method, body: .text("a"))
        expectEqual(reset?.phase, .awaitingHead, "the phase of a reset")
        expectEqual(reset?.bytesSent, true, "whether bytes were sent")
        expectEqual(
          reset?.isRetrySafe, method.isIdempotent, "whether a retry of \(method) is safe")
      }
      let broken = try await fixture.world(.raw("HTTP/1.1 2000\r\n\r\n") + [.close])
      let malformed = await broken.expectFailure(.malformedHead)
      expectEqual(malformed?.isRetrySafe, false, "whether a retry of a malformed head is safe")
    }
  }
}
