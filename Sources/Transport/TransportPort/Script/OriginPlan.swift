/// Everything about an origin: whether it can be reached, who it claims to be, and what it does.
///
/// A plan is played by ``FakeTransport`` and by a server on a real socket alike.
public struct OriginPlan: Sendable {
  /// Whether and how a client gets a connection.
  public enum Reachability: Sendable, Hashable {
    /// Connections are accepted.
    case listening
    /// The host's name has no address.
    case unresolvable
    /// Looking up the host's name takes this long.
    case resolvingSlowly(Duration)
    /// Nobody listens on the port.
    case refusing
    /// Connecting never succeeds and never fails.
    case silent
  }

  /// The certificate and protocol that an https origin shows.
  public enum Identity: Sendable, Hashable, CaseIterable {
    /// A certificate that the client trusts.
    case trusted
    /// One that is no longer valid.
    case expired
    /// One for another host.
    case wrongHost
    /// One signed by itself.
    case selfSigned
    /// One of an issuer that the client does not trust.
    case unknownAuthority
    /// A good one, but nothing newer than TLS 1.1.
    case obsoleteProtocol
  }

  /// What an https origin speaks.
  public enum Version: Sendable, Hashable {
    /// HTTP/1.1 alone.
    case http11
    /// HTTP/2 with clients that offer it, so that requests share a connection; else HTTP/1.1.
    case http2
  }

  /// Whether and how a client gets a connection.
  public var reachability: Reachability

  /// What an https origin shows; without meaning over http.
  public var identity: Identity

  /// What an https origin speaks; without meaning over http.
  public var version: Version

  /// What happens on a new connection before a request is read; its argument counts from 1.
  ///
  /// Not played where requests share a connection.
  public var onConnect: @Sendable (_ connection: Int) -> OriginScript

  /// What happens once the head of a request was read.
  public var onRequest: @Sendable (OriginRequest) -> OriginScript

  /// A plan.
  public init(
    reachability: Reachability = .listening, identity: Identity = .trusted,
    version: Version = .http11,
    onConnect: @escaping @Sendable (_ connection: Int) -> OriginScript = { _ in [] },
    onRequest: @escaping @Sendable (OriginRequest) -> OriginScript
  ) {
    self.reachability = reachability
    self.identity = identity
    self.version = version
    self.onConnect = onConnect
    self.onRequest = onRequest
  }
}
