import TransportPort

extension CurlTransport {
  /// Settings of a transport that hold for all its exchanges.
  public struct Configuration: Sendable, Hashable {
    /// Whose certificates are trusted.
    public enum Authorities: Sendable, Hashable {
      /// Those that libcurl was built to trust: its bundle, or its folder where the bundle is missing.
      ///
      /// The bundle is read again after a day.
      case system
      /// These and no others: certificates in PEM, one after the other.
      ///
      /// A proxy that is reached over TLS is held to them as well. libcurl with GnuTLS can't do it:
      /// there, creating the transport throws
      /// ``TransportError/Kind-swift.enum/unsupportedOption(_:)``.
      case pem(String)
    }

    /// The way to an origin.
    public enum Proxy: Sendable, Hashable {
      /// Straight there, whatever the environment says.
      case none
      /// As `http_proxy`, `https_proxy` and `no_proxy` say.
      case environment
      /// Through the proxy at a URL, which may hold credentials.
      ///
      /// Hosts in `bypassing` are reached straight; a leading dot stands for all names below.
      case url(String, bypassing: [String] = [])
    }

    /// How many connections may be open; further exchanges wait their turn.
    public var limits = ConnectionLimits()

    /// The most exchanges at a time with one origin that speaks HTTP/2, at least 1.
    public var maximumStreamsPerOrigin = 100

    /// The longest time to resolve, connect and secure, unless the exchange says otherwise.
    public var connectTimeout: Duration = .seconds(30)

    /// Whose certificates are trusted.
    public var authorities = Authorities.system

    /// The way to an origin.
    public var proxy = Proxy.none

    /// Whether HTTP/2 is offered to `https` origins.
    public var allowsHTTP2 = true

    /// Options that libcurl appears to refuse, by name, with its codes; only tests set this.
    var refusals: [String: UInt32] = [:]

    /// Whether OpenSSL is asked about connections; only tests clear this.
    var asksOpenSSL = true

    /// The defaults.
    public init() {}
  }
}
