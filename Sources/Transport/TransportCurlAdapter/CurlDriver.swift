import CCurl
import Foundation
import SystemLocks
import SystemThreads
import TransportPort

/// The thread-safe interface to the thread that drives all transfers of one transport.
///
/// libcurl allows only one thread at a time in a multi handle and its easy handles, so one thread,
/// the driver thread, runs ``CurlLoop`` and owns them. Callers post commands to a queue. If the
/// driver thread blocks in libcurl, the poster wakes it; otherwise the thread takes the command on
/// its next turn without a system call.
final class CurlDriver: Sendable {
  /// A request to the driver thread.
  enum Command: Sendable {
    case start(CurlTransfer)
    /// Continue reading and writing, because buffer space or content is available.
    case unpause(CurlTransfer)
    /// End a transfer because the caller cancelled it.
    case cancel(CurlTransfer)
    /// End a transfer because its upload failed.
    indirect case abort(CurlTransfer, TransportError)
    /// Run a job of a task that prefers this executor.
    case run(UnownedJob)
    case shutDown
  }

  private struct CommandQueue {
    var commands: [Command] = []
    /// Whether the driver thread blocks in libcurl, or is about to, and must be woken.
    var isWaiting = false
    /// The number of callers between their decision to wake the driver thread and the end of that
    /// call.
    var wakers = 0
    var isEnded = false
    var shutDownWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let queue = Mutex(CommandQueue())

  /// The multi handle.
  ///
  /// Other threads call only `curl_multi_wakeup` on it, which libcurl allows until
  /// `curl_multi_cleanup`; `end()` waits for such calls before the cleanup.
  nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
    guard Self.library == CURLE_OK, let multi = curl_multi_init() else {
      throw TransportError(
        .other, phase: .preparing, bytesSent: false, detail: "libcurl could not be initialized")
    }
    self.multi = multi
    do throws(TransportError) {
      try CurlOptions.probe(configuration)
    } catch {
      curl_multi_cleanup(multi)
      throw error
    }
    do {
      try SystemThread { CurlLoop(self, configuration).run() }.detach()
    } catch {
      curl_multi_cleanup(multi)
      throw TransportError(
        .other, phase: .preparing, bytesSent: false, code: Int(error.code),
        detail: "the system could not create a thread for the transport")
    }
  }

  /// The result of initializing libcurl, once per process.
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// Posts a command to the driver thread. Commands are carried out in FIFO order.
  ///
  /// - Returns: Whether the command will be carried out; `false` after the shutdown.
  @discardableResult
  func post(_ command: Command) -> Bool {
    let wakes = queue.withLock { queue -> Bool? in
      guard !queue.isEnded else { return nil }
      queue.commands.append(command)
      defer { queue.isWaiting = false }
      if queue.isWaiting { queue.wakers += 1 }
      return queue.isWaiting
    }
    if wakes == true {
      // Not under the lock: the driver thread takes the lock as soon as it is awake.
      curl_multi_wakeup(multi)
      queue.withLock { $0.wakers -= 1 }
    }
    return wakes != nil
  }

  /// Shuts the driver thread down and returns once it has ended all transfers.
  func shutDown() async {
    await withCheckedContinuation { continuation in
      let isEnded = queue.withLock { queue in
        if !queue.isEnded { queue.shutDownWaiters.append(continuation) }
        return queue.isEnded
      }
      if isEnded { continuation.resume() } else { post(.shutDown) }
    }
  }
}

// Tasks on the driver thread.
extension CurlDriver: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // After the shutdown, tasks that prefer this executor continue on the global one.
    if !post(.run(job)) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }
}

// The interface for the driver thread.
extension CurlDriver {
  /// Takes all commands and marks the driver thread as awake.
  ///
  /// - Parameter commands: Replaced by the commands; its memory is reused for the queue.
  func takeCommands(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    queue.withLock { queue in
      queue.isWaiting = false
      swap(&commands, &queue.commands)
    }
  }

  /// Whether the queue has a command.
  var hasCommands: Bool { queue.withLock { !$0.commands.isEmpty } }

  /// Returns whether the driver thread may block; if so, the next command wakes it.
  ///
  /// The check and the mark are one critical section. A command that is posted after it finds the
  /// mark and calls `curl_multi_wakeup`, which libcurl remembers even if the thread has not yet
  /// entered `curl_multi_poll`; so no wakeup is lost.
  func beginWaiting() -> Bool {
    queue.withLock { queue in
      queue.isWaiting = queue.commands.isEmpty
      return queue.isWaiting
    }
  }

  /// Closes the queue and waits until no caller is inside `curl_multi_wakeup`.
  ///
  /// - Returns: The remaining commands, and a function to call when the multi handle is cleaned up.
  func end() -> (commands: [Command], finish: () -> Void) {
    let (commands, waiters) = queue.withLock { queue in
      queue.isEnded = true
      defer { queue.commands = [] }
      return (queue.commands, queue.shutDownWaiters)
    }
    while queue.withLock({ $0.wakers > 0 }) { sched_yield() }
    return (commands, { for waiter in waiters { waiter.resume() } })
  }
}
