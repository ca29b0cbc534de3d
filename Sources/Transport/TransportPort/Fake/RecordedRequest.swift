/// A request as the fake's origin got it.
public struct RecordedRequest: Sendable, Hashable {
  /// The head, with the connection it came on.
  public var head: OriginRequest

  /// Whom the request was for.
  public var origin: HTTPOrigin

  /// The first bytes of the content, up to the fake's `recordedBodyLimit`.
  public var body: [UInt8] = []

  /// How many bytes of content were read in all.
  public var bodyCount: Int = 0

  /// The trailer fields.
  public var trailers: HTTPFields = [:]

  /// Whether the content was read to its end.
  public var isComplete: Bool = false
}
