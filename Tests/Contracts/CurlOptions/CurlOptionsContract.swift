import ContractTesting
import ScriptedOrigin
import SystemLocks
import Testing
import TransportCurlAdapter
import TransportPort

/// Opens transports over a libcurl that refuses options.
struct CurlOptionsFixture: Sendable {
  let scope: FixtureScope
  let open: @Sendable (CurlTransport.Configuration) throws -> CurlTransport
  private let origins = Origins()

  init(
    in scope: FixtureScope,
    opening open: @escaping @Sendable (CurlTransport.Configuration) throws -> CurlTransport = {
      try CurlTransport($0)
    }
  ) {
    self.scope = scope
    self.open = open
    scope.addWitness("the log of the servers", .connection) { [origins] in
      origins.all.withLock(\.self).map(\.log.connectionCount).reduce(0, +)
    }
  }
}

/// The servers of a fixture.
private final class Origins: Sendable {
  let all = Mutex<[ScriptedOrigin]>([])
}

private let manual = "curl.se, curl_easy_setopt"

extension Contract<CurlOptionsFixture> {
  /// What depends on options of libcurl that security needs, and that a build may lack.
  static let curlOptions: Self = Contract("curl-options", "Options of libcurl") {
    Clause("rejected", "without an option that it needs, no transport is created", from: manual) {
      fixture in
      for needs in Needs.all {
        for option in needs.options {
          // CURLE_NOT_BUILT_IN and CURLE_UNKNOWN_OPTION.
          for code: UInt32 in [4, 48] {
            // The options with bit masks are set only if the newer ones are unknown.
            var refusals = [option: code]
            if option.hasSuffix("PROTOCOLS") { refusals[option + "_STR"] = 48 }
            fixture.expectRefusal(of: option, code: code, needs, refusals)
          }
        }
      }
      for option in ["CURLOPT_PROTOCOLS_STR", "CURLOPT_REDIR_PROTOCOLS_STR"] {
        fixture.expectRefusal(of: option, code: 4, Needs(), [option: 4])
      }
      for option in ["CURLOPT_CAPATH", "CURLOPT_PROXY_CAPATH"] {
        fixture.expectRefusal(
          of: option, code: 27, Needs(isPinned: true, isProxied: true), [option: 27])
      }
    }
    Clause(
      "not-needed", "an option that the configuration does not need may be missing", from: manual
    ) { fixture in
      let (pinned, proxied) = (Needs(isPinned: true), Needs(isProxied: true))
      for option in pinned.options { fixture.expectOpening(Needs(), [option: 48]) }
      for option in Needs(isPinned: true, isProxied: true).options {
        fixture.expectOpening(pinned, [option: 48])
        fixture.expectOpening(proxied, [option: 48])
      }
      // A TLS library without support for a directory of authorities trusts none.
      for option in ["CURLOPT_CAPATH", "CURLOPT_PROXY_CAPATH"] {
        fixture.expectOpening(Needs(isPinned: true, isProxied: true), [option: 4])
      }
    }
    Clause(
      "older-options",
      "a libcurl before 7.85 has other options for the protocols, which do the same",
      from: "curl.se, CURLOPT_PROTOCOLS_STR"
    ) { fixture in
      let origin = try fixture.origin(.http)
      let answer = try await fixture.answer(from: origin.url) {
        $0.simulatedRefusals = ["CURLOPT_PROTOCOLS_STR": 48, "CURLOPT_REDIR_PROTOCOLS_STR": 48]
      }
      checkEqual(answer, "hi", "the content")
    }
    Clause("no-authority", "a text without certificates trusts none", from: manual) { fixture in
      for text in ["", "no certificate"] {
        let origin = try fixture.origin(.https)
        let answer = try await fixture.answer(from: origin.url) { $0.authorities = .pem(text) }
        checkEqual(answer, "failure before any byte", "the answer with the authorities '\(text)'")
        checkEqual(origin.log.requests.count, 0, "the number of requests")
      }
    }
    Clause(
      "tls-proxy", "a proxy over TLS is trusted only by the authorities, and for its name",
      from: "curl.se, CURLOPT_PROXY_SSL_VERIFYPEER"
    ) { fixture in
      let trusted = try ScriptedOrigin.trustedAuthority
      for (identity, authorities, isTrusted) in [
        (.trusted, .pem(trusted), true), (.trusted, .system, false),
        (.wrongHost, .pem(trusted), false), (.unknownAuthority, .pem(trusted), false),
        (.obsoleteProtocol, .pem(trusted), false),
      ] as [(OriginPlan.Identity, CurlTransport.Configuration.Authorities, Bool)] {
        let proxy = try fixture.origin(.https, identity)
        let answer = try await fixture.answer(from: "http://nowhere.example/") {
          $0.proxy = .url(proxy.url)
          $0.authorities = authorities
        }
        checkEqual(
          answer, isTrusted ? "hi" : "failure before any byte", "the answer of a proxy, \(identity)"
        )
        checkEqual(proxy.log.requests.count, isTrusted ? 1 : 0, "the number of requests")
      }
    }
  } saboteurs: {
    Saboteur(
      "ignores-refusals", "goes on without options that libcurl refused", caughtBy: "rejected",
      saying: "was created"
    ) { scope in
      CurlOptionsFixture(in: scope) {
        var configuration = $0
        configuration.simulatedRefusals = [:]
        return try CurlTransport(configuration)
      }
    }
    Saboteur(
      "needs-all", "needs every option", caughtBy: "not-needed", "older-options"
    ) { scope in
      CurlOptionsFixture(in: scope) {
        guard $0.simulatedRefusals.isEmpty else {
          throw TransportError(
            .unsupportedOption("any"), phase: .preparing, bytesSent: false, detail: "")
        }
        return try CurlTransport($0)
      }
    }
    Saboteur(
      "trusts-tests", "trusts the authority of the tests", caughtBy: "no-authority", "tls-proxy",
      saying: "the answer"
    ) { scope in
      let trusted = try ScriptedOrigin.trustedAuthority
      return CurlOptionsFixture(in: scope) {
        var configuration = $0
        configuration.authorities = .pem(trusted)
        return try CurlTransport(configuration)
      }
    }
  }
}

/// What a configuration needs.
private struct Needs {
  var isPinned = false
  var isProxied = false

  static let all = [
    Needs(), Needs(isPinned: true), Needs(isProxied: true), Needs(isPinned: true, isProxied: true),
  ]

  /// The options that only such a configuration needs.
  var options: [String] {
    switch (isPinned, isProxied) {
    case (false, false):
      [
        "CURLOPT_PROTOCOLS", "CURLOPT_REDIR_PROTOCOLS", "CURLOPT_FOLLOWLOCATION", "CURLOPT_NETRC",
        "CURLOPT_SUPPRESS_CONNECT_HEADERS", "CURLOPT_PREREQFUNCTION", "CURLOPT_SSL_VERIFYPEER",
        "CURLOPT_SSL_VERIFYHOST", "CURLOPT_SSLVERSION", "CURLOPT_NOPROXY",
      ]
    case (true, false): ["CURLOPT_CAINFO_BLOB", "CURLOPT_SSL_OPTIONS"]
    case (false, true):
      [
        "CURLOPT_PROXY", "CURLOPT_NOPROXY", "CURLOPT_PROXY_SSL_VERIFYPEER",
        "CURLOPT_PROXY_SSL_VERIFYHOST", "CURLOPT_PROXY_SSLVERSION",
      ]
    case (true, true): ["CURLOPT_PROXY_CAINFO_BLOB", "CURLOPT_PROXY_SSL_OPTIONS"]
    }
  }

  func configuration(refusing refusals: [String: UInt32]) -> CurlTransport.Configuration {
    var configuration = CurlTransport.Configuration()
    if isPinned { configuration.authorities = .pem("") }
    if isProxied { configuration.proxy = .url("http://127.0.0.1:1") }
    configuration.simulatedRefusals = refusals
    return configuration
  }
}

extension CurlOptionsFixture {
  /// Starts a server that answers "hi".
  fileprivate func origin(
    _ scheme: HTTPOrigin.Scheme, _ identity: OriginPlan.Identity = .trusted
  ) throws -> ScriptedOrigin {
    let plan = OriginPlan(identity: identity) { _ in .respond(text: "hi") }
    let origin = try ScriptedOrigin(plan, scheme: scheme)
    scope.onTearDown { origin.close() }
    origins.all.withLock { $0.append(origin) }
    return origin
  }

  /// Sends a request, and returns the content or what kind of failure there was.
  fileprivate func answer(
    from url: String, _ configure: (inout CurlTransport.Configuration) -> Void
  ) async throws -> String {
    var configuration = CurlTransport.Configuration()
    configure(&configuration)
    let transport: CurlTransport
    do {
      transport = try open(configuration)
    } catch {
      return "no transport: \(error)"
    }
    scope.onTearDown { await transport.shutDown() }
    do throws(TransportError) {
      let exchange = try await transport.send(HTTPRequest(url: url))
      return String(decoding: try await exchange.body.collect(upTo: 100), as: UTF8.self)
    } catch {
      return error.bytesSent ? "failure" : "failure before any byte"
    }
  }

  /// Expects no transport without an option, and an error that names it.
  fileprivate func expectRefusal(
    of option: String, code: UInt32, _ needs: Needs, _ refusals: [String: UInt32],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      _ = try open(needs.configuration(refusing: refusals))
      Issue.record(
        "a transport was created without \(option) (\(code))", sourceLocation: sourceLocation)
    } catch let error as TransportError {
      checkEqual(
        error.kind, .unsupportedOption(option), "the kind of error", sourceLocation: sourceLocation)
      checkEqual(error.code, Int(code), "the code of the error", sourceLocation: sourceLocation)
      checkEqual(error.phase, .preparing, "the phase", sourceLocation: sourceLocation)
      checkEqual(error.bytesSent, false, "whether bytes were sent", sourceLocation: sourceLocation)
      let advice =
        option.hasSuffix("CAINFO_BLOB") ? "libcurl4-openssl-dev" : "install libcurl 7.81 or newer"
      for part in [option, CurlLibrary.current.description, advice] {
        checkEqual(
          error.detail.contains(part), true, "whether the detail contains \(part)",
          sourceLocation: sourceLocation)
      }
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  /// Expects a transport although options are refused.
  fileprivate func expectOpening(
    _ needs: Needs, _ refusals: [String: UInt32], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: Never.self, "without \(refusals.keys)", sourceLocation: sourceLocation) {
      _ = try open(needs.configuration(refusing: refusals))
    }
  }
}
