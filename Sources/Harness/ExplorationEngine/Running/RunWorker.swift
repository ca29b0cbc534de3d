import Dispatch
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

  /// Runs an asynchronous body on the thread, and blocks until it has ended or was abandoned.
  ///
  /// - Returns: Why it failed, or `nil`.
  package func perform(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) -> String? {
    let ended = DispatchSemaphore(value: 0)
    let error = Mutex<String?>(nil)
    runTask {
      do {
        try await body()
      } catch let thrown {
        error.withLock { $0 = "threw \(type(of: thrown)): \(thrown)" }
      }
      ended.signal()
    }
    if ended.wait(timeout: .now() + limit.seconds) == .success { return error.withLock { $0 } }
    abandon()
    return "did not end within \(limit)"
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
