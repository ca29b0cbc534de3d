public import TransportPort

/// The settings with which a clause opens a transport.
public struct TransportSetup: Sendable, Hashable {
  /// The limits on open connections.
  public var limits = ConnectionLimits()

  /// The only certificate authorities to trust, as PEM; `nil` for those of the system.
  public var trustedAuthorities: String?

  /// The local ports of the first connections, in the order in which they are opened.
  ///
  /// The same port may occur more than once, because connections to different peers can share one: set
  /// `SO_REUSEADDR` before `bind`.
  public var localPorts: [UInt16] = []

  /// The URL of the HTTP proxy, which may contain credentials; `nil` for no proxy.
  public var proxy: String?

  /// The hosts that are reached without the proxy.
  public var proxyBypass: [String] = []
}
