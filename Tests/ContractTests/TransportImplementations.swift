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
}
