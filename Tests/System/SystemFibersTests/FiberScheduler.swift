import SystemFibers

/// A small exploration engine: runs each job in a fiber and enumerates all orders depth-first.
///
/// Whenever a job makes another task ready, it pauses, and any job or paused fiber may be next. It
/// prunes nothing, so programs must be tiny.
///
/// Unchecked: every task that prefers it runs on the thread that calls ``explore(limit:_:)``.
final class FiberScheduler: TaskExecutor, @unchecked Sendable {
  /// What an exploration has found.
  struct Exploration {
    /// Every outcome with the number of the first schedule that had it, from 1.
    var outcomes: [String: Int] = [:]
    var schedules = 0
    /// Whether every order was run.
    var isExhaustive = false
    /// How often a job could not pause because the runtime held a lock.
    var refusedPauses = 0
  }

  private struct Entry {
    var job: UnownedJob?
    var fiber: Fiber?
    var isActor = false
  }

  /// Whether a job pauses when it makes another task ready.
  private let pauses: Bool
  private let usesFibers: Bool
  private var entries: [Entry] = []
  private var choices: [(choice: Int, count: Int)] = []
  private var depth = 0
  private var runsActor = false
  private var exploration = Exploration()
  private lazy var unowned = asUnownedTaskExecutor()

  /// Creates a scheduler for any number of explorations.
  ///
  /// - Parameters:
  ///   - pauses: Whether a job pauses when it makes another task ready.
  ///   - usesFibers: Whether jobs run in fibers; by default, if they pause.
  init(pauses: Bool = true, usesFibers: Bool? = nil) {
    self.pauses = pauses
    self.usesFibers = usesFibers ?? pauses
  }

  /// Runs a program in every order.
  ///
  /// - Parameters:
  ///   - limit: The most schedules to run.
  ///   - program: Starts tasks and returns a function that describes the outcome when all is over.
  func explore(
    limit: Int = 100_000, _ program: (FiberScheduler) -> () -> String
  ) -> Exploration {
    exploration = Exploration()
    choices.removeAll()
    repeat {
      depth = 0
      let outcome = program(self)
      run()
      exploration.schedules += 1
      let result = outcome()
      if exploration.outcomes[result] == nil {
        exploration.outcomes[result] = exploration.schedules
      }
    } while advance() && exploration.schedules < limit
    exploration.isExhaustive = choices.isEmpty
    return exploration
  }

  @discardableResult
  func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: self, operation: body)
  }

  /// Takes a job, and lets another one go first if that is not the running task's own.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    entries.append(Entry(job: job, isActor: RuntimeJob(job).isActor))
    if pauses, Fiber.isInside, RuntimeJob(job).isPausePoint(runsActor: runsActor) { pause() }
  }

  /// Pauses the running job.
  func pause() {
    if !Fiber.pause() { exploration.refusedPauses += 1 }
  }

  private func run() {
    while !entries.isEmpty {
      let entry = entries.remove(at: entries.count == 1 ? 0 : choose(among: entries.count))
      let unowned = unowned
      if let job = entry.job, !usesFibers {
        job.runSynchronously(on: unowned)
        continue
      }
      let fiber =
        entry.fiber
        ?? entry.job.flatMap { job in Fiber { job.runSynchronously(on: unowned) } }
      guard let fiber else {
        preconditionFailure(Fiber.unavailability ?? "no memory for a stack")
      }
      runsActor = entry.isActor
      if fiber.resume() == .paused {
        // In front: it goes on unless the search says otherwise.
        entries.insert(Entry(fiber: fiber, isActor: entry.isActor), at: 0)
      }
    }
  }

  private func choose(among count: Int) -> Int {
    if depth == choices.count { choices.append((0, count)) }
    precondition(choices[depth].count == count, "the program is not deterministic")
    depth += 1
    return choices[depth - 1].choice
  }

  /// Moves on to the next order.
  private func advance() -> Bool {
    while let last = choices.last {
      if last.choice + 1 < last.count {
        choices[choices.count - 1].choice += 1
        return true
      }
      choices.removeLast()
    }
    return false
  }
}

/// What the scheduler must know about a job, read from its memory.
private struct RuntimeJob {
  private let address: UnsafeRawPointer

  init(_ job: UnownedJob) { address = unsafeBitCast(job, to: UnsafeRawPointer.self) }

  /// Whether a default actor runs the tasks in its queue.
  var isActor: Bool { address.load(fromByteOffset: 32, as: UInt8.self) == 193 }

  /// Whether it makes a difference if this job goes before the rest of the running one.
  func isPausePoint(runsActor: Bool) -> Bool {
    let running = withUnsafeCurrentTask { task in
      task.map { unsafeBitCast($0, to: UInt.self) } ?? 0
    }
    // A task that suspends or completes is no longer current when it makes itself or its waiters
    // ready. What follows is code of the program only if an actor goes on to its next task.
    guard running != 0 else { return runsActor }
    switch address.load(fromByteOffset: 32, as: UInt8.self) {
    case 0: return UInt(bitPattern: address) != running
    // A default actor: its newest job is the task that has made it ask for a turn.
    case 193:
      let actor = address.load(fromByteOffset: 64, as: UnsafeRawPointer.self)
      return actor.load(fromByteOffset: 40, as: UInt.self) & ~7 != running
    default: return false
    }
  }
}
