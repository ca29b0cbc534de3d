import SystemLocks

/// A worker thread and the task that it runs; replaced by another when it does not come back.
@usableFromInline
final class RunWorker: Sendable {
  private let thread = Mutex(WorkerThread())
  private let task = Mutex<Task<Void, Never>?>(nil)

  init() {}

  /// Runs a synchronous body on the thread.
  @usableFromInline
  func run(_ body: @escaping @Sendable () -> Void) {
    task.withLock { $0 = nil }
    thread.withLock { $0 }.run(body)
  }

  /// Runs an asynchronous body on the thread.
  @usableFromInline
  func runTask(_ body: @escaping @Sendable () async -> Void) {
    let executor = thread.withLock { $0 }
    let new = Task(executorPreference: executor) { await body() }
    task.withLock { $0 = new }
  }

  /// Cancels what is running, and takes another thread if this one is blocked.
  func abandon() {
    task.withLock { $0 }?.cancel()
    let old = thread.withLock { $0 }
    if old.answers(within: .milliseconds(20)) { return }
    old.stop()
    thread.withLock { $0 = WorkerThread() }
  }

  /// Lets the thread end.
  func stop() { thread.withLock { $0 }.stop() }
}
