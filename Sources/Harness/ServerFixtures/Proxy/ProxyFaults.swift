/// What a ``TCPProxy`` does to connections. The default does nothing.
public struct ProxyFaults: Hashable, Sendable {
  /// Whether new connections are refused, as by a server that does not run.
  public var refusesConnections = false

  /// How long a new connection waits before the proxy connects to the server. Connections with different
  /// delays reach the server in another order. The delay is drawn by seed.
  public var connectionDelay: ClosedRange<Duration> = .zero ... .zero

  /// What happens to bytes from clients to the server.
  public var upstream = Flow()

  /// What happens to bytes from the server to clients.
  public var downstream = Flow()

  /// No faults.
  public init() {}

  /// What happens to bytes in one direction.
  public struct Flow: Hashable, Sendable {
    /// How long bytes are held. Each piece that is read draws its own, by seed. Bytes keep their order.
    public var latency: ClosedRange<Duration> = .zero ... .zero

    /// The rate at which bytes leave the proxy, or `nil` for no limit; greater than zero.
    public var bytesPerSecond: Int?

    /// Whether bytes, and the end of a connection, are swallowed.
    public var isBlackHole = false

    /// When and how a connection ends early, or `nil`.
    public var cut: Cut?

    /// No faults.
    public init() {}
  }

  /// An early end of a connection.
  public struct Cut: Hashable, Sendable {
    /// How many bytes of the direction pass, counted from the start of the connection; 0 or more.
    public var bytes: Int

    /// How the connection ends.
    public var ending: Ending

    /// Ends a connection after some bytes. A negative number counts as 0.
    public init(after bytes: Int, by ending: Ending) {
      self.bytes = max(0, bytes)
      self.ending = ending
    }
  }

  /// How a connection ends.
  public enum Ending: Hashable, Sendable {
    /// A RST to both sides.
    case reset
    /// A FIN to both sides, as when a process exits that has read everything.
    case close
    /// A FIN to the receiver; the other direction goes on.
    case halfClose
  }
}
