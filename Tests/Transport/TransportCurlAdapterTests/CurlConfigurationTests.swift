import Foundation
import Testing

@testable import TransportCurlAdapter

@Suite struct CurlConfigurationTests {
  @Test func `a new configuration has the defaults`() {
    let configuration = CurlTransport.Configuration()
    #expect(configuration.maximumStreamsPerOrigin == 100)
    #expect(configuration.connectTimeout == .seconds(30))
    #expect(configuration.authorities == .system)
    #expect(configuration.proxy == .none)
    #expect(configuration.allowsHTTP2)
    #expect(configuration.queriesOpenSSL)
  }

  /// The socket of such a connection carries the TLS of the proxy.
  @Test(
    .enabled(if: OpenSSL.shared != nil),
    arguments: [
      ("https://proxy.example", false), ("HTTPS://u:p@proxy.example:8443/", false),
      ("http://proxy.example", true), ("proxy.example", true),
      ("http://u:https:@proxy.example", true),
    ])
  func `frames cannot be seen through a proxy over TLS`(_ url: String, _ canTap: Bool) {
    var configuration = CurlTransport.Configuration()
    #expect(configuration.canTapHTTP2)
    configuration.proxy = .url(url)
    #expect(configuration.canTapHTTP2 == canTap)
  }

  @Test func `frames cannot be seen without OpenSSL`() {
    var configuration = CurlTransport.Configuration()
    configuration.queriesOpenSSL = false
    #expect(!configuration.canTapHTTP2)
  }

  @Test(.enabled(if: OpenSSL.shared != nil))
  func `each variable of the environment can name such a proxy`() async {
    // A separate process, because all tests of a process share its environment.
    await #expect(processExitsWith: .success) {
      let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      for name in names { unsetenv(name) }
      var configuration = CurlTransport.Configuration()
      for name in names {
        configuration.proxy = .environment
        #expect(configuration.canTapHTTP2)
        setenv(name, "https://proxy.example", 1)
        #expect(!configuration.canTapHTTP2)
        configuration.proxy = .none
        #expect(configuration.canTapHTTP2)
        unsetenv(name)
      }
    }
  }
}
