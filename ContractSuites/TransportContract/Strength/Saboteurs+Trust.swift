import ContractTesting
import Testing
import TransportPort

extension TransportFlaws {
  /// Makes the transport accept the certificate of an identity.
  fileprivate mutating func accept(_ identity: OriginPlan.Identity) {
    plan = { plan in
      var plan = plan
      if plan.identity == identity { plan.identity = .trusted }
      return plan
    }
  }

  /// Makes the transport trust the scripted origin's authority, whatever its setup.
  fileprivate mutating func alwaysTrustAuthority() {
    setup = { setup in
      var setup = setup
      setup.trustedAuthorities = setup.trustedAuthorities ?? ""
      return setup
    }
  }

  /// Makes the transport use another proxy than that of its setup.
  fileprivate mutating func changeProxy(_ change: @escaping @Sendable (String?) -> String?) {
    setup = { setup in
      var setup = setup
      setup.proxy = change(setup.proxy)
      return setup
    }
  }

  /// Makes the transport report every TLS error as the same failure.
  fileprivate mutating func reportTLSErrors(as failure: TransportError.TLSFailure) {
    error = { error in
      var error = error
      if case .tls = error.kind { error.kind = .tls(failure) }
      return error
    }
  }
}

extension Saboteur<TransportFixture> {
  static let proxied = flawed(
    "proxied", "uses the proxy of its setup", caughtBy: "lacks-proxy"
  ) { _ in }

  @SaboteurBuilder<TransportFixture> static var trust: [Saboteur<TransportFixture>] {
    flawed(
      "takes-expired", "does not check a certificate's validity dates", caughtBy: "tls-expired",
      saying: "got status 200"
    ) {
      $0.accept(.expired)
    }
    flawed(
      "takes-not-yet-valid", "does not check when a certificate's validity begins",
      caughtBy: "tls-not-yet-valid", saying: "got status 200"
    ) { $0.accept(.notYetValid) }
    flawed(
      "resets-without-certificate", "reports a demanded client certificate as a reset",
      caughtBy: "tls-client-certificate", saying: "connectionReset"
    ) {
      $0.error = { error in
        error.kind == .tls(.certificateRequired)
          ? TransportError(.connectionReset, phase: .awaitingHead, method: .get, bytesSent: true)
          : error
      }
    }
    flawed(
      "takes-any-host", "does not check a certificate's host names", caughtBy: "tls-wrong-host",
      saying: "got status 200"
    ) { $0.accept(.wrongHost) }
    flawed("takes-self-signed", "accepts self-signed certificates", caughtBy: "tls-self-signed") {
      $0.accept(.selfSigned)
    }
    flawed("takes-any-authority", "accepts any authority", caughtBy: "tls-unknown-authority") {
      $0.accept(.unknownAuthority)
    }
    flawed("speaks-tls-1-1", "accepts TLS 1.1", caughtBy: "tls-version", saying: "got status 200") {
      $0.accept(.obsoleteProtocol)
    }
    flawed(
      "one-tls-error", "reports every TLS error as a handshake failure",
      caughtBy: "tls-wrong-host", saying: "handshake"
    ) { $0.reportTLSErrors(as: .handshake) }
    flawed(
      "vague-phase", "reports the phase `connecting` for a failed handshake", caughtBy: "tls-phase"
    ) {
      $0.error = { error in
        var error = error
        if error.phase == .securing { error.phase = .connecting }
        return error
      }
    }
    flawed("trusts-nobody", "rejects every certificate", caughtBy: "tls-trusted") {
      $0.plan = { plan in
        var plan = plan
        plan.identity = .unknownAuthority
        return plan
      }
    }
    flawed(
      "trusts-all", "trusts an authority that is not in its setup", caughtBy: "custom-authority"
    ) {
      $0.alwaysTrustAuthority()
    }
    flawed(
      "trusts-as-told", "trusts the authorities of its setup", caughtBy: "lacks-custom-authorities"
    ) { _ in }
    flawed("passes-proxy-by", "ignores the proxy of its setup", caughtBy: "proxy") {
      $0.changeProxy { _ in nil }
    }
    flawed("no-tunnel", "connects to an https origin without the proxy", caughtBy: "proxy-tunnel") {
      $0.changeProxy { _ in nil }
    }
    flawed(
      "no-credentials", "does not send the proxy's credentials", caughtBy: "proxy-end-to-end",
      saying: "proxyAuthenticationRequired"
    ) {
      $0.changeProxy { proxy in
        proxy.flatMap { $0.split(separator: "@").last }.map { "http://\($0)" }
      }
    }
    flawed(
      "tells-proxy-secret", "sends the proxy's credentials to the origin",
      caughtBy: "proxy-end-to-end", saying: "Proxy-Authorization at the origin"
    ) {
      $0.sentRequest = { request in
        var request = request
        if request.head.method != .connect {
          request.head.headerFields[.proxyAuthorization] = "Basic dXNlcjpwYXNz"
        }
        return request
      }
    }
    flawed(
      "blames-origin", "reports a failure of the proxy as one of the origin",
      caughtBy: "proxy-failed", saying: "connectFailed"
    ) {
      $0.error = { error in
        var error = error
        if error.kind == .proxyFailed { error.kind = .connectFailed }
        return error
      }
    }
    flawed(
      "patient-tunnel", "has no time limit for the tunnel", caughtBy: "proxy-timeout",
      timeLimit: .milliseconds(900)
    ) { $0.request = { _, _, options in options.connectTimeout = nil } }
    flawed(
      "keeps-tunnels", "keeps the tunnel of a cancelled request", caughtBy: "proxy-shutdown",
      timeLimit: .milliseconds(900)
    ) { $0.ignoreCancellation() }
    flawed(
      "tunnel-for-each", "opens a tunnel for each request", caughtBy: "proxy-multiplex",
      saying: "the number of connections to the origin"
    ) { $0.request = { _, _, options in options.reusesConnections = false } }
    proxied
    flawed(
      "own-cookies", "stores and sends cookies without the policy", caughtBy: "cookies",
      saying: "without"
    ) {
      let hasCookies = Counter()
      $0.request = { request, _, _ in
        if hasCookies.value > 0 { request.headerFields[.cookie] = "a=1; b=2" }
      }
      $0.response = { exchange in
        if exchange.response.headerFields.contains(.setCookie) { hasCookies.increment() }
      }
    }
    flawed(
      "joins-for-store", "joins Set-Cookie lines for the cookie store", caughtBy: "cookies",
      saying: "with the policy"
    ) {
      $0.response = {
        let lines = $0.response.headerFields[values: .setCookie]
        $0.response.headerFields[.setCookie] = lines.joined(separator: "; ")
      }
    }
    flawed(
      "swallows-set-cookie", "drops Set-Cookie", caughtBy: "cookie-failures",
      saying: "expected cookieStoreFailed"
    ) { $0.receivedBytes = { $0.replacing("Set-Cookie: a=1\r\n", by: "") } }
    flawed(
      "skips-progress", "sends content without calling its progress observers", caughtBy: "progress"
    ) {
      $0.request = { _, body, _ in
        if let length = body.length, length > 0 {
          body = .bytes([UInt8](repeating: 0x61, count: length))
        }
      }
    }
    flawed("says-sent", "reports with every error that bytes were sent", caughtBy: "error-facts") {
      $0.error = { error in
        var error = error
        error.bytesSent = true
        return error
      }
    }
    flawed("says-safe", "reports every error as safe to retry", caughtBy: "error-facts") {
      $0.reportRetrySafety(true)
    }
  }
}
