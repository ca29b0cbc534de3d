import SystemLocks

/// A worker thread with the task that it runs. A thread that blocks is replaced.
@usableFromInline
package final class RunWorker: Sendable {
  private let thread = Mutex(WorkerThread())
  private let task = Mutex<Task<Void, Never>?>(nil)

  package init() {}

  /// Runs a synchronous body on the thread.
  @usableFromInline
  package func run(_ body: @escaping @Sendable () -> Void) {
    task.withLock { $0 = nil }
    thread.withLock { $0 }.run(body)
  }

  /// Runs an asynchronous body on the thread.
  @usableFromInline
  package func runTask(_ body: @escaping @Sendable () async -> Void) {
    let executor = thread.withLock { $0 }
    let new = Task(executorPreference: executor) { await body() }
    task.withLock { $0 = new }
  }

  /// Cancels the task, and replaces the thread if it does not respond within 20 ms.
  package func abandon() {
    task.withLock { $0 }?.cancel()
    let old = thread.withLock { $0 }
    if old.answers(within: .milliseconds(20)) { return }
    old.stop()
    thread.withLock { $0 = WorkerThread() }
  }

  /// Lets the thread end when it is idle.
  package func stop() { thread.withLock { $0 }.stop() }
}
