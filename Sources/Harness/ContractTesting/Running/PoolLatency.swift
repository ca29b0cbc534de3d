import SystemLocks

/// How long new jobs waited for a thread of the cooperative pool.
///
/// The pool has a thread for each core. Tests that compute or block occupy them, and the other tests of
/// the run wait, however little they do themselves.
final class PoolLatency: Sendable {
  private struct State {
    /// When the job that has not run yet was enqueued.
    var enqueued: ContinuousClock.Instant?
    var total = Duration.zero
    var priority = TaskPriority.medium
  }

  /// A wait that counts as none: thread switches take less.
  private static let tolerance = Duration.milliseconds(200)

  private let state = Mutex(State())

  /// The sum of all waits until now.
  var total: Duration {
    state.withLock { $0.total + Self.wait(since: $0.enqueued) }
  }

  /// Measures jobs of a priority from now on, because each priority has its own queue.
  func follow(_ priority: TaskPriority) { state.withLock { $0.priority = priority } }

  /// Enqueues a job that measures its wait, unless the last one has not run yet.
  func sample() {
    let priority = state.withLock { state -> TaskPriority? in
      guard state.enqueued == nil else { return nil }
      state.enqueued = .now
      return state.priority
    }
    guard let priority else { return }
    Task.detached(priority: priority) {
      self.state.withLock { state in
        state.total += Self.wait(since: state.enqueued)
        state.enqueued = nil
      }
    }
  }

  private static func wait(since start: ContinuousClock.Instant?) -> Duration {
    guard let start else { return .zero }
    return max(.zero, start.duration(to: .now) - tolerance)
  }
}
