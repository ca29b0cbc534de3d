import SystemThreads

/// Runs a blocking function on a separate thread, outside any task.
///
/// Tasks that the function creates inherit no task-local values and no priority from the caller,
/// unlike those of ``onExplorationThread(_:)``.
///
/// - Parameters:
///   - body: The function. It must end soon after `onCancel` is called.
///   - onCancel: Called when the calling task is cancelled, at any time and on any thread.
package func onWatchdogThread<Value: Sendable>(
  _ body: @escaping @Sendable () -> Value, onCancel: @escaping @Sendable () -> Void
) async -> Value {
  await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      let run: @Sendable () -> Void = { continuation.resume(returning: body()) }
      do {
        try SystemThread(stackSize: explorationStackSize, blocksBrokenPipe: false, run).detach()
      } catch {
        // Without another thread, the caller's has to do.
        run()
      }
    }
  } onCancel: {
    onCancel()
  }
}
