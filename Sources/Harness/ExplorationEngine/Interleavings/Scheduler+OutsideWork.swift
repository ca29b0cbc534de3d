extension Scheduler {
  /// Notes work that leaves the scheduler's control, in the words of the report.
  func report(_ kind: UncontrolledWork.Kind) {
    let task = runningTask >= 0 ? name(ofTask: runningTask) : nil
    uncontrolled[kind, default: UncontrolledWork(kind: kind, firstTask: task)].count += 1
  }

  /// The running job asks for the main actor, most likely to put a task there.
  func noteMainActor() { turnsToMainActor = true }

  /// Waits until the main actor has come past what the running job has put there.
  ///
  /// Its executor is first in, first out: once it comes to the marker, the job has run.
  func markMainActor() {
    report(.mainActor)
    inbox.expect()
    Task { @MainActor in self.inbox.arrive() }
    turnsToMainActor = false
  }

  /// Whether a run whose tasks are over may still have work elsewhere.
  var mayWaitForOutside: Bool {
    if inbox.isBusy { return true }
    return !experience.waitedInVain && tasks.elements.contains { $0.origin == .unstructured }
  }

  /// Takes over the jobs that other threads have brought.
  func absorbInbox() {
    let jobs = inbox.takeAll()
    guard !jobs.isEmpty else { return }
    leaveSteps()
    for job in jobs {
      var isHelper = false
      if layout.isReadable {
        let runtime = RuntimeJob(job: job)
        isHelper = runtime.kind == .task && helpers.elements.contains(runtime.taskKey)
        if runtime.kind == .task { runningTask = tasks.number(of: runtime.taskKey) }
      }
      if !isHelper {
        experience.hasForeign = true
        report(.otherThread)
      }
      runningTask = -1
      accept(job, fromHook: false)
    }
  }

  /// Waits for another thread to make a job ready.
  ///
  /// - Returns: Whether one did.
  func waitForOutside(beforeTimers: Bool) -> Bool {
    if isUnwinding { return false }
    let isExpecting = inbox.isExpecting
    let limit: Int64
    if isExpecting {
      limit = outsideWait
    } else if beforeTimers {
      guard experience.hasForeign, openRoots > 0 else { return false }
      limit = min(outsideWait, 20_000_000)
    } else if openRoots > 0 {
      let isHopeless = experience.waitedInVain && !experience.hasForeign
      limit = isHopeless ? min(outsideWait, 2_000_000) : outsideWait
    } else {
      limit = experience.waitedInVain ? 0 : min(outsideWait, 100_000_000)
    }
    let arrived = inbox.wait(nanoseconds: limit, isExpecting: isExpecting)
    if !arrived && !beforeTimers { experience.waitedInVain = true }
    return arrived
  }
}
