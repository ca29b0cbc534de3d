import CCurl
import SystemLocks
import SystemThreads
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The door to the thread that drives all transfers of one transport.
final class CurlDriver: Sendable {
  /// What the thread is asked to do.
  enum Command: Sendable {
    case start(CurlTransfer)
    /// There is room or content again: go on reading and writing.
    case unpause(CurlTransfer)
    /// The caller gave up.
    case cancel(CurlTransfer)
    /// The upload failed.
    indirect case abort(CurlTransfer, TransportError)
    /// A step of a task that runs on the driver's thread.
    case run(UnownedJob)
    case shutDown
  }

  private struct Inbox {
    var commands: [Command] = []
    /// Whether the thread waits in libcurl and must be woken.
    var isWaiting = false
    /// How many callers are about to wake the thread.
    var wakers = 0
    var isEnded = false
    var shutDownWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let inbox = Mutex(Inbox())

  /// The multi handle. Only `curl_multi_wakeup` is called off the driver's thread, which libcurl
  /// allows at any time before the cleanup, and `end` waits for whoever is about to.
  nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
    guard Self.library == CURLE_OK, let multi = curl_multi_init() else {
      throw TransportError(
        .other, phase: .preparing, bytesSent: false, detail: "libcurl cannot be set up")
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
        detail: "the system has no thread for the transport")
    }
  }

  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// Hands a command to the thread.
  ///
  /// - Returns: Whether the thread will see it; not so after the shutdown.
  @discardableResult
  func post(_ command: Command) -> Bool {
    let (isTaken, wakes) = inbox.withLock { inbox in
      guard !inbox.isEnded else { return (false, false) }
      inbox.commands.append(command)
      defer { inbox.isWaiting = false }
      if inbox.isWaiting { inbox.wakers += 1 }
      return (true, inbox.isWaiting)
    }
    if wakes {
      // Not under the lock, for which the thread would have to wait as soon as it is awake.
      curl_multi_wakeup(multi)
      inbox.withLock { $0.wakers -= 1 }
    }
    return isTaken
  }

  /// Ends the thread and waits for its end.
  func shutDown() async {
    await withCheckedContinuation { continuation in
      let isEnded = inbox.withLock { inbox in
        if !inbox.isEnded { inbox.shutDownWaiters.append(continuation) }
        return inbox.isEnded
      }
      if isEnded { continuation.resume() } else { post(.shutDown) }
    }
  }
}

// Tasks on the driver's thread.
extension CurlDriver: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Once the thread is gone, tasks that were promised it go on elsewhere.
    if !post(.run(job)) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }
}

// The thread's side.
extension CurlDriver {
  /// Takes all commands; after this the thread is awake.
  ///
  /// - Parameter commands: Where they go, instead of what is there.
  func takeCommands(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    inbox.withLock { inbox in
      inbox.isWaiting = false
      swap(&commands, &inbox.commands)
    }
  }

  /// Whether there is a command to take.
  var hasCommands: Bool { inbox.withLock { !$0.commands.isEmpty } }

  /// Whether the thread may wait; from then on each command wakes it.
  func beginWaiting() -> Bool {
    inbox.withLock { inbox in
      inbox.isWaiting = inbox.commands.isEmpty
      return inbox.isWaiting
    }
  }

  /// Takes no more commands; returns when nobody will wake the thread any more.
  ///
  /// - Returns: Those that came last, and what to call when all is done.
  func end() -> (commands: [Command], finish: () -> Void) {
    let (commands, waiters) = inbox.withLock { inbox in
      inbox.isEnded = true
      defer {
        inbox.commands = []
        inbox.shutDownWaiters = []
      }
      return (inbox.commands, inbox.shutDownWaiters)
    }
    while inbox.withLock({ $0.wakers > 0 }) { sched_yield() }
    return (commands, { for waiter in waiters { waiter.resume() } })
  }
}
