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
    flawed("trusts-all", "it trusts whom it likes", caughtBy: "custom-authority") { _ in }
    flawed(
      "trusts-as-told", "it trusts as it is told", caughtBy: "lacks-custom-authorities",
      saying: "unknownAuthority"
    ) {
      let untrusting = Counter()
      $0.setup = { setup in
        if setup.trustedAuthorities == nil { untrusting.increment() }
        return setup
      }
      $0.send = { base, request, body, options in
        guard untrusting.value == 0 else {
          throw TransportError(.tls(.unknownAuthority), phase: .securing, bytesSent: false)
        }
        return try await base.send(request, body: body, options: options)
      }
    }
    flawed("passes-proxy-by", "it knows no proxy", caughtBy: "proxy") { _ in }
    flawed("no-tunnel", "it opens no tunnel", caughtBy: "proxy-tunnel") { _ in }
    flawed("proxied", "it goes through the proxy", caughtBy: "lacks-proxy") {
      let proxy = Counter()
      $0.setup = { setup in
        if let port = setup.proxy.flatMap({ URLReference($0).authority?.split(separator: ":").last }
        ) {
          proxy.increment(by: Int(port) ?? 0)
        }
        return setup
      }
      $0.request = { request, _, _ in
        if proxy.value > 0 { request.authority = "127.0.0.1:\(proxy.value)" }
      }
    }
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
