/// A waiter that looks for its cancellation under a lock, and adds itself under the lock.
final class CancellableWaiter<L: Lock>: Sendable {
  private let lock = L()
  private let state = Guarded<(isCancelled: Bool, waiter: CheckedContinuation<Bool, Never>?)>(
    (false, nil))
  private let isFlawed: Bool

  /// Creates a waiter.
  ///
  /// - Parameter isFlawed: Whether it releases the lock between the two, so that a cancellation can be lost.
  init(isFlawed: Bool) { self.isFlawed = isFlawed }

  /// Waits for the cancellation of the task.
  func wait() async {
    _ = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled: Bool
        if isFlawed {
          isCancelled = lock.locked { state.value.isCancelled }
          if !isCancelled { lock.locked { state.value.waiter = continuation } }
        } else {
          isCancelled = lock.locked {
            if !state.value.isCancelled { state.value.waiter = continuation }
            return state.value.isCancelled
          }
        }
        if isCancelled { continuation.resume(returning: true) }
      }
    } onCancel: {
      let waiter = lock.locked {
        state.value.isCancelled = true
        return state.value.waiter
      }
      waiter?.resume(returning: true)
    }
  }
}
