import Foundation
import SystemLocks

/// A semaphore that limits how many cases run concurrently. Waiters resume in FIFO order.
///
/// Swift Testing starts all cases of a parallel test at once. Without the semaphore, cases would spend
/// their time limits waiting for a thread, and after a crash the journal would name hundreds of cases
/// as running. A case's time limit starts when the case has a permit.
final class CaseSemaphore: Sendable {
  private struct State {
    var freePermits: Int
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// How many of `waiters` have been resumed. Removing them from the front would cost O(n).
    var resumedCount = 0

    /// Takes a permit if one is free.
    mutating func tryAcquire() -> Bool {
      guard freePermits > 0 else { return false }
      freePermits -= 1
      return true
    }

    /// Passes a permit on.
    ///
    /// - Returns: The waiter that now has the permit, or `nil` if none waits.
    mutating func release() -> CheckedContinuation<Void, Never>? {
      guard resumedCount < waiters.count else {
        waiters.removeAll(keepingCapacity: true)
        resumedCount = 0
        freePermits += 1
        return nil
      }
      resumedCount += 1
      return waiters[resumedCount - 1]
    }
  }

  private let state: Mutex<State>

  /// Creates a semaphore.
  ///
  /// - Parameter permits: How many cases may run concurrently, at least 1.
  init(permits: Int = max(8, 2 * ProcessInfo.processInfo.activeProcessorCount)) {
    state = Mutex(State(freePermits: permits))
  }

  /// Runs a closure while holding a permit.
  func withPermit<Value>(_ body: () async -> sending Value) async -> sending Value {
    if !state.withLock({ $0.tryAcquire() }) {
      await withCheckedContinuation { continuation in
        let isAcquired = state.withLock { state in
          // A permit may have become free since the first attempt.
          if state.tryAcquire() { return true }
          state.waiters.append(continuation)
          return false
        }
        if isAcquired { continuation.resume() }
      }
    }
    defer { state.withLock { $0.release() }?.resume() }
    return await body()
  }
}
