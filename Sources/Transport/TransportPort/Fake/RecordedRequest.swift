/// A request that the origin of a fake transport received.
public struct RecordedRequest: Sendable, Hashable {
  /// The head, with the connection on which it arrived.
  public var head: OriginRequest

  /// The origin of the request's URL.
  public var origin: HTTPOrigin

  /// The first bytes of the content, up to the fake's `recordedBodyLimit`.
  public var body: [UInt8] = []

  /// The total number of content bytes received.
  public var bodyCount: Int = 0

  /// The trailer fields.
  public var trailers: HTTPFields = [:]

  /// Whether the whole request was received.
  public var isComplete: Bool = false
}
