import TransportPort

extension OriginLog {
  /// An event on one connection.
  public struct Event: Sendable, Hashable {
    /// The connection, counted from 1.
    public var connection: Int

    /// The time of the event; of the first of them if byte counts were combined.
    public var time: ContinuousClock.Instant

    /// The kind of event.
    public var kind: Kind
  }
}

extension OriginLog.Event {
  /// The kinds of events on a connection.
  public enum Kind: Sendable, Hashable {
    /// The connection was accepted.
    case accepted
    /// The TLS handshake succeeded.
    case secured
    /// The TLS handshake failed, with OpenSSL's reason.
    case handshakeFailed(String)
    /// The head of a request was read: its bytes as received.
    case head([UInt8])
    /// This many bytes of a request's content were read.
    case body(Int)
    /// The body of a request was read to its end.
    case requestEnd
    /// This many bytes were written.
    case sent(Int)
    /// The peer reset an HTTP/2 stream; the connection stays open.
    case streamReset
    /// PRIORITY was received over HTTP/2.
    case priority
    /// A tunnel was opened to this authority.
    case tunnel(String)
    /// The framing of a request is invalid; the origin ended the connection with a RST.
    case malformed(String)
    /// The peer ended the connection with a FIN.
    case closedByPeer
    /// The peer ended the connection with a RST.
    case resetByPeer
    /// The origin ended the connection with a FIN.
    case closed
    /// The origin ended the connection with a RST.
    case reset

    /// Whether the peer ended the connection, with a FIN or a RST.
    public var isEndByPeer: Bool { self == .closedByPeer || self == .resetByPeer }

    /// Whether the head of a request was read.
    public var isHead: Bool { if case .head = self { true } else { false } }

    /// The sum of two byte counts of the same kind; `nil` for any other pair.
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
  /// A request as the origin received it.
  public struct Request: Sendable, Hashable {
    /// The largest part of a body that the log keeps, in bytes.
    static let bodyLimit = 4 << 20

    /// The parsed head.
    public var head: OriginRequest

    /// The bytes of the head as received.
    public var rawHead: [UInt8]

    /// The content received so far, at most its first 4 MiB.
    public var body: [UInt8] = []

    /// The number of bytes of content received so far.
    public var bodyCount = 0

    /// The trailer fields; `nil` until the body has been read to its end.
    public var trailers: HTTPFields?

    /// The head as text.
    public var text: String { String(decoding: rawHead, as: UTF8.self) }
  }
}
