import ContractTesting
import Testing
import TransportContract
import TransportCurlAdapter

extension Implementation<TransportFixture> {
  static let fakeTransport = fake("fake") { TransportFixture.fake(in: $0) }
    .lacking(.customAuthorities, because: "it believes the identity that a plan states")
    .lacking(.proxy, because: "its peers are reached without a way there")

  static let curl = live("curl") { scope in
    TransportFixture(in: scope, shuttingDown: { await $0.shutDown() }) { setup in
      var configuration = CurlTransport.Configuration()
      configuration.limits = setup.limits
      if let trusted = setup.trustedAuthorities { configuration.authorities = .pem(trusted) }
      if let proxy = setup.proxy { configuration.proxy = .url(proxy, bypassing: setup.proxyBypass) }
      return try CurlTransport(configuration)
    }
  }
  .deviating(
    from: "no-close-notify",
    because: "libcurl sets SSL_OP_IGNORE_UNEXPECTED_EOF, so that any end of TLS looks orderly"
  )
  .deviating(
    from: "asks-close",
    because: "libcurl doesn't read the caller's Connection field; needs CURLOPT_FORBID_REUSE"
  )
  .deviating(
    from: "silent-first",
    because: "CURLOPT_PIPEWAIT is set for http as well, so that requests wait for the first head")
}
