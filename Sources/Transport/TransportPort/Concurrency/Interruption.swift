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
      return state.stop
    }
    stop?(error)
  }

  /// Runs an operation in a separate task until it ends or is interrupted.
  ///
  /// Cancelling the caller cancels the operation; if the caller is cancelled already, the operation
  /// starts cancelled. An interruption cancels the operation too, but returns without waiting for
  /// it.
  func run<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(TransportError) -> Value
  ) async throws(TransportError) -> Value {
    let running = Mutex<Task<Void, Never>?>(nil)
    let cancel: @Sendable () -> Void = { running.withLock { $0 }?.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Continuation<Value>) in
        let pending = Once(continuation)
        // The interruption's error comes first, because the operation ends when it is cancelled.
        let earlier = state.withLock { state in
          state.stop = { error in
            pending.take()?.resume(returning: .failure(error))
            cancel()
          }
          return state.error
        }
        if let earlier { return continuation.resume(returning: .failure(earlier)) }
        let startsCancelled = Task.isCancelled
        let task = Task {
          // Cancelling the task from outside would come too late if it has started already.
          if startsCancelled { withUnsafeCurrentTask { $0?.cancel() } }
          let result: Result<Value, TransportError>
          do throws(TransportError) { result = .success(try await operation()) } catch {
            result = .failure(error)
          }
          pending.take()?.resume(returning: result)
        }
        running.withLock { $0 = task }
        // What ends the wait may have come before `running` was set, and then cancelled nothing.
        if Task.isCancelled || pending.isTaken { task.cancel() }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  private typealias Continuation<Value> = CheckedContinuation<Result<Value, TransportError>, Never>
}
