import Synchronization

/// What other threads bring to a scheduler, and what it still expects of them.
///
/// The content is touched under the monitor's lock alone: that is why it may be shared.
final class Inbox: @unchecked Sendable {
  private let monitor = Monitor()
  private var jobs: [UnownedJob] = []
  private var outstanding = 0
  private var isRetired = false
  /// Whether there are jobs; a look at it costs less than the lock.
  private let hasMail = Atomic(false)

  /// Whether jobs may be there to be taken, without the lock.
  var hasJobs: Bool { hasMail.load(ordering: .relaxed) }

  /// Work has been handed out that will come back, see ``arrive()``.
  func expect() { monitor.withLock { outstanding += 1 } }

  /// Work that was expected is over.
  func arrive() {
    monitor.withLock {
      outstanding -= 1
      monitor.signal()
    }
  }

  var isExpecting: Bool { monitor.withLock { outstanding > 0 } }

  /// Whether jobs are there or must come.
  var isBusy: Bool { monitor.withLock { outstanding > 0 || !jobs.isEmpty } }

  func put(_ job: UnownedJob) {
    monitor.withLock {
      guard !isRetired else { return }
      jobs.append(job)
      hasMail.store(true, ordering: .relaxed)
      monitor.signal()
    }
  }

  func takeAll() -> [UnownedJob] {
    monitor.withLock {
      defer {
        jobs.removeAll()
        hasMail.store(false, ordering: .relaxed)
      }
      return jobs
    }
  }

  /// Takes no more jobs.
  func retire() { monitor.withLock { isRetired = true } }

  /// Waits until there is a job, or until all that was expected is over.
  ///
  /// - Parameters:
  ///   - limit: How many nanoseconds to wait at most.
  ///   - isExpecting: Whether something is expected.
  /// - Returns: Whether something came.
  func wait(nanoseconds limit: Int64, isExpecting: Bool) -> Bool {
    let deadline = Platform.nanoseconds + limit
    return monitor.withLock {
      while jobs.isEmpty {
        if isExpecting && outstanding == 0 { return true }
        let left = deadline - Platform.nanoseconds
        guard left > 0 else { return false }
        monitor.wait(nanoseconds: min(left, 500_000_000))
      }
      return true
    }
  }
}
