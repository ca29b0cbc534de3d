/// An asynchronous semaphore over a lock of any kind: a list of continuations, whose cancellation takes the
/// same lock.
final class AsyncSemaphore<L: Lock>: Sendable {
  /// The mistakes that it can make.
  enum Flaw {
    /// Looks for a cancellation before it takes the lock to add itself, so that one in between is lost.
    case looksTooEarly
    /// Forgets the permit of a waiter that was cancelled.
    case losesPermit
  }

  private struct State {
    var permits: Int
    var next = 0
    var waiters: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let lock = L()
  private let state: Guarded<State>
  private let resumesInside: Bool
  private let flaw: Flaw?

  init(permits: Int, resumesInside: Bool, flaw: Flaw? = nil) {
    state = Guarded(State(permits: permits))
    self.resumesInside = resumesInside
    self.flaw = flaw
  }

  func acquire() async throws {
    let id = lock.locked { () -> Int in
      state.value.next += 1
      return state.value.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let isCancelledEarly = Task.isCancelled
        let wake = lock.locked { () -> (() -> Void)? in
          let isCancelled = flaw == .looksTooEarly ? isCancelledEarly : Task.isCancelled
          if isCancelled { return { continuation.resume(throwing: CancellationError()) } }
          if state.value.permits > 0 {
            state.value.permits -= 1
            return { continuation.resume() }
          }
          state.value.waiters.append((id, continuation))
          return nil
        }
        wake?()
      }
    } onCancel: {
      change { state in
        guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
        let waiter = state.waiters.remove(at: index)
        if flaw == .losesPermit { state.permits -= 1 }
        return { waiter.continuation.resume(throwing: CancellationError()) }
      }
    }
  }

  func release() {
    change { state in
      guard !state.waiters.isEmpty else {
        state.permits += 1
        return nil
      }
      let waiter = state.waiters.removeFirst()
      return { waiter.continuation.resume() }
    }
  }

  var permits: Int { lock.locked { state.value.permits } }

  /// Changes the state under the lock and wakes a waiter under it or after it.
  private func change(_ body: (inout State) -> (() -> Void)?) {
    let wake = lock.locked { () -> (() -> Void)? in
      let wake = body(&state.value)
      guard resumesInside else { return wake }
      wake?()
      return nil
    }
    wake?()
  }
}
