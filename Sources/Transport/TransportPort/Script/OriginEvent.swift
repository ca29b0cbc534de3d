/// What an origin saw, in the order in which it happened: the oracle for claims about the wire.
public enum OriginEvent: Sendable, Hashable {
  /// A connection was accepted; connections count from 1.
  case connected(Int)
  /// The head of a request was read.
  case received(OriginRequest)
  /// The client gave up a request on a connection that goes on, over HTTP/2.
  case streamReset(Int)
  /// A connection ended.
  case closed(Int, by: Side)

  /// The two ends of a connection.
  public enum Side: Sendable, Hashable {
    /// The client closed it.
    case client
    /// The origin closed or reset it.
    case origin
  }
}
