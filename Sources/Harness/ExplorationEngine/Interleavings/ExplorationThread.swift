import SystemLocks

/// Runs one function on a thread of its own, in the caller's task context.
///
/// The function may block for long; on a thread of the global executor that could take the last
/// thread from the very work it waits for. Task-local values of the caller reach it, because it
/// runs as a task that the caller makes. The function never suspends, so that task is one job and the
/// thread ends behind it.
func onExplorationThread<Value: Sendable>(
  _ body: @escaping @Sendable () -> Value
) async -> Value {
  let executor = ThreadExecutor()
  let task = Task(executorPreference: executor) { body() }
  // Where no thread is to be had, the caller's will do.
  if !startThread({ executor.runOne() }) { executor.runOne() }
  return await withTaskCancellationHandler {
    await task.value
  } onCancel: {
    task.cancel()
  }
}

/// Runs an async operation on the calling thread, and returns when it is over.
///
/// For threads that may block, such as the one that explores: it needs no other thread.
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

/// Runs jobs in order of arrival on whatever thread drains it; the queue is under the lock.
private final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
  private let monitor = Monitor()
  private var jobs: [UnownedJob] = []
  private var isStopped = false

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
