import CDispatchWatch

/// Sees the jobs that go to the global executor, the tasks that turn to the main actor, and the
/// work that is handed to Dispatch.
///
/// The runtime calls a hook, if there is one, instead of its own function. Ours asks only whether
/// the calling thread is running a scheduler's job, and else goes on as if it were not there.
enum EnqueueHooks {
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
  private typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
  private typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor

  /// Whether jobs on their way to the global executor are seen.
  static var isInstalled: Bool { installed }

  /// Sets the hooks, unless that has been done.
  static func install() { _ = installed }

  private static let installed: Bool = {
    watch_dispatch { Scheduler.current.value?.report(.dispatch) }
    guard let global = Platform.symbol("swift_task_enqueueGlobal_hook"),
      let main = Platform.symbol("swift_task_getMainExecutor_hook")
    else { return false }
    let globalSlot = global.assumingMemoryBound(to: EnqueueHook?.self)
    let mainSlot = main.assumingMemoryBound(to: MainExecutorHook?.self)
    // Another tool's hook stays in charge.
    guard globalSlot.pointee == nil, mainSlot.pointee == nil else { return false }
    globalSlot.pointee = { job, original in
      guard let scheduler = Scheduler.current.value else { return original(job) }
      scheduler.receive(job, fromHook: true)
    }
    mainSlot.pointee = { original in
      Scheduler.current.value?.noteMainActor()
      return original()
    }
    return true
  }()
}
