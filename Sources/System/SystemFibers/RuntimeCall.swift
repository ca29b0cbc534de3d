import CFibers

/// A call of the Swift runtime, or of the C library, whose effect other tasks can observe.
///
/// Only calls by the program are seen, not those that the runtime makes itself, and only on
/// platforms where fibers are available: the executable defines these functions in front of the
/// runtime's.
package enum RuntimeCall: Int32, Sendable {
  /// `Task {}`, `Task.detached`, `addTask`.
  case createsTask
  /// `Task.cancel()`, `cancelAll()` of a group.
  case cancels
  /// `Task.isCancelled`, `Task.checkCancellation()`.
  case readsCancellation
  /// Resumes a continuation, or yields to a stream or finishes it.
  case wakes
  /// Reads random bytes from the system.
  case draws
  /// Starts a thread.
  case startsThread
  /// `Task.immediate`, which runs inside its creator until it first suspends.
  case startsImmediately
  /// Goes to a task executor or a serial executor that the engine does not control.
  case usesOtherExecutor
  /// `isEmpty` of a discarding group, whose children leave it when they end.
  case readsChildren
  /// `withTaskCancellationHandler`.
  case addsHandler

  /// The parameters are a ``RuntimeCall``'s raw value and whether the call is over.
  ///
  /// Calls on a thread with a task executor are reported before and after; ``startsThread`` so, and
  /// ``draws`` once, on every thread; ``usesOtherExecutor`` and ``addsHandler`` once. Before ``createsTask``, the result
  /// decides whether the task gets the executor of ``setTaskExecutor(_:)``; only tasks that are
  /// enqueued and are no children are asked for. Before ``startsThread``, it decides whether the
  /// second report follows, unless the thread is one of Dispatch's.
  package typealias Handler = @convention(c) (_ call: Int32, _ isOver: Bool) -> Bool

  /// Sets the function that is called, on every thread, or `nil` for none.
  package static func setHandler(_ handler: Handler?) { cfibers_set_call_handler(handler) }

  /// Sets the preferred executor of the tasks that the calling thread creates without a preference
  /// of their own, or with one for `globalConcurrentExecutor`. It also takes that executor's place in
  /// `withTaskExecutorPreference`. Each such task retains it; this function does not.
  package static func setTaskExecutor(_ executor: (any TaskExecutor)?) {
    guard let executor else { return cfibers_set_task_executor(nil, nil) }
    let words = words(of: executor)
    cfibers_set_task_executor(
      UnsafeMutableRawPointer(bitPattern: words.object),
      UnsafeRawPointer(bitPattern: words.witnesses))
  }

  /// Makes the two executors known that ``usesOtherExecutor`` does not stand for.
  ///
  /// - Parameter mainExecutor: The identity of the main actor's executor. Jobs there are announced
  ///   in another way.
  package static func setKnownExecutors(mainExecutor: UInt) {
    cfibers_set_known_executors(
      UnsafeRawPointer(bitPattern: words(of: globalConcurrentExecutor).object),
      UnsafeRawPointer(bitPattern: mainExecutor))
  }

  private static func words(of executor: any TaskExecutor) -> (object: UInt, witnesses: UInt) {
    // A class-bound existential is a reference and a witness table.
    // The cast keeps the compiler from opening it.
    unsafeBitCast(executor as any TaskExecutor, to: (object: UInt, witnesses: UInt).self)
  }

  /// The address of the task whose code runs on the calling thread, or `nil` while a task suspends or
  /// ends.
  package static var currentTask: UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: cfibers_current_task())
  }

  /// Whether a task is cancelled, which must exist at the address.
  package static func isCancelled(_ task: UnsafeRawPointer) -> Bool {
    cfibers_is_cancelled(UnsafeMutableRawPointer(mutating: task))
  }

  /// The parameters are the identity of a serial executor that the running task goes to, and the
  /// function with which it continues there. The result is whether it first leaves the executor
  /// that it is on, as a job of its own. Called only on a thread with a task executor.
  package typealias SwitchHandler = @convention(c) (_ executor: UInt, _ function: UInt) -> Bool

  /// Sets the function that is called, on every thread, or `nil` for none.
  package static func setSwitchHandler(_ handler: SwitchHandler?) {
    cfibers_set_switch_handler(handler)
  }

  /// The function with which a task resumes that has left its executor on the way to another one.
  package static let detourFunction = cfibers_detour_function()
}
