import CDispatchWatch
import SystemFibers
import SystemPlatform

/// Intercepts jobs for the global executor, requests for the main executor, and submissions to
/// Dispatch.
///
/// A `TaskExecutor` sees only the jobs of tasks that prefer it. `Task {}` and `Task.detached` have
/// no preference, so their jobs go to the global executor, and a task that turns to the main actor
/// goes to the main executor. The runtime exports a variable for each of these two ways
/// (`swift_task_…_hook`): a function pointer that it calls instead of its implementation if the
/// pointer is set.
///
/// The hooks are installed once and stay. They act only on a thread that is running a scheduler's
/// job; on every other thread they call the original. That keeps the rest of the process as it was.
enum EnqueueHooks {
  // The runtime calls hooks with the Swift calling convention and without a context, which is
  // `thin`.
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
  private typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
  private typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor

  /// Whether jobs for the global executor are intercepted.
  static var isInstalled: Bool { installed }

  /// Installs the hooks if they are not installed.
  static func install() { _ = installed }

  private static let installed: Bool = {
    // The first use of ``Scheduler/mainExecutor`` in a job would look as if the job asked for the
    // main executor.
    RuntimeCall.setKnownExecutors(mainExecutor: Scheduler.mainExecutor)
    watch_dispatch { Scheduler.current.value?.report(.dispatch) }
    RuntimeCall.setHandler(Scheduler.noteCall)
    RuntimeCall.setSwitchHandler(Scheduler.noteSwitch)
    Fiber.setWaitHandler(Scheduler.waitHandler)
    Fiber.setClockHandlers(Scheduler.clockHandler, Scheduler.delayHandler)
    guard let global = symbolAddress(of: "swift_task_enqueueGlobal_hook"),
      let main = symbolAddress(of: "swift_task_getMainExecutor_hook")
    else { return false }
    let globalSlot = global.assumingMemoryBound(to: EnqueueHook?.self)
    let mainSlot = main.assumingMemoryBound(to: MainExecutorHook?.self)
    // Another tool's hook stays: replacing it would break that tool, and chaining has no agreed
    // order.
    guard globalSlot.pointee == nil, mainSlot.pointee == nil else { return false }
    globalSlot.pointee = { job, original in
      guard let scheduler = Scheduler.current.value else { return original(job) }
      scheduler.receive(job, fromHook: true)
    }
    // `swift_task_enqueueMainExecutor_hook` exists but Swift 6.3 never calls it, so the request for
    // the executor is intercepted. The job itself still runs on the main thread.
    mainSlot.pointee = { original in
      Scheduler.current.value?.noteMainActor()
      return original()
    }
    return true
  }()
}
