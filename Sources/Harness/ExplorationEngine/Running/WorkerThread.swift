import Dispatch
import Foundation
import SystemLocks

/// A thread of its own that runs subjects, so that one that blocks stops nothing else.
///
/// Tasks that prefer it, and the default actors they call, run here and not on the cooperative
/// pool. The thread ends when it has been stopped and has nothing left to do; a job that arrives
/// later gets a new one, so that a task abandoned earlier can still end.
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

  /// Runs a closure on the thread, after what was added before.
  func run(_ body: @escaping @Sendable () -> Void) { add(.closure(body)) }

  /// Lets the thread end once it is idle.
  func stop() {
    state.withLock { $0.isStopped = true }
    arrivals.signal()
  }

  /// Whether the thread takes up new work within a time.
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
    if needsThread {
      let thread = Thread { self.work() }
      thread.name = "exploration"
      thread.stackSize = 8 << 20
      thread.start()
    }
    if isFirst { arrivals.signal() }
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

extension Duration {
  /// The duration in seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
