import Foundation
import SystemLocks
import Testing

/// A semaphore that limits how many cases run concurrently.
///
/// Swift Testing starts all cases of a parallel test at once. Without the semaphore, cases would spend
/// their time limits waiting for a thread, and after a crash the journal would list hundreds of cases as
/// running. A case's time limit starts when the case has a permit.
///
/// The tests take turns, and the waiters of one test resume in FIFO order. In one queue, each case of a
/// serialized test would wait for all cases of the parallel ones.
final class CaseSemaphore: Sendable {
  private typealias Waiter = CheckedContinuation<Void, Never>

  private struct State {
    var freePermits: Int
    /// The tests that have waiters; the first one is next.
    var queues: [(test: Test.ID?, waiters: ArraySlice<Waiter>)] = []

    /// Takes a permit if one is free.
    mutating func tryAcquire() -> Bool {
      guard freePermits > 0 else { return false }
      freePermits -= 1
      return true
    }

    mutating func wait(_ waiter: Waiter, of test: Test.ID?) {
      if let index = queues.firstIndex(where: { $0.test == test }) {
        queues[index].waiters.append(waiter)
      } else {
        queues.append((test, [waiter]))
      }
    }

    /// Passes a permit on.
    ///
    /// - Returns: The waiter that now has the permit, or `nil` if none waits.
    mutating func release() -> Waiter? {
      guard !queues.isEmpty else {
        freePermits += 1
        return nil
      }
      var queue = queues.removeFirst()
      let waiter = queue.waiters.popFirst()
      if !queue.waiters.isEmpty { queues.append(queue) }
      return waiter
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
  ///
  /// - Parameters:
  ///   - test: The test whose turn it uses.
  ///   - body: The closure.
  func withPermit<Value>(
    of test: @autoclosure () -> Test.ID? = Test.current?.id, _ body: () async -> sending Value
  ) async -> sending Value {
    await acquire(of: test())
    defer { release() }
    return await body()
  }

  func acquire(of test: @autoclosure () -> Test.ID?) async {
    if state.withLock({ $0.tryAcquire() }) { return }
    let test = test()
    await withCheckedContinuation { continuation in
      let isAcquired = state.withLock { state in
        // A permit may have become free since the first attempt.
        if state.tryAcquire() { return true }
        state.wait(continuation, of: test)
        return false
      }
      if isAcquired { continuation.resume() }
    }
  }

  func release() { state.withLock { $0.release() }?.resume() }
}
