import Foundation
import SystemLocks
import SystemPlatform
import SystemThreads

/// The stack size in bytes of threads that run subjects: they may recurse deeply.
package let explorationStackSize = 8 << 20

/// Runs a blocking function on a separate thread, as a child of the calling task's context.
///
/// On a thread of the cooperative pool, the function could block the thread that the awaited work
/// needs. The function runs as a task that the caller creates, so it sees the caller's task-local
/// values and its cancellation. It never suspends, so that task is one job. The thread waits for the
/// next exploration: to start one takes longer than a few schedules.
package func onExplorationThread<Value: Sendable>(
  _ body: @escaping @Sendable () -> Value
) async -> Value {
  let executor = ExplorationThreads.take()
  let task = Task(executorPreference: executor) { body() }
  // Without another thread, the caller's has to do.
  if !executor.hasThread { executor.runOne() }
  let value = await withTaskCancellationHandler {
    await task.value
  } onCancel: {
    task.cancel()
  }
  ExplorationThreads.put(executor)
  return value
}

/// The threads that wait for an exploration, at most one for each processor.
enum ExplorationThreads {
  private static let most = ProcessInfo.processInfo.activeProcessorCount
  private static let idle = Mutex<[ThreadExecutor]>([])

  /// An executor for one exploration, with a thread if the system provides one.
  static func take() -> ThreadExecutor {
    if let executor = idle.withLock({ $0.popLast() }) { return executor }
    let executor = ThreadExecutor()
    do {
      try SystemThread(stackSize: explorationStackSize, blocksBrokenPipe: false) {
        ThreadSample.allow()
        executor.runUntilStopped()
      }.detach()
      executor.hasThread = true
    } catch {}
    return executor
  }

  static func put(_ executor: ThreadExecutor) {
    guard executor.hasThread else { return }
    let isOneTooMany = idle.withLock { idle in
      if idle.count < most { idle.append(executor) }
      return idle.last !== executor
    }
    if isOneTooMany { executor.stop() }
  }
}

/// Runs an async operation on the calling thread and returns when it has ended.
///
/// Call it only on a thread that may block, such as the exploration thread. It needs no other
/// thread.
package func runBlocking<Value: Sendable>(
  _ operation: @escaping @Sendable () async throws -> Value
) throws -> Value {
  let executor = ThreadExecutor()
  let outcome = Mutex<Result<Value, any Error>?>(nil)
  Task(executorPreference: executor) {
    let result: Result<Value, any Error>
    do { result = .success(try await operation()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    executor.stop()
  }
  executor.runUntilStopped()
  guard let outcome = outcome.withLock(\.self) else { throw CancellationError() }
  return try outcome.get()
}

/// Runs jobs in FIFO order on the thread that drains it.
///
/// Unchecked, and sound: the queue is accessed only under the monitor's lock, and ``hasThread`` only by
/// the exploration that has taken the executor.
final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
  private let monitor = Monitor()
  private var jobs: [UnownedJob] = []
  private var isStopped = false
  /// Whether a thread runs the jobs as they come.
  var hasThread = false

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    monitor.withLock {
      jobs.append(job)
      monitor.signal()
    }
  }

  func stop() {
    monitor.withLock {
      isStopped = true
      monitor.signal()
    }
  }

  func runOne() {
    let job = monitor.withLock { jobs.isEmpty ? nil : jobs.removeFirst() }
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }

  func runUntilStopped() {
    while true {
      let job: UnownedJob? = monitor.withLock {
        while jobs.isEmpty && !isStopped { monitor.wait(nanoseconds: nil) }
        return jobs.isEmpty ? nil : jobs.removeFirst()
      }
      guard let job else { return }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
