import SystemLocks

/// A value that is set once and that any number of tasks can await.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case pending([CheckedContinuation<Value, Never>])
    case fulfilled(Value)
  }

  private let state = Mutex(State.pending([]))

  /// Sets the value and resumes all waiters; later calls have no effect.
  func fulfill(_ value: Value) {
    let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard case .pending(let waiting) = state else { return [] }
      state = .fulfilled(value)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }

  /// The value; suspends until it is set.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let fulfilled = state.withLock { state -> Value? in
          switch state {
          case .fulfilled(let value): return value
          case .pending(let waiting):
            state = .pending(waiting + [continuation])
            return nil
          }
        }
        if let fulfilled { continuation.resume(returning: fulfilled) }
      }
    }
  }
}
