import Dispatch
import SystemLocks
import SystemThreads

/// An executor with a separate thread that runs subjects, so that a subject that blocks stops
/// nothing else.
///
/// Tasks that prefer it, and the default actors that they call, run on its thread instead of the
/// cooperative pool. The thread ends when it has been stopped and is idle. A job that arrives later
/// gets a new thread, so that an abandoned task can still end.
final class WorkerThread: TaskExecutor {
  private struct State {
    var jobs: [Job] = []
    var hasThread = false
    var isStopped = false
  }

  private enum Job: Sendable {
    case task(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) { add(.task(UnownedJob(job))) }

  /// Runs a closure on the thread, after the jobs that were added before.
  func run(_ body: @escaping @Sendable () -> Void) { add(.closure(body)) }

  /// Lets the thread end when it is idle.
  func stop() {
    state.withLock { $0.isStopped = true }
    arrivals.signal()
  }

  /// Whether the thread runs a new job within a timeout.
  func answers(within time: Duration) -> Bool {
    let answer = DispatchSemaphore(value: 0)
    run { answer.signal() }
    return answer.wait(timeout: .now() + time.seconds) == .success
  }

  private func add(_ job: Job) {
    let (isFirst, needsThread) = state.withLock { state in
      state.jobs.append(job)
      let needsThread = !state.hasThread
      state.hasThread = true
      return (state.jobs.count == 1, needsThread)
    }
    if needsThread { startThread() }
    if isFirst { arrivals.signal() }
  }

  private func startThread() {
    do {
      try SystemThread(stackSize: explorationStackSize, blocksBrokenPipe: false) { self.work() }
        .detach()
    } catch {
      // The next job tries again; until then the run's time limit reports that nothing answers.
      state.withLock { $0.hasThread = false }
    }
  }

  private func work() {
    while true {
      let (jobs, isOver) = state.withLock { state in
        let jobs = state.jobs
        state.jobs.removeAll()
        let isOver = jobs.isEmpty && state.isStopped
        if isOver { state.hasThread = false }
        return (jobs, isOver)
      }
      if isOver { return }
      if jobs.isEmpty { arrivals.wait() }
      for job in jobs {
        switch job {
        case .task(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .closure(let body): body()
        }
      }
    }
  }
}
