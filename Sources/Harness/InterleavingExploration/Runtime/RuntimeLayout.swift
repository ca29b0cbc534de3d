/// Facts about the running concurrency runtime, from a probe that runs once per process.
///
/// The probe drives tasks with a known course through an executor that only queues, and compares
/// each job with the values that ``RuntimeJob`` must read from it. The first difference ends the
/// probe, so that no further memory is read at offsets that may be wrong.
struct RuntimeLayout: Sendable {
  /// Whether jobs and actors hold what ``RuntimeJob`` reads from them.
  var isReadable = false

  /// The partial function with which a task on an actor enters `Task.yield()`, or 0 if unknown.
  ///
  /// A task that yields on an actor takes three jobs: one leaves the actor and enters the yield,
  /// one (kind ``RuntimeJob/Kind/resumption``) makes the task ready again, and one returns to the
  /// actor. The first runs no code of the program, so it need not be a separate step. Nor does the
  /// last, if the task resumes with the calling frame and so goes straight back to the actor.
  var yieldEntry: UInt = 0

  static let probed = probe()

  private static func probe() -> RuntimeLayout {
    var layout = RuntimeLayout()
    let executor = ProbeExecutor()
    let actor = ProbeActor()
    let address = UnsafeRawPointer(Unmanaged.passUnretained(actor).toOpaque())
    _ = Task(executorPreference: executor) { await actor.step() }
    _ = Task(executorPreference: executor) { await actor.step() }
    // Whatever the probe finds, its tasks must end: the runtime holds the executor until they do.
    defer { executor.runAll() }

    // Two tasks are ready, and their keys differ.
    guard executor.jobs.count == 2 else { return layout }
    let first = RuntimeJob(job: executor.jobs[0])
    let second = RuntimeJob(job: executor.jobs[1])
    guard first.kind == .task, second.kind == .task, first.taskKey != second.taskKey
    else { return layout }

    // The first task has called the actor: the actor has asked for a turn, and the task is in its
    // queue.
    executor.runFirst()
    guard executor.jobs.count == 2 else { return layout }
    let turn = RuntimeJob(job: executor.jobs[1])
    guard turn.kind == .actor, turn.actor == address,
      RuntimeJob.newestJob(waitingFor: address) == first.job
    else { return layout }

    // The second task is in the queue as well, in front of the first.
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

  /// Follows one task through `Task.yield()` on an actor: into the yield, through it, and back.
  ///
  /// - Returns: The partial function that enters the yield, or 0 if the course is another one.
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

/// Keeps jobs in order of arrival.
///
/// Unchecked, and sound: only the probing thread uses it, because all its tasks run there.
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
