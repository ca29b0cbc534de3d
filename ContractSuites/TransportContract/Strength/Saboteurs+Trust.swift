import ContractTesting
import Testing
import TransportPort

extension Flaws {
  /// Makes the transport accept an identity.
  fileprivate mutating func accept(_ identity: OriginPlan.Identity) {
    plan = { plan in
      var plan = plan
      if plan.identity == identity { plan.identity = .trusted }
      return plan
    }
  }

  /// Makes the transport trust the peers' authority whatever its setup says.
  fileprivate mutating func trustAnyway() {
    setup = { setup in
      var setup = setup
      setup.trustedAuthorities = setup.trustedAuthorities ?? ""
      return setup
    }
  }

  /// Makes the transport take another proxy than that of its setup.
  fileprivate mutating func changeProxy(_ change: @escaping @Sendable (String?) -> String?) {
    setup = { setup in
      var setup = setup
      setup.proxy = change(setup.proxy)
      return setup
    }
  }

  /// Makes every error of TLS the same.
  fileprivate mutating func callTLSFailures(_ failure: TransportError.TLSFailure) {
    error = { error in
      var error = error
      if case .tls = error.kind { error.kind = .tls(failure) }
      return error
    }
  }
}

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var trust: [Saboteur<TransportFixture>] {
    flawed(
      "takes-expired", "it looks at no dates", caughtBy: "tls-expired", saying: "got status 200"
    ) {
      $0.accept(.expired)
    }
    flawed(
      "takes-any-host", "it looks at no names", caughtBy: "tls-wrong-host", saying: "got status 200"
    ) { $0.accept(.wrongHost) }
    flawed("takes-self-signed", "it takes what is signed by itself", caughtBy: "tls-self-signed") {
      $0.accept(.selfSigned)
    }
    flawed("takes-any-authority", "it takes any issuer", caughtBy: "tls-unknown-authority") {
      $0.accept(.unknownAuthority)
    }
    flawed("speaks-tls-1-1", "it speaks TLS 1.1", caughtBy: "tls-version", saying: "got status 200")
    {
      $0.accept(.obsoleteProtocol)
    }
    flawed(
      "one-tls-error", "it calls every failure of TLS one of the handshake",
      caughtBy: "tls-wrong-host", saying: "handshake"
    ) { $0.callTLSFailures(.handshake) }
    flawed("vague-phase", "it calls the handshake a part of connecting", caughtBy: "tls-phase") {
      $0.error = { error in
        var error = error
        if error.phase == .securing { error.phase = .connecting }
        return error
      }
    }
    flawed("trusts-nobody", "it refuses every certificate", caughtBy: "tls-trusted") {
      $0.plan = { plan in
        var plan = plan
        plan.identity = .unknownAuthority
        return plan
      }
    }
    flawed("trusts-all", "it trusts whom it likes", caughtBy: "custom-authority") {
      $0.trustAnyway()
    }
    flawed(
      "trusts-as-told", "it trusts as it is told", caughtBy: "lacks-custom-authorities"
    ) { _ in }
    flawed("passes-proxy-by", "it knows no proxy", caughtBy: "proxy") {
      $0.changeProxy { _ in nil }
    }
    flawed("no-tunnel", "it opens no tunnel", caughtBy: "proxy-tunnel") {
      $0.changeProxy { _ in nil }
    }
    flawed(
      "no-credentials", "it tells the proxy no credentials", caughtBy: "proxy-end-to-end",
      saying: "proxyAuthenticationRequired"
    ) {
      $0.changeProxy { proxy in
        proxy.flatMap { $0.split(separator: "@").last }.map { "http://\($0)" }
      }
    }
    flawed(
      "tells-proxy-secret", "it tells the origin the proxy's credentials",
      caughtBy: "proxy-end-to-end", saying: "Proxy-Authorization at the origin"
    ) {
      $0.seen = { request in
        var request = request
        if request.head.method != .connect {
          request.head.headerFields[.proxyAuthorization] = "Basic dXNlcjpwYXNz"
        }
        return request
      }
    }
    flawed("proxied", "it goes through the proxy", caughtBy: "lacks-proxy") { _ in }
    flawed("own-cookies", "it keeps cookies by itself", caughtBy: "cookies", saying: "without") {
      let hasCookies = Counter()
      $0.request = { request, _, _ in
        if hasCookies.value > 0 { request.headerFields[.cookie] = "a=1; b=2" }
      }
      $0.response = { exchange in
        if exchange.response.headerFields.contains(.setCookie) { hasCookies.increment() }
      }
    }
    flawed("joins-for-store", "it gives the store one line", caughtBy: "cookies", saying: "through")
    {
      $0.response = {
        let lines = $0.response.headerFields[values: .setCookie]
        $0.response.headerFields[.setCookie] = lines.joined(separator: "; ")
      }
    }
    flawed("skips-progress", "it reads content past its observers", caughtBy: "progress") {
      $0.request = { _, body, _ in
        if let length = body.length, length > 0 {
          body = .bytes([UInt8](repeating: 0x61, count: length))
        }
      }
    }
    flawed("says-sent", "it says that bytes were sent whenever it fails", caughtBy: "error-facts") {
      $0.error = { error in
        var error = error
        error.bytesSent = true
        return error
      }
    }
    flawed("says-safe", "it says that any failure may be retried", caughtBy: "error-facts") {
      $0.error = { error in
        var error = error
        error.isRetrySafe = true
        return error
      }
    }
  }
}
