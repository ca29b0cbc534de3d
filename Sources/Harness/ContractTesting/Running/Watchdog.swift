import Foundation
import SystemLocks

/// Acts when a time has passed, on a thread of its own: a blocked concurrency pool can't stop it.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  private let state = Mutex(State())
  /// Wakes the thread; used only beside `state`, never while it is locked.
  private let wakeUp = DispatchSemaphore(value: 0)

  private struct State {
    var next = 0
    var alarms: [Int: Alarm] = [:]
    var earliest: ContinuousClock.Instant?
    var isRunning = false
  }

  private struct Alarm {
    var deadline: ContinuousClock.Instant
    var action: @Sendable () -> Void
  }

  /// Sets an alarm.
  ///
  /// - Parameters:
  ///   - delay: How long from now.
  ///   - action: What to do then, on the watchdog's thread.
  /// - Returns: What ``cancel(_:)`` takes.
  func set(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> Int {
    let deadline = ContinuousClock.now.advanced(by: delay)
    let (id, mustWake) = state.withLock { state in
      let id = state.next
      state.next += 1
      state.alarms[id] = Alarm(deadline: deadline, action: action)
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

  /// Takes an alarm back; no harm once it has gone off.
  func cancel(_ id: Int) { state.withLock { _ = $0.alarms.removeValue(forKey: id) } }

  private func run() {
    while true {
      let (due, next) = state.withLock { state in
        let now = ContinuousClock.now
        let due = state.alarms.filter { $0.value.deadline <= now }
        for id in due.keys { state.alarms.removeValue(forKey: id) }
        state.earliest = state.alarms.values.map(\.deadline).min()
        return (due.values.map(\.action), state.earliest)
      }
      for action in due { action() }
      guard due.isEmpty else { continue }
      if let next {
        let left = ContinuousClock.now.duration(to: next)
        let seconds = max(0, left / .seconds(1))
        _ = wakeUp.wait(timeout: .now() + min(seconds, 3600) + 0.001)
      } else {
        wakeUp.wait()
      }
    }
  }
}
