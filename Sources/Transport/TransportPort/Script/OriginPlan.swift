/// The behavior of an origin: its reachability, its certificate, and its response to each request.
///
/// ``FakeTransport`` plays a plan in memory, and `ScriptedOrigin` plays it on a real socket.
public struct OriginPlan: Sendable {
  /// The outcome of a client's attempt to connect.
  public enum Reachability: Sendable, Hashable {
    /// Connections are accepted.
    case listening
    /// The host name has no address.
    case unresolvable
    /// Resolving the host name takes this long.
    case resolvingSlowly(Duration)
    /// Nothing listens on the port.
    case refusing
    /// The connection attempt neither succeeds nor fails.
    case silent
  }

  /// The certificate and TLS version of an https origin.
  public enum Identity: Sendable, Hashable, CaseIterable {
    /// A certificate that the client trusts.
    case trusted
    /// An expired certificate.
    case expired
    /// A certificate that is valid from tomorrow.
    case notYetValid
    /// A certificate for another host.
    case wrongHost
    /// A self-signed certificate.
    case selfSigned
    /// A certificate from an issuer that the client does not trust.
    case unknownAuthority
    /// A trusted certificate, but no TLS version newer than 1.1.
    case obsoleteProtocol
    /// A trusted certificate, but the client must have one too (TLS 1.3).
    case demandsCertificate
  }

  /// The HTTP version of an https origin.
  public enum Version: Sendable, Hashable {
    /// Only HTTP/1.1.
    case http11
    /// HTTP/2 with clients that offer it, where requests share a connection; otherwise HTTP/1.1.
    case http2
  }

  /// The outcome of a client's attempt to connect.
  public var reachability: Reachability

  /// The certificate and TLS version; ignored for http.
  public var identity: Identity

  /// The HTTP version; ignored for http.
  public var version: Version

  /// The number of requests that an HTTP/2 connection has open at once; the origin refuses others.
  ///
  /// Clients learn it only from the refusals (RFC 9113 §8.7), unless ``announcesMaximumStreams``. In
  /// memory, no request is refused.
  public var maximumStreams: Int

  /// Whether an HTTP/2 origin announces ``maximumStreams`` in its first settings.
  ///
  /// It then ends the connection of a client that opens more streams (RFC 9113 §5.1.2).
  public var announcesMaximumStreams: Bool

  /// Returns the script to play on a new connection before a request is read.
  ///
  /// Its argument is the number of the connection, from 1. Over HTTP/2, it sends frames as they are on
  /// the wire; in memory it is not called for HTTP/2 connections.
  public var onConnect: @Sendable (_ connection: Int) -> OriginScript

  /// Returns the script to play after the head of a request was received.
  ///
  /// Over HTTP/2, the requests of a connection arrive one after the other: the next one waits until
  /// the function returns.
  public var onRequest: @Sendable (OriginRequest) -> OriginScript

  /// Creates a plan.
  public init(
    reachability: Reachability = .listening, identity: Identity = .trusted,
    version: Version = .http11, maximumStreams: Int = .max,
    announcesMaximumStreams: Bool = false,
    onConnect: @escaping @Sendable (_ connection: Int) -> OriginScript = { _ in [] },
    onRequest: @escaping @Sendable (OriginRequest) -> OriginScript
  ) {
    self.reachability = reachability
    self.identity = identity
    self.version = version
    self.maximumStreams = maximumStreams
    self.announcesMaximumStreams = announcesMaximumStreams
    self.onConnect = onConnect
    self.onRequest = onRequest
  }
}
