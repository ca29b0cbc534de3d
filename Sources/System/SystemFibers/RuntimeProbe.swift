import CFibers

/// Finds out which thread-locals of the Swift runtime belong to a job, and whether switching them
/// works.
///
/// Their layout is not public. So each word is identified by its behaviour: one must hold the
/// current task, one the executor's record on the stack, one the task-local values outside tasks,
/// one the latest exclusive access. Anything else that changes makes fibers unavailable.
final class RuntimeProbe {
  /// Why fibers cannot work in this process, or `nil` if they can.
  static let unavailability: String? = {
    if let reason = cfibers_prepare() { return String(cString: reason) }
    // A thread of its own: the caller may be a task, or hold accesses.
    let probe = RuntimeProbe()
    let hasRun = cfibers_on_new_thread(
      { context in
        guard let context else { return }
        Unmanaged<RuntimeProbe>.fromOpaque(context).takeUnretainedValue().run()
      }, Unmanaged.passUnretained(probe).toOpaque())
    return hasRun ? probe.failure : "the system provides no thread to try fibers on"
  }()

  private var failure: String? = "the trial of fibers has not ended"

  private func run() {
    do throws(Unexpected) {
      try chooseWords()
      try trySwitching()
      try learnLock()
      failure = nil
    } catch {
      failure = "this Swift runtime is not supported: \(error.what)"
    }
  }

  private struct Unexpected: Error {
    var what: String
  }

  private static func expect(_ condition: Bool, _ what: String) throws(Unexpected) {
    guard condition else { throw Unexpected(what: what) }
  }

  // MARK: - Choosing the words

  @TaskLocal private static var value = 0

  private func chooseWords() throws(Unexpected) {
    let outside = Words()
    let inValue = Self.$value.withValue(1) { Words() }
    let executor = ProbeExecutor()
    let inJob = Box(Words())
    let task = Box<UInt>(0)
    let stack = Box<UInt>(0)
    executor.start {
      inJob.value = Words()
      task.value = cfibers_current_task()
      stack.value = Self.stackAddress()
    }
    executor.runAll()
    try Self.expect(Words() == outside, "a job leaves thread-locals behind")

    let change = inJob.value.concurrency.indices.filter {
      inJob.value.concurrency[$0] != outside.concurrency[$0]
    }
    let isTask = { inJob.value.concurrency[$0] == task.value }
    // The record is a local variable of the function that has called the job.
    let isRecord = { (index: Int) in
      (0..<16_384).contains(Int(bitPattern: inJob.value.concurrency[index] &- stack.value))
    }
    let fallback = inValue.concurrency.indices.filter {
      inValue.concurrency[$0] != outside.concurrency[$0]
    }
    try Self.expect(
      change.count == 2 && change.count(where: isTask) == 1 && change.count(where: isRecord) == 1,
      "the current task and executor are not where they should be")
    try Self.expect(
      fallback.count == 1 && !change.contains(fallback[0]),
      "task-local values outside tasks are not where they should be")
    try Self.expect(
      outside.concurrency.allSatisfy { $0 == 0 } && outside.concurrency.count == 4,
      "there are thread-locals of unknown purpose")
    let access = try accessWord(outside)
    cfibers_choose_words(
      (change + fallback).map { _ in Int32(CFIBERS_CONCURRENCY) } + [Int32(CFIBERS_CORE)],
      change + fallback + [access])
  }

  private func accessWord(_ outside: Words) throws(Unexpected) -> Int {
    final class Access {
      var words = Words()
      var address: UInt = 0
    }
    let access = Access()
    var variable = 0
    let isExported = cfibers_during_access(
      &variable,
      { context, address in
        guard let context else { return }
        let access = Unmanaged<Access>.fromOpaque(context).takeUnretainedValue()
        access.words = Words()
        access.address = address
      }, Unmanaged.passUnretained(access).toOpaque())
    let change = outside.core.indices.filter { access.words.core[$0] != outside.core[$0] }
    try Self.expect(
      isExported && change.count == 1 && access.words.core[change[0]] == access.address
        && outside.core[change[0]] == 0 && Words() == outside,
      "the set of exclusive accesses is not where it should be")
    return change[0]
  }

  @inline(never)
  private static func stackAddress() -> UInt {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: 1) { UInt(bitPattern: $0.baseAddress) }
  }

  /// The thread-locals of the runtime's libraries on the calling thread.
  private struct Words: Equatable {
    var concurrency: [UInt]
    var core: [UInt]

    init() {
      concurrency = Self.read(CFIBERS_CONCURRENCY)
      core = Self.read(CFIBERS_CORE)
    }

    private static func read(_ library: Int) -> [UInt] {
      [UInt](unsafeUninitializedCapacity: CFIBERS_MOST_WORDS) { buffer, count in
        if let base = buffer.baseAddress { count = cfibers_read_words(Int32(library), base) }
      }
    }
  }

  // MARK: - Trying

  /// Pauses two jobs in the middle and continues them in the other order.
  private func trySwitching() throws(Unexpected) {
    let executor = ProbeExecutor()
    let isRight = Box(true)
    let finished = Box(0)
    for number in 1...2 {
      executor.start {
        let task = cfibers_current_task()
        Self.$value.withValue(number) {
          cfibers_pause()
          if cfibers_current_task() != task || Self.value != number { isRight.value = false }
        }
        finished.value += 1
      }
    }
    let fibers = executor.takeAll()
    for fiber in fibers where fiber.resume() != .paused { isRight.value = false }
    if cfibers_current_task() != 0 { isRight.value = false }
    try Self.expect(isRight.value && fibers.count == 2, "jobs do not keep their task in a fiber")
    for fiber in fibers where fiber.resume() != .finished { isRight.value = false }
    try Self.expect(isRight.value && finished.value == 2, "jobs do not keep their task in a fiber")
  }

  /// Cancels a task that waits, and looks at the stack in its handler.
  private func learnLock() throws(Unexpected) {
    let executor = ProbeExecutor()
    let isFound = Box(false)
    let isHeld = Box(false)
    let waiting = Box<CheckedContinuation<Void, Never>?>(nil)
    let task = executor.start {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiting.value = $0 }
      } onCancel: {
        isFound.value = cfibers_learn_runtime_lock()
        isHeld.value = cfibers_holds_runtime_lock()
      }
    }
    executor.runAll()
    let isFree = Box(false)
    let fiber = Fiber(unchecked: {
      task.cancel()
      isFree.value = !cfibers_holds_runtime_lock()
    })
    let isOver = fiber?.resume() == .finished
    waiting.value?.resume()
    executor.runAll()
    try Self.expect(
      isOver && isFound.value && isHeld.value && isFree.value,
      "cancellation handlers do not run under the expected lock")
  }
}

/// A variable that several jobs of the probing thread use.
private final class Box<Value>: @unchecked Sendable {
  // Unchecked: every job of a probe runs on the thread that probes.
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Keeps jobs until the probe runs them, each in a fiber if it wants.
private final class ProbeExecutor: TaskExecutor, @unchecked Sendable {
  // Unchecked: only the thread that probes uses it.
  private var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  @discardableResult
  func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: self, operation: body)
  }

  func runAll() {
    while !jobs.isEmpty { jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor()) }
  }

  func takeAll() -> [Fiber] {
    defer { jobs.removeAll() }
    return jobs.compactMap { job in
      Fiber(unchecked: { job.runSynchronously(on: self.asUnownedTaskExecutor()) })
    }
  }
}
