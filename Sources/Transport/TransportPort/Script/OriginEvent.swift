/// An event that an origin observed, for assertions about connections and sent requests.
public enum OriginEvent: Sendable, Hashable {
  /// A connection was accepted; connections are numbered from 1.
  case connected(Int)
  /// The head of a request was received.
  case received(OriginRequest)
  /// The client reset a stream of a connection that stays open (HTTP/2).
  case streamReset(Int)
  /// A connection was closed.
  case closed(Int, by: Side)

  /// The two ends of a connection.
  public enum Side: Sendable, Hashable {
    /// The client closed it.
    case client
    /// The origin closed or reset it.
    case origin
  }
}
