import Foundation
import TransportPort

extension CurlTransport {
  /// The configuration of a transport, which applies to all its exchanges.
  public struct Configuration: Sendable, Hashable {
    /// The certificate authorities to trust.
    public enum Authorities: Sendable, Hashable {
      /// The authorities that libcurl was built to trust: its bundle, or its directory if there is
      /// no bundle.
      ///
      /// libcurl reads the bundle again after 24 hours.
      case system
      /// Only these: concatenated certificates in PEM.
      ///
      /// They also apply to a proxy that is reached over TLS. libcurl with GnuTLS does not support
      /// this: creating the transport throws
      /// ``TransportError/Kind-swift.enum/unsupportedOption(_:)``.
      case pem(String)
    }

    /// The proxy to use.
    public enum Proxy: Sendable, Hashable {
      /// No proxy, whatever the environment says.
      case none
      /// The proxies in the environment variables `http_proxy`, `https_proxy` and `no_proxy`.
      case environment
      /// The proxy at a URL, which may contain credentials.
      ///
      /// Requests to hosts in `bypassing` go directly to the origin; a leading dot matches all
      /// subdomains.
      case url(String, bypassing: [String] = [])
    }

    /// The maximum number of open connections; further exchanges wait.
    public var limits = ConnectionLimits()

    /// The maximum number of concurrent exchanges with one HTTP/2 origin, at least 1.
    public var maximumStreamsPerOrigin = 100

    /// The timeout for resolving, connecting and the TLS handshake.
    ///
    /// `TransportOptions.connectTimeout` overrides it for one exchange.
    public var connectTimeout: Duration = .seconds(30)

    /// The certificate authorities to trust.
    public var authorities = Authorities.system

    /// The proxy to use.
    public var proxy = Proxy.none

    /// Whether the transport offers HTTP/2 to `https` origins.
    ///
    /// It does so only with OpenSSL, and not through a proxy that is reached over TLS.
    public var allowsHTTP2 = true

    /// The codes with which libcurl appears to reject options, by option name; for tests.
    package var simulatedRefusals: [String: UInt32] = [:]

    /// The local ports of the first connections, in the order in which they are opened; for tests.
    package var localPorts: [UInt16] = []

    /// Whether the adapter reads the state of connections from OpenSSL; only tests clear this.
    var queriesOpenSSL = true

    /// Creates the default configuration.
    public init() {}
  }
}

extension CurlTransport.Configuration {
  /// Whether the adapter can see the frames of an HTTP/2 connection; see ``HTTP2Tap``.
  ///
  /// That needs OpenSSL, and a connection whose socket carries only the TLS of the origin.
  var canTapHTTP2: Bool {
    guard queriesOpenSSL, OpenSSL.shared != nil else { return false }
    let environment = ProcessInfo.processInfo.environment
    let urls: [String?] =
      switch proxy {
      case .none: []
      case .url(let url, _): [url]
      case .environment:
        ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].map { environment[$0] }
      }
    return !urls.contains { $0?.lowercased().hasPrefix("https:") == true }
  }
}
