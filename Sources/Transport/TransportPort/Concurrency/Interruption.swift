import SystemLocks

/// A switch that ends a wait at once, whether or not what is waited for notices.
///
/// One switch serves all waits of one exchange, one after the other. The first interruption stays:
/// every later wait ends with the same error.
final class Interruption: Sendable {
  private struct State {
    var error: TransportError?
    var stop: (@Sendable (TransportError) -> Void)?
  }

  private let state = Mutex(State())

  /// Ends the current wait and all later ones.
  func interrupt(_ error: TransportError) {
    let stop = state.withLock { state -> (@Sendable (TransportError) -> Void)? in
      guard state.error == nil else { return nil }
      state.error = error
      defer { state.stop = nil }
      return state.stop
    }
    stop?(error)
  }

  /// Runs an operation in a task of its own until it ends or is interrupted.
  ///
  /// Cancellation of the caller is passed on to the operation. After an interruption the operation
  /// is cancelled and nobody waits for it.
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
          // An interruption may have ended the operation itself, and stays the reason.
          let error = self.clear()
          pending.take()?.resume(returning: error.map { .failure($0) } ?? result)
        }
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

  /// Forgets how to end the wait that is over, and drops it outside the lock.
  ///
  /// - Returns: The interruption, where there was one.
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

/// Waits until the task is cancelled.
func waitForCancellation() async {
  let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in stream {}
  withExtendedLifetime(continuation) {}
}

/// A value that somebody else will provide, once.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case pending([CheckedContinuation<Value, Never>])
    case kept(Value)
  }

  private let state = Mutex(State.pending([]))

  /// Provides the value; a second call changes nothing.
  func keep(_ value: Value) {
    let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard case .pending(let waiting) = state else { return [] }
      state = .kept(value)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }

  /// Waits for the value.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let kept = state.withLock { state -> Value? in
          switch state {
          case .kept(let value): return value
          case .pending(let waiting):
            state = .pending(waiting + [continuation])
            return nil
          }
        }
        if let kept { continuation.resume(returning: kept) }
      }
    }
  }
}
