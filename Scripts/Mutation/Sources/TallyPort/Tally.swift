/// Counts up to a limit.
public protocol Tally: Sendable {
  /// Counts one more, and returns whether the limit allowed it.
  func count() throws -> Bool

  /// How often it was counted.
  func total() throws -> Int
}
