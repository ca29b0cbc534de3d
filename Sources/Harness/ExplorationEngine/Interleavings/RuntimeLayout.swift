/// What the running concurrency runtime has been seen to do, tried once at the start.
struct RuntimeLayout: Sendable {
  /// Whether jobs hold what ``RuntimeJob`` reads from them.
  var isReadable = false

  /// The partial function with which a task on an actor enters `Task.yield()`, or 0.
  ///
  /// That job runs no code of the program. The one that goes on behind the yield does not
  /// either, if it takes the calling frame straight back to the actor.
  var yieldEntry: UInt = 0

  static let probed = probe()

  private static func probe() -> RuntimeLayout {
    var layout = RuntimeLayout()
    let executor = ProbeExecutor()
    let actor = ProbeActor()
    let address = UnsafeRawPointer(Unmanaged.passUnretained(actor).toOpaque())
    _ = Task(executorPreference: executor) { await actor.step() }
    _ = Task(executorPreference: executor) { await actor.step() }
    defer { executor.runAll() }
    guard executor.jobs.count == 2 else { return layout }
    let first = RuntimeJob(job: executor.jobs[0])
    let second = RuntimeJob(job: executor.jobs[1])
    guard first.kind == .task, second.kind == .task, first.taskKey != second.taskKey
    else { return layout }
    executor.runFirst()
    guard executor.jobs.count == 2 else { return layout }
    let turn = RuntimeJob(job: executor.jobs[1])
    guard turn.kind == .actor, turn.actor == address,
      RuntimeJob.newestJob(waitingFor: address) == first.job
    else { return layout }
    executor.runFirst()
    guard executor.jobs.count == 1,
      RuntimeJob.newestJob(waitingFor: address) == second.job,
      second.olderJob == first.job, first.olderJob == nil
    else { return layout }
    executor.runAll()
    layout.isReadable = RuntimeJob.newestJob(waitingFor: address) == nil
    layout.yieldEntry = probeYield(of: actor, on: executor)
    return layout
  }

  /// Follows a task through `Task.yield()` on an actor: to the yield, through it, and back.
  private static func probeYield(of actor: ProbeActor, on executor: ProbeExecutor) -> UInt {
    _ = Task(executorPreference: executor) { await actor.yielding() }
    let start = executor.jobs.first
    executor.runFirst()
    executor.runFirst()
    guard let start, executor.jobs.count == 1, executor.jobs[0] == start else { return 0 }
    let entry = RuntimeJob(job: executor.jobs[0]).resumption
    let caller = RuntimeJob(job: executor.jobs[0]).callingFrame
    executor.runFirst()
    guard executor.jobs.count == 1, RuntimeJob(job: executor.jobs[0]).kind == .resumption
    else { return 0 }
    executor.runFirst()
    guard executor.jobs.count == 1, executor.jobs[0] == start,
      RuntimeJob(job: executor.jobs[0]).resumption != entry
    else { return 0 }
    executor.runFirst()
    guard executor.jobs.count == 1, RuntimeJob(job: executor.jobs[0]).kind == .actor,
      RuntimeJob(job: start).frame == caller
    else { return 0 }
    return entry
  }
}

/// Keeps jobs in the order of arrival. Only the probing thread uses it: all its tasks run there.
private final class ProbeExecutor: TaskExecutor, @unchecked Sendable {
  private(set) var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func runFirst() {
    guard !jobs.isEmpty else { return }
    jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor())
  }

  func runAll() {
    while !jobs.isEmpty { runFirst() }
  }
}

private actor ProbeActor {
  private var steps = 0
  func step() { steps += 1 }
  func yielding() async {
    steps += 1
    await Task.yield()
    steps += 1
  }
}

extension UnownedJob {
  fileprivate static func == (first: UnownedJob, second: UnownedJob) -> Bool {
    unsafeBitCast(first, to: UInt.self) == unsafeBitCast(second, to: UInt.self)
  }

  fileprivate static func == (first: UnownedJob?, second: UnownedJob) -> Bool {
    first.map { $0 == second } ?? false
  }
}
