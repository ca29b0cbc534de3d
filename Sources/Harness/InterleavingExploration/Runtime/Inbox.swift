import ExplorationEngine
import LinearizabilityChecking
import Synchronization
import SystemPlatform
import SystemThreads

/// Jobs that other threads enqueue on a scheduler, and the number that it still expects from them.
///
/// Unchecked, and sound: every stored property is accessed only under the monitor's lock, except
/// the atomic flag.
final class Inbox: @unchecked Sendable {
  private let monitor = Monitor()
  private var jobs: [UnownedJob] = []
  private var outstanding = 0
  private var isRetired = false
  /// Whether `jobs` is not empty. The run loop reads it before every step, without the lock.
  private let hasMail = Atomic(false)

  /// Whether there may be jobs to take. A job may arrive right after the answer.
  var hasJobs: Bool { hasMail.load(ordering: .relaxed) }

  /// Announces work on another thread that will call ``arrive()``.
  func expect() { monitor.withLock { outstanding += 1 } }

  /// Ends the work that was announced by ``expect()``.
  func arrive() {
    monitor.withLock {
      outstanding -= 1
      monitor.signal()
    }
  }

  /// Whether announced work has not ended.
  var isExpecting: Bool { monitor.withLock { outstanding > 0 } }

  /// Whether there are jobs, or announced work has not ended.
  var isBusy: Bool { monitor.withLock { outstanding > 0 || !jobs.isEmpty } }

  /// Adds a job, from any thread. A retired inbox drops it.
  func put(_ job: UnownedJob) {
    monitor.withLock {
      guard !isRetired else { return }
      jobs.append(job)
      hasMail.store(true, ordering: .relaxed)
      monitor.signal()
    }
  }

  /// Removes all jobs and returns them in order of arrival.
  func takeAll() -> [UnownedJob] {
    monitor.withLock {
      defer {
        jobs.removeAll()
        hasMail.store(false, ordering: .relaxed)
      }
      return jobs
    }
  }

  /// Drops every job that arrives from now on.
  func retire() { monitor.withLock { isRetired = true } }

  /// Waits until there is a job, or until all announced work has ended.
  ///
  /// - Parameters:
  ///   - limit: The timeout in nanoseconds.
  ///   - isExpecting: Whether to return when the announced work has ended.
  /// - Returns: `false` after the timeout.
  func wait(nanoseconds limit: Int64, isExpecting: Bool) -> Bool {
    let deadline = monotonicNanoseconds() + limit
    return monitor.withLock {
      while jobs.isEmpty {
        if isExpecting && outstanding == 0 { return true }
        let left = deadline - monotonicNanoseconds()
        guard left > 0 else { return false }
        // The monitor waits on the realtime clock; short waits bound the error if that clock is
        // set.
        monitor.wait(nanoseconds: min(left, 500_000_000))
      }
      return true
    }
  }
}
