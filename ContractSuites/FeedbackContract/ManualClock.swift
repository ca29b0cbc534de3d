import SystemLocks

/// A clock that stands still until it is told how much time has passed.
///
/// Give it to the implementation under test, and its ``advance(by:)`` to the fixture.
public final class ManualClock: Clock {
  /// A point in the clock's time.
  public struct Instant: InstantProtocol {
    fileprivate var sinceStart: Duration

    public func advanced(by duration: Duration) -> Instant {
      Instant(sinceStart: sinceStart + duration)
    }

    public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

    public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
  }

  private struct State {
    var now = Instant(sinceStart: .zero)
    var sleepers: [Int: (deadline: Instant, alarm: AsyncStream<Void>.Continuation)] = [:]
    var sleepCount = 0
  }

  private let state = Mutex(State())
  private let sleeps = AsyncStream<Void>.makeStream()

  /// Makes a clock at the start of its time.
  public init() {}

  public var now: Instant { state.withLock(\.now) }

  public var minimumResolution: Duration { .nanoseconds(1) }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let alarm = AsyncStream<Void>.makeStream()
    let number = state.withLock { state -> Int? in
      guard deadline > state.now else { return nil }
      state.sleepCount += 1
      state.sleepers[state.sleepCount] = (deadline, alarm.continuation)
      return state.sleepCount
    }
    guard let number else { return try Task.checkCancellation() }
    defer { state.withLock { _ = $0.sleepers.removeValue(forKey: number) } }
    sleeps.continuation.yield()
    for await _ in alarm.stream {}
    try Task.checkCancellation()
  }

  /// Waits until somebody sleeps, lets time pass, and wakes those whose time has come.
  public func advance(by duration: Duration) async {
    var sleeps = sleeps.stream.makeAsyncIterator()
    while state.withLock(\.sleepers.isEmpty) {
      guard await sleeps.next() != nil else { return }
    }
    state.withLock { state in
      state.now = state.now.advanced(by: duration)
      for sleeper in state.sleepers.values where sleeper.deadline <= state.now {
        sleeper.alarm.finish()
      }
    }
  }
}
