/// Sees the jobs that go to the global and the main executor.
///
/// The runtime calls a hook, if there is one, instead of its own function. Ours asks only whether
/// the calling thread is running a scheduler's job, and else goes on as if it were not there.
enum EnqueueHooks {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Whether jobs on their way to the global executor are seen.
  static var isInstalled: Bool { installed }

  /// Sets the hooks, unless that has been done.
  static func install() { _ = installed }

  private static let installed: Bool = {
    guard let global = Platform.symbol("swift_task_enqueueGlobal_hook"),
      let main = Platform.symbol("swift_task_enqueueMainExecutor_hook")
    else { return false }
    let globalSlot = global.assumingMemoryBound(to: Hook?.self)
    let mainSlot = main.assumingMemoryBound(to: Hook?.self)
    // Another tool's hook stays in charge.
    guard globalSlot.pointee == nil, mainSlot.pointee == nil else { return false }
    globalSlot.pointee = { job, original in
      guard let scheduler = Scheduler.current.value else { return original(job) }
      scheduler.receive(job, fromHook: true)
    }
    mainSlot.pointee = { job, original in
      guard let scheduler = Scheduler.current.value, !isMarking.isSet else { return original(job) }
      scheduler.report(.mainActor)
      scheduler.outsideBegan()
      original(job)
      // The main executor is first in, first out: once it comes to the marker, the job has run.
      isMarking.set(true)
      Task { @MainActor in scheduler.outsideEnded() }
      isMarking.set(false)
    }
    return true
  }()

  private static let isMarking = ThreadLocalFlag()
}

/// A Boolean of every thread's own.
private struct ThreadLocalFlag: Sendable {
  private final class On: Sendable {}
  private let reference = ThreadLocalReference<On>()
  private let on = On()

  var isSet: Bool { reference.value != nil }
  func set(_ value: Bool) { reference.set(value ? on : nil) }
}
