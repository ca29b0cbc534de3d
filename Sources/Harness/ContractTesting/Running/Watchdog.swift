import Foundation
import SystemLocks

/// Calls closures at deadlines, on a dedicated thread that a blocked concurrency pool can't delay.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  /// The time between two checks whether the pool runs new jobs, in seconds.
  private static let sampling = 0.1

  private let state = Mutex(State())
  private let pool = PoolLatency()
  /// Wakes the thread. It is signalled only after `state` is unlocked.
  private let wakeUp = DispatchSemaphore(value: 0)

  private struct State {
    var next = 0
    var alarms: [Int: Alarm] = [:]
    var earliest: ContinuousClock.Instant?
    var isRunning = false
  }

  private struct Alarm {
    var deadline: ContinuousClock.Instant
    /// The delay, and the pool's latency when the alarm was set, if latency moves the deadline.
    var waiting: (delay: Duration, latency: Duration, start: ContinuousClock.Instant)?
    var action: @Sendable () -> Void

    /// The deadline, later by the time for which the pool ran no new job since the alarm was set.
    func deadline(at latency: Duration) -> ContinuousClock.Instant {
      guard let waiting else { return deadline }
      let lost = min(latency - waiting.latency, waiting.delay * 2)
      return waiting.start.advanced(by: waiting.delay + lost)
    }
  }

  /// Sets an alarm.
  ///
  /// - Parameters:
  ///   - delay: The time from now.
  ///   - countsLatency: Whether time counts in which the pool runs no new job. If not, that time delays the
  ///     alarm, by at most twice the delay: a clause that blocks every thread must not delay its own alarm
  ///     without end.
  ///   - action: What the watchdog's thread calls then.
  /// - Returns: An identifier for ``cancel(_:)``.
  func set(
    after delay: Duration, countingLatency countsLatency: Bool,
    _ action: @escaping @Sendable () -> Void
  ) -> Int {
    let start = ContinuousClock.now
    let deadline = start.advanced(by: delay)
    pool.follow(Task.currentPriority)
    let waiting = countsLatency ? nil : (delay, pool.total, start)
    let (id, mustWake) = state.withLock { state in
      let id = state.next
      state.next += 1
      state.alarms[id] = Alarm(deadline: deadline, waiting: waiting, action: action)
      let mustWake = state.earliest.map { deadline < $0 } ?? true
      if mustWake { state.earliest = deadline }
      if !state.isRunning {
        state.isRunning = true
        let thread = Thread { self.run() }
        thread.name = "contract-watchdog"
        thread.start()
      }
      return (id, mustWake)
    }
    if mustWake { wakeUp.signal() }
    return id
  }

  /// The number of alarms that have neither gone off nor been cancelled.
  var alarmCount: Int { state.withLock { $0.alarms.count } }

  /// Cancels an alarm. An alarm that has gone off is ignored.
  func cancel(_ id: Int) { state.withLock { _ = $0.alarms.removeValue(forKey: id) } }

  private func run() {
    while true {
      pool.sample()
      let latency = pool.total
      let (due, next) = state.withLock { state in
        let now = ContinuousClock.now
        let due = state.alarms.filter { _, alarm in
          alarm.deadline <= now && alarm.deadline(at: latency) <= now
        }
        for id in due.keys { state.alarms.removeValue(forKey: id) }
        state.earliest = state.alarms.values.map { $0.deadline(at: latency) }.min()
        return (due.values.map(\.action), state.earliest)
      }
      for action in due { action() }
      guard due.isEmpty else { continue }
      if let next {
        let left = ContinuousClock.now.duration(to: next)
        let seconds = max(0, left / .seconds(1))
        _ = wakeUp.wait(timeout: .now() + min(seconds + 0.001, Self.sampling))
      } else {
        wakeUp.wait()
      }
    }
  }
}

/// Measures how long new jobs wait for a thread of the cooperative pool.
///
/// The pool has one thread per core. While tests that compute or block occupy them, the other tests of the run
/// wait.
final class PoolLatency: Sendable {
  private struct State {
    /// When the job that has not run yet was enqueued.
    var enqueued: ContinuousClock.Instant?
    var total = Duration.zero
    var priority = TaskPriority.medium
  }

  /// Shorter waits don't count; a thread switch takes less.
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
