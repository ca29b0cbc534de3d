import SystemFibers

// Code of the program that would block the thread. On threads, the job waits in the engine instead, and
// others run. On fibers, all jobs have one thread's number, so only a wait for a lock that is not recursive
// means there what it means in production; for the rest, the run is repeated on threads.

extension Scheduler {
  static let waitHandler: @Sendable (Fiber.Wait) -> Fiber.WaitEnd = {
    Scheduler.current.value?.end(of: $0) ?? .calls
  }

  /// Lets other jobs run until a call of the running job would not block.
  private func end(of wait: Fiber.Wait) -> Fiber.WaitEnd {
    guard runsJob, isStepOpen, usesFibers else {
      if wait.primitive == .mutex, wait.isUse { lockUses.isHidden = true }
      return .calls
    }
    if wait.isUse, wait.primitive.isLock {
      meetLock(wait)
      return .calls
    }
    let isExact = usesThreads || [.mutex, .lock, .sleep].contains(wait.primitive)
    if !isExact { needThreads() }
    if wait.isUse {
      if usesThreads { pauseBeforeLock() }
      return .triesAgain
    }
    // Where no other job has paused, it is the job's own lock.
    if wait.primitive == .recursiveLock, !isExact, !hasPausedJobs { return .calls }
    if isExact,
      blockRunningJob(
        until: { wait.mayContinue }, primitive: wait.primitive, limit: wait.limit)
    {
      return timedOutWorkers.remove(currentWorker) == nil ? .triesAgain : .timesOut
    }
    if wait.primitive == .sleep || usesThreads { return .calls }
    if endsSoon(wait) { return .triesAgain }
    leaveRun()
    return .calls
  }

  /// Waits for another thread to end a wait, before the job is left for good: it may hold a lock of a library, which
  /// the rest of the process then waits for.
  private func endsSoon(_ wait: Fiber.Wait) -> Bool {
    leaveJob()
    defer { enterJob() }
    let deadline = Fiber.realNanoseconds + Self.longestWaitOnFiber
    while !wait.mayContinue {
      if Fiber.realNanoseconds >= deadline { return false }
      _ = inbox.wait(nanoseconds: 1_000_000, isExpecting: false)
    }
    return true
  }

  private static let longestWaitOnFiber: Int64 = 100_000_000

  // MARK: - Locks

  /// Called before the program's code acquires a lock, or tries to, and after it has released one.
  private func meetLock(_ use: Fiber.Wait) {
    if isInExploredLock {
      // It is the explored lock's own, and the next mutex in this file will not be seen.
      lockUses.isHidden = true
    } else if lockUses.isOfProgram(use.caller) {
      switch use.primitive {
      case .mutex, .attempt: lockUses.noteUntried(use)
      case .release: pauseAfterLock()
      default: pauseBeforeLock()
      }
    }
  }

  /// Pauses the running job if it has acquired another lock in its step: others may want the two in the other
  /// order.
  private func pauseBeforeLock() {
    guard mayPause, !leavesOut.contains(.locks) else { return }
    noteAct()
    points.hasSystemLocks = true
    if hasAcquired, !readyJobs.isEmpty || !blocked.isEmpty { pauseRunningJob() }
    hasAcquired = true
  }

  private func pauseAfterLock() {
    guard mayPause, !leavesOut.contains(.locks) else { return }
    if !readyJobs.isEmpty || !blocked.isEmpty { pauseRunningJob() }
  }

  /// Makes the next use of a `Mutex` in each file a seen one, unless an explored lock is held, whose release would
  /// look like a use. After the first one, the exploration claims nothing anyway.
  func showLocks() {
    guard heldLocks.isEmpty, lockUses.untried.isEmpty else { return }
    lockUses.isHidden = false
    Fiber.forgetThreadNumbers()
  }

  // MARK: - Waits

  /// Ends the waits of blocked jobs that have timed out at an instant.
  func endTimedWaits(through instant: Int64) {
    for index in blocked.indices where blocked[index].deadline ?? .max <= instant {
      // Timers that are due later have fired already.
      if timersRace { points.hasLateTimeOuts = true }
      timedOutWorkers.insert(blocked[index].job.worker)
      blocked[index].mayContinue = { true }
    }
  }

  private var hasPausedJobs: Bool { workers.count > idleWorkers.count + 1 }

  /// Makes the run one that is repeated on threads. Until it ends, no job pauses any more.
  func needThreads() {
    needsThreads = true
    allowsPauses = false
  }

  /// Leaves a job that makes tasks or calls without end while the run is unwound, where nothing pauses it.
  func limitUnwinding() {
    callsUnwound += 1
    if callsUnwound > 10_000, runsJob, isStepOpen, usesFibers { leaveRun() }
  }

  /// Ends the run in the middle of a job that cannot go on. Its stack and what it holds are lost.
  func leaveRun() {
    needThreads()
    end = .cutOff
    isLeft = true
    leaveJob()
    request = .leaves
    Fiber.pauseUnchecked()
  }
}
