import Foundation
import SystemLocks

/// Calls closures at deadlines, on a dedicated thread that a blocked concurrency pool can't delay.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  private let state = Mutex(State())
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
    var action: @Sendable () -> Void
  }

  /// Sets an alarm.
  ///
  /// - Parameters:
  ///   - delay: The time from now.
  ///   - action: What the watchdog's thread calls then.
  /// - Returns: An identifier for ``cancel(_:)``.
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

  /// The number of alarms that have neither gone off nor been cancelled.
  var alarmCount: Int { state.withLock { $0.alarms.count } }

  /// Cancels an alarm. An alarm that has gone off is ignored.
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
