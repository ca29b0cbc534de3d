public import TransportPort

/// How a clause wants a transport to be opened.
public struct TransportSetup: Sendable, Hashable {
  /// How many connections the transport may have open.
  public var limits = ConnectionLimits()

  /// The certificates to trust, in PEM and no others; `nil` for those of the system.
  public var trustedAuthorities: String?

  /// The URL of the HTTP proxy to go through, perhaps with credentials; `nil` for none.
  public var proxy: String?

  /// The hosts to reach without the proxy.
  public var proxyBypass: [String] = []
}
