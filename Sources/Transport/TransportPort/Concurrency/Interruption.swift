import SystemLocks

/// Ends a wait at once, even if the awaited operation ignores cancellation.
///
/// One interruption serves all waits of one exchange, which run one at a time. The first error is
/// final: every later wait throws it too.
final class Interruption: Sendable {
  private struct State {
    var error: TransportError?
    var stop: (@Sendable (TransportError) -> Void)?
  }

  private let state = Mutex(State())

  /// Ends the current wait and all later ones with an error; later calls have no effect.
  func interrupt(_ error: TransportError) {
    let stop = state.withLock { state -> (@Sendable (TransportError) -> Void)? in
      guard state.error == nil else { return nil }
      state.error = error
      defer { state.stop = nil }
      return state.stop
    }
    stop?(error)
  }

  /// Runs an operation in a separate task until it ends or is interrupted.
  ///
  /// Cancelling the caller cancels the operation. An interruption cancels the operation too, but
  /// returns without waiting for it.
  func run<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(TransportError) -> Value
  ) async throws(TransportError) -> Value {
    let running = Mutex<Task<Void, Never>?>(nil)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Continuation<Value>) in
        let pending = Once(continuation)
        let task = Task {
          let result: Result<Value, TransportError>
          do throws(TransportError) { result = .success(try await operation()) } catch {
            result = .failure(error)
          }
          // If an interruption made the operation end, its error wins over the operation's.
          let error = self.clear()
          pending.take()?.resume(returning: error.map { .failure($0) } ?? result)
        }
        // `onCancel` may have run before `running` was set, and then cancelled nothing.
        running.withLock { $0 = task }
        if Task.isCancelled { task.cancel() }
        let earlier = state.withLock { state in
          if state.error == nil {
            state.stop = { error in
              task.cancel()
              pending.take()?.resume(returning: .failure(error))
            }
          }
          return state.error
        }
        if let earlier {
          task.cancel()
          pending.take()?.resume(returning: .failure(earlier))
        }
      }
    } onCancel: {
      running.withLock { $0 }?.cancel()
    }
    return try result.get()
  }

  /// Removes the closure that interrupts the finished wait.
  ///
  /// The closure is released outside the lock, because releasing it may run code that takes the
  /// lock.
  ///
  /// - Returns: The error of the interruption, if there was one.
  private func clear() -> TransportError? {
    let (stop, error) = state.withLock { state in
      defer { state.stop = nil }
      return (state.stop, state.error)
    }
    withExtendedLifetime(stop) {}
    return error
  }

  private typealias Continuation<Value> = CheckedContinuation<Result<Value, TransportError>, Never>
}
