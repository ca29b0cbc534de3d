import SystemFibers
import SystemPlatform

// Work on other threads cannot be ordered, but a run must not end before it, and a deadlock must
// not be reported while a thread may still resume a task. The runtime does not announce such work,
// so the scheduler waits with timeouts and remembers what earlier runs of the program have shown.

extension Scheduler {
  /// Counts work that leaves the scheduler's control, for the report.
  func report(_ kind: UncontrolledWork.Kind) {
    let task = runningTask >= 0 ? name(ofTask: runningTask) : nil
    uncontrolled[kind, default: UncontrolledWork(kind: kind, firstTask: task)].count += 1
  }

  /// Remembers that the running step asked for the main executor.
  func noteMainActor() {
    if createsOwnTask || mainActorStep == runningStep { return }
    mainActorStep = runningStep
    report(.mainActor)
  }

  /// Whether the main actor may have jobs of the run that no marker follows.
  ///
  /// Only the first job of a task is announced there, by a request for the main executor. A task
  /// that has suspended on the main actor returns to it without one, whatever resumes it. So after
  /// the first request, every job that has run here may have enqueued another one there.
  var mayHaveUnmarkedMainActorJobs: Bool {
    mainActorStep != nil && !isMainActorMarked && !isUnwinding
  }

  /// Makes the scheduler wait until the main actor has run the jobs that are enqueued there, and
  /// up to ``mainActorTurns`` further jobs of each of their tasks.
  ///
  /// The main executor is FIFO, so a marker runs after the jobs before it. Their tasks may not have
  /// ended: whenever a task that prefers this scheduler enters a function on the main actor or
  /// returns to one, the runtime enqueues it again, although it is on the main actor already. So
  /// the marker takes several turns as well.
  func markMainActor() {
    isMainActorMarked = true
    mainActorMarks += 1
    inbox.expect()
    createsOwnTask = true
    Self.enqueueMarker(turns: Self.mainActorTurns, for: inbox)
    createsOwnTask = false
  }

  /// The number of turns that a marker takes on the main actor.
  private static let mainActorTurns = 64

  private static func enqueueMarker(turns: Int, for inbox: Inbox) {
    Task { @MainActor in
      if turns > 1 { enqueueMarker(turns: turns - 1, for: inbox) } else { inbox.arrive() }
    }
  }

  /// Whether a run whose tasks have ended may still have work elsewhere.
  var mayWaitForOutside: Bool {
    if inbox.isBusy { return true }
    return !experience.waitedInVain && uncontrolled[.unstructuredTask] != nil
  }

  /// Accepts the jobs that other threads have enqueued.
  func absorbInbox() {
    let jobs = inbox.takeAll()
    guard !jobs.isEmpty else { return }
    leaveSteps()
    for job in jobs {
      var isHelper = false
      if layout.isReadable {
        let runtime = RuntimeJob(job: job)
        isHelper = runtime.kind == .task && helpers.elements.contains(runtime.taskKey)
        // The report names the task that another thread resumed.
        if runtime.kind == .task { runningTask = tasks.number(of: runtime.taskKey) }
      }
      if !isHelper {
        passRealTime()
        experience.hasForeign = true
        report(.otherThread)
      }
      runningTask = -1
      accept(job, fromHook: false)
    }
  }

  /// Waits until another thread enqueues a job, or a timeout passes.
  ///
  /// The timeout is ``outsideWait`` if announced work is outstanding. Otherwise:
  /// - before timers fire: 20 ms, if the program has had jobs from other threads. Virtual time must
  ///   not pass a deadline while another thread is about to enqueue a job. Programs without such
  ///   jobs do not wait, because every sleep would cost them 20 ms.
  /// - when a task waits: ``outsideWait``, or 2 ms after a first wait was in vain. Minimizing a
  ///   deadlock runs it thousands of times. No longer than the time limit of the task's wait.
  /// - after the last task: 100 ms for unstructured work, or none after a first wait was in vain.
  ///
  /// - Parameter beforeTimers: Whether a timer is pending.
  /// - Returns: Whether a job arrived.
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
      // libdispatch hands a queue on through threads of its own.
      let mayBeHandedOn = blocked.contains { $0.primitive == .futex }
      let isHopeless = experience.waitedInVain && !experience.hasForeign && !mayBeHandedOn
      let longest = min(outsideWait, nextTimeOut.map { $0 - now } ?? .max)
      limit = isHopeless ? min(longest, 2_000_000) : longest
    } else {
      limit = experience.waitedInVain ? 0 : min(outsideWait, 100_000_000)
    }
    let arrived = wait(nanoseconds: limit, isExpecting: isExpecting)
    if !arrived && !beforeTimers { experience.waitedInVain = true }
    return arrived
  }

  /// Waits until another thread enqueues a job or releases what a blocked job waits for.
  private func wait(nanoseconds limit: Int64, isExpecting: Bool) -> Bool {
    guard !blocked.isEmpty else { return inbox.wait(nanoseconds: limit, isExpecting: isExpecting) }
    let deadline = monotonicNanoseconds() + limit
    while monotonicNanoseconds() < deadline {
      if inbox.wait(nanoseconds: 1_000_000, isExpecting: isExpecting) { return true }
      if blocked.contains(where: { $0.mayContinue() }) {
        passRealTime()
        return true
      }
    }
    return false
  }
}
