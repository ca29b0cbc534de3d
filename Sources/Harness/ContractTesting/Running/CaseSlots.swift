import Foundation
import SystemLocks

/// Lets few cases run at once, first come first served; the others wait before they begin.
///
/// Swift Testing begins every case of a parallel test at once. Cases that have begun and wait for a
/// thread would spend their time limits doing so, and after a crash the journal could not tell which
/// of them it was.
final class CaseSlots: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// How many of `waiting` have had their turn.
    var served = 0

    /// Takes a slot, if one is free.
    mutating func take() -> Bool {
      guard free > 0 else { return false }
      free -= 1
      return true
    }

    /// Gives a slot back.
    ///
    /// - Returns: Whose it is now, if anybody waits.
    mutating func give() -> CheckedContinuation<Void, Never>? {
      guard served < waiting.count else {
        waiting.removeAll(keepingCapacity: true)
        served = 0
        free += 1
        return nil
      }
      served += 1
      return waiting[served - 1]
    }
  }

  private let state: Mutex<State>

  /// - Parameter count: How many cases may run at once, from 1.
  init(count: Int = max(8, 2 * ProcessInfo.processInfo.activeProcessorCount)) {
    state = Mutex(State(free: count))
  }

  /// Runs a closure in a slot of its own.
  func holding<Value>(_ body: () async -> sending Value) async -> sending Value {
    if !state.withLock({ $0.take() }) {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          // One may have become free meanwhile.
          if state.take() { return true }
          state.waiting.append(continuation)
          return false
        }
        if isFree { continuation.resume() }
      }
    }
    defer { state.withLock { $0.give() }?.resume() }
    return await body()
  }
}
