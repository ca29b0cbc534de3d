import Foundation
import SystemLocks
import SystemPlatform
import SystemThreads
import TransportPort

/// An HTTP server on a loopback socket that plays a plan byte by byte and logs what it receives.
///
/// Use it to test a client against exact, broken or slow responses, and to check in its ``log``
/// what the client sent. It is an `http` or `https` origin, or an HTTP proxy: a request to a proxy
/// has the whole URL as its target, and CONNECT is played like any other request unless it opens a
/// tunnel.
///
/// After a request with `Connection: close`, the origin ends the connection when the script of the
/// request has ended.
///
/// Each origin has its own port, and plays each connection on its own thread. Closing or releasing
/// the origin ends all connections and blocks the caller until their threads have ended.
public final class ScriptedOrigin: Sendable {
  /// The requests and events at the origin.
  public let log: OriginLog

  /// The port on 127.0.0.1.
  public let port: Int

  /// The scheme, host and port, such as `http://127.0.0.1:40123`; append a path.
  public let url: String

  private let listener: OriginListener?
  private let reserved: Int32?
  private let isClosed = Mutex(false)

  /// Starts an origin.
  ///
  /// - Parameters:
  ///   - plan: The behaviour of the origin.
  ///   - scheme: `https` for TLS, with a certificate that ``trustedAuthority`` signed.
  ///   - tunnels: Whether a CONNECT request opens a tunnel to its port on this machine. If it
  ///     returns `false`, the request is played like any other.
  /// - Throws: An error if a socket, thread or certificate can't be created.
  public init(
    _ plan: OriginPlan, scheme: HTTPOrigin.Scheme = .http,
    tunnels: @escaping @Sendable (OriginRequest) -> Bool = { _ in false }
  ) throws {
    log = OriginLog()
    let (socket, port) = try LoopbackSocket.bound()
    self.port = Int(port)
    var host = "127.0.0.1"
    switch plan.reachability {
    case .unresolvable:
      host = "unresolvable.invalid"
    case .resolvingSlowly(let duration):
      host = SlowNames.host(resolvingAfter: duration)
    case .listening, .refusing, .silent:
      break
    }
    url = "\(scheme.rawValue)://\(host):\(port)"
    if plan.reachability == .refusing {
      // Bound but not listening: the port refuses connections, and no other process can take it.
      listener = nil
      reserved = socket
      return
    }
    reserved = nil
    listener = try OriginListener(
      socket: socket, port: port, plan: plan,
      tls: scheme == .https ? OriginTLS(plan.identity, version: plan.version) : nil,
      tunnels: tunnels, log: log)
  }

  /// Starts an origin that plays one script per request, in order; the last one repeats.
  ///
  /// - Parameters:
  ///   - scripts: The scripts.
  ///   - scheme: `https` for TLS.
  ///   - identity: The certificate and TLS versions that an `https` origin offers.
  /// - Throws: An error if a socket, thread or certificate can't be created.
  public convenience init(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http,
    identity: OriginPlan.Identity = .trusted
  ) throws {
    try self.init(OriginPlan(inTurn: scripts, identity: identity), scheme: scheme)
  }

  deinit {
    close()
  }

  /// Returns a port of the loopback address that no socket has, for a client to bind.
  public static func freePort() throws -> UInt16 {
    let (socket, port) = try LoopbackSocket.bound()
    Foundation.close(socket)
    return port
  }

  /// The certificate of the authority that a client must trust, as PEM.
  ///
  /// The authority is created once per process.
  public static var trustedAuthority: String {
    get throws { try OriginTLS.trusted.get().pem }
  }

  /// Ends all connections and joins their threads. Calling it again has no effect.
  public func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    listener?.close()
    if let reserved { Foundation.close(reserved) }
  }
}
