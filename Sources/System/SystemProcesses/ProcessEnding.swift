import CPlatform
import Foundation
import SystemLocks

/// The end of a program, as one thread observes it and others wait for it.
final class ProcessEnding: Sendable {
  private struct Waiter {
    var continuation: CheckedContinuation<ProcessGroup.Exit?, Never>
    var timeout: Task<Void, Never>
  }

  private struct State {
    var exit: ProcessGroup.Exit?
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())
  /// Is signalled when ``exit`` is recorded.
  private let recorded = DispatchSemaphore(value: 0)

  /// How the program ended, or `nil` while it runs.
  var exit: ProcessGroup.Exit? { state.withLock { $0.exit } }

  /// Waits until a child has ended and records how. The child is not reaped.
  func record(exitOf process: pid_t) {
    var signal: Int32 = 0
    let status = platform_peek_exit(process, &signal)
    let exit = ProcessGroup.Exit(signal: signal == 0 ? nil : signal, status: status)
    let waiters = state.withLock { state in
      state.exit = exit
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    recorded.signal()
    for waiter in waiters {
      waiter.timeout.cancel()
      waiter.continuation.resume(returning: exit)
    }
  }

  /// Waits until the end is recorded. Call it once.
  func wait() { recorded.wait() }

  /// Waits until the end is recorded; returns `nil` if it is not after the limit.
  func exit(within limit: Duration) async -> ProcessGroup.Exit? {
    await withCheckedContinuation { continuation in
      let exit = state.withLock { state -> ProcessGroup.Exit? in
        if let exit = state.exit { return exit }
        let number = state.nextWaiter
        state.nextWaiter += 1
        let timeout = Task { [weak self] in
          try? await Task.sleep(for: limit)
          self?.resumeWaiter(number)
        }
        state.waiters[number] = Waiter(continuation: continuation, timeout: timeout)
        return nil
      }
      if let exit { continuation.resume(returning: exit) }
    }
  }

  private func resumeWaiter(_ number: Int) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(returning: nil)
  }
}
