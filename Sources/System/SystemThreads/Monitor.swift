import Foundation

/// A mutex with one condition variable, for a thread that waits until another changes some state.
///
/// Keep the state next to the monitor and touch it only inside ``withLock(_:)``. At most one thread
/// may wait at a time, because ``signal()`` wakes one. A wait may end without a signal, so check
/// the state in a loop.
///
/// Unchecked, and sound: the mutex and the condition stay at fixed addresses for the object's
/// lifetime, and every access goes through the C library, which synchronises it.
///
/// Source: pthread_cond_wait(3).
public final class Monitor: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Creates an unlocked monitor.
  public init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Calls `body` with the lock held. The lock is not recursive.
  @inlinable public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Wakes the waiting thread. Call it with the lock held.
  @inlinable public func signal() { pthread_cond_signal(condition) }

  /// Releases the lock, waits for a signal, and acquires the lock again. Call it with the lock
  /// held.
  ///
  /// - Parameter nanoseconds: The timeout; `nil` waits without one.
  public func wait(nanoseconds: Int64?) {
    guard let nanoseconds else {
      pthread_cond_wait(condition, mutex)
      return
    }
    // The timeout is an absolute time of the realtime clock, the only one that Darwin supports.
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let total = Int64(deadline.tv_nsec) + max(0, nanoseconds)
    deadline.tv_sec += Int(total / 1_000_000_000)
    deadline.tv_nsec = Int(total % 1_000_000_000)
    pthread_cond_timedwait(condition, mutex, &deadline)
  }
}
