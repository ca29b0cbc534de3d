import CExploredPoints

// `ExploredMutex` and `ExploredAtomic` call these functions at each access, on whatever thread.
// Only accesses by a job of a schedule are points at which tasks can be preempted.

/// Makes accesses to explored locks and atomics points of the schedules of this process.
enum ExploredPoints {
  static func install() { _ = installed }

  private static let installed: Void = {
    // Never freed: any thread may be reading it.
    let hooks = UnsafeMutablePointer<explored_hooks>.allocate(capacity: 1)
    hooks.initialize(
      to: explored_hooks(
        will_access: { _, kind in
          ExploredPoints.pausing?.willAccess(
            isLock: kind != EXPLORED_ATOMIC, isTry: kind == EXPLORED_TRY_LOCK)
          ExploredPoints.scheduler?.isInExploredLock = kind != EXPLORED_ATOMIC
        },
        did_acquire: { object in ExploredPoints.scheduler?.didAcquire(object) },
        wait: { object in ExploredPoints.scheduler?.waitForLock(object) ?? false },
        did_access: { object, kind in
          ExploredPoints.scheduler?.didAccess(object, isLock: kind != EXPLORED_ATOMIC)
        }))
    explored_set_hooks(hooks)
  }()

  /// The scheduler whose job accesses a lock or an atomic.
  private static var scheduler: Scheduler? {
    guard let scheduler = Scheduler.current.value, scheduler.runsJob else { return nil }
    return scheduler
  }

  /// The same if the job may pause there.
  private static var pausing: Scheduler? {
    guard let scheduler, scheduler.mayPause, !scheduler.leavesOut.contains(.locks) else {
      return nil
    }
    return scheduler
  }
}

extension Scheduler {
  /// An explored lock that a job holds.
  struct HeldLock {
    var object: UnsafeRawPointer
    var worker: Int32
    var task: Int32
  }

  fileprivate func willAccess(isLock: Bool, isTry: Bool) {
    noteAct()
    // Another task may take the second lock between the two, and want the first.
    if isLock, hasAcquired, !readyJobs.isEmpty { pauseRunningJob() }
    if isTry, !points.hasTryLocks {
      points.hasTryLocks = true
      hasNewPoints = true
    }
  }

  fileprivate func didAcquire(_ object: UnsafeRawPointer) {
    isInExploredLock = false
    heldLocks.append(HeldLock(object: object, worker: currentWorker, task: runningTask))
    points.hasLocks = true
    hasAcquired = true
    // To hold a lock while others run makes a difference only if they can find it held without
    // waiting.
    if points.hasTryLocks, !readyJobs.isEmpty, !leavesOut.contains(.locks) { pauseRunningJob() }
  }

  fileprivate func waitForLock(_ object: UnsafeRawPointer) -> Bool {
    let isFree = { [unowned self] in !heldLocks.elements.contains { $0.object == object } }
    if heldLocks.elements.contains(where: { $0.object == object && $0.worker == currentWorker }) {
      // The job's own lock: production traps as well.
      return false
    }
    isInExploredLock = false
    defer { isInExploredLock = true }
    if blockRunningJob(until: isFree, of: object) { return true }
    if usesFibers, !usesThreads, isStepOpen { leaveRun() }
    return false
  }

  fileprivate func didAccess(_ object: UnsafeRawPointer, isLock: Bool) {
    if isLock {
      isInExploredLock = false
      let worker = currentWorker
      heldLocks.removeAll { $0.object == object && $0.worker == worker }
      if lockUses.isHidden { showLocks() }
    } else {
      points.hasAtomics = true
    }
    if !readyJobs.isEmpty || !blocked.isEmpty, !leavesOut.contains(.locks) { pauseRunningJob() }
  }
}
