/// The maximum number of open connections of a transport; further requests wait in FIFO order.
public struct ConnectionLimits: Sendable, Hashable {
  /// The maximum number of connections to one origin, at least 1.
  public var perOrigin: Int

  /// The maximum number of connections to all origins together, at least 1.
  public var total: Int

  /// Creates limits; values below 1 count as 1.
  public init(perOrigin: Int = 64, total: Int = 256) {
    self.perOrigin = max(1, perOrigin)
    self.total = max(1, total)
  }
}
