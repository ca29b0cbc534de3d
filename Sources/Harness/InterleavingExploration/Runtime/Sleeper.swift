import SystemLocks

/// A task that sleeps on a ``VirtualClock``. The first of its deadline and its cancellation resumes
/// it.
final class Sleeper: Sendable {
  private enum State {
    case created
    case waiting(CheckedContinuation<Void, any Error>)
    case over
  }

  private let state = Mutex(State.created)

  func begin(
    _ continuation: CheckedContinuation<Void, any Error>, delay: Int64, on scheduler: Scheduler
  ) {
    let isCancelled = state.withLock { state in
      if case .over = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isCancelled {
      continuation.resume(throwing: CancellationError())
      return
    }
    scheduler.addTimer(after: delay) { self.end()?.resume() }
  }

  func cancel() { end()?.resume(throwing: CancellationError()) }

  private func end() -> CheckedContinuation<Void, any Error>? {
    state.withLock { state in
      defer { state = .over }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
  }
}

/// The time of a ``VirtualClock`` outside a schedule.
final class IdleTime: Sendable {
  private let time = Mutex(VirtualClock.Instant())

  var now: VirtualClock.Instant { time.withLock { $0 } }

  func advance(to deadline: VirtualClock.Instant) {
    time.withLock { $0 = max($0, deadline) }
  }
}
