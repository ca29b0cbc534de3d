import TransportPort

extension OriginLog {
  /// One thing that happened on one connection.
  public struct Event: Sendable, Hashable {
    /// The connection, counted from 1.
    public var connection: Int

    /// When it happened; where byte counts are added up, when the first came.
    public var time: ContinuousClock.Instant

    /// What happened.
    public var kind: Kind
  }
}

extension OriginLog.Event {
  /// What can happen on a connection.
  public enum Kind: Sendable, Hashable {
    /// The connection was accepted.
    case accepted
    /// The TLS handshake succeeded.
    case secured
    /// The TLS handshake failed, with OpenSSL's reason.
    case handshakeFailed(String)
    /// The head of a request was read: its bytes, as they came.
    case head([UInt8])
    /// So many bytes of a request's content were read.
    case body(Int)
    /// The request's body was read to its end.
    case requestEnd
    /// So many bytes were written.
    case sent(Int)
    /// The peer gave up a request of a connection that goes on, over HTTP/2.
    case streamReset
    /// A tunnel was opened to this authority.
    case tunnel(String)
    /// The peer ended the connection with a FIN.
    case closedByPeer
    /// The peer ended the connection with a RST.
    case resetByPeer
    /// The origin ended the connection in order.
    case closed
    /// The origin ended the connection with a RST.
    case reset

    /// Whether the peer ended the connection, in either way.
    public var isEndByPeer: Bool { self == .closedByPeer || self == .resetByPeer }

    /// Whether the head of a request was read.
    public var isHead: Bool { if case .head = self { true } else { false } }

    /// Both as one, where they are counts of the same thing.
    func adding(_ other: Self) -> Self? {
      switch (self, other) {
      case (.body(let one), .body(let two)): .body(one + two)
      case (.sent(let one), .sent(let two)): .sent(one + two)
      default: nil
      }
    }
  }
}

extension OriginLog.Event: CustomStringConvertible {
  public var description: String {
    guard case .head(let bytes) = kind else { return "\(connection): \(kind)" }
    return "\(connection): head \(String(decoding: bytes, as: UTF8.self).debugDescription)"
  }
}

extension OriginLog {
  /// One request as it came.
  public struct Request: Sendable, Hashable {
    /// The most bytes of one body that are kept.
    static let keptBytes = 4 << 20

    /// The head, taken apart.
    public var head: OriginRequest

    /// The head's bytes, as they came.
    public var rawHead: [UInt8]

    /// The content that has come, its first 4 MiB.
    public var body: [UInt8] = []

    /// How many bytes of content have come.
    public var bodyCount = 0

    /// The trailer fields; `nil` until the body was read to its end.
    public var trailers: HTTPFields?

    /// The head as text.
    public var text: String { String(decoding: rawHead, as: UTF8.self) }
  }
}
