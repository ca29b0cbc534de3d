/// How many connections a transport may have open; requests beyond that wait in line.
public struct ConnectionLimits: Sendable, Hashable {
  /// The most connections to one origin.
  public var perOrigin: Int

  /// The most connections in all.
  public var total: Int

  /// Limits; at least one connection is always allowed.
  public init(perOrigin: Int = 64, total: Int = 256) {
    self.perOrigin = max(1, perOrigin)
    self.total = max(1, total)
  }
}
