import SystemLocks
import SystemThreads
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A server on a loopback socket that does what a plan says, byte by byte, and logs what it sees.
///
/// It has a port of its own and a thread for each connection. It can be an `http` or an `https`
/// origin and a proxy: in the clear the target of a request is then a whole URL, and CONNECT is
/// played like any request unless it shall open a tunnel.
///
/// Being closed, or dropped, ends every connection and waits for every thread.
public final class ScriptedOrigin: Sendable {
  /// What the origin saw.
  public let log: OriginLog

  /// The port on 127.0.0.1.
  public let port: Int

  /// Scheme, host and port, such as `http://127.0.0.1:40123`; a path can follow.
  public let url: String

  private let listener: OriginListener?
  private let reserved: Int32?
  private let isClosed = Mutex(false)

  /// Starts an origin.
  ///
  /// - Parameters:
  ///   - plan: What it does.
  ///   - scheme: Whether it speaks TLS, with certificates of ``trustedAuthority``.
  ///   - tunnels: Whether a CONNECT request opens a tunnel to its port, on this machine; if not,
  ///     the request is played like any other.
  /// - Throws: When the system gives no socket, thread or certificate.
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
      // Bound and not listening: the port refuses, and nobody else can have it.
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

  /// Starts an origin that plays one script for each request, in turn; the last one stays.
  public convenience init(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http,
    identity: OriginPlan.Identity = .trusted
  ) throws {
    try self.init(OriginPlan(inTurn: scripts, identity: identity), scheme: scheme)
  }

  deinit {
    close()
  }

  /// The certificate of the authority that a client must trust, in PEM.
  public static var trustedAuthority: String {
    get throws { try OriginTLS.trusted.get().pem }
  }

  /// Ends every connection and waits for the threads; harmless when repeated.
  public func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    listener?.close()
    if let reserved { SystemCalls.close(reserved) }
  }
}
