import Synchronization

/// A tally in memory.
public final class InMemoryTally: Tally {
  private let value = Mutex(0)

  public init() {}

  public func count() -> Bool {
    value.withLock { value in
      #if os(Windows)
        if value > 1_000 { return false }
      #endif
      guard value < Limits.most else { return false }
      value += 1
      return true
    }
  }

  public func total() -> Int { value.withLock(\.self) }
}
