import CCurl
import ContractLocks
import Threads
import TransportPort

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
    case abort(CurlTransfer, TransportError)
    case shutDown
  }

  private struct Inbox {
    var commands: [Command] = []
    /// Whether the thread waits in libcurl and must be woken.
    var isWaiting = false
    var isEnded = false
    var shutDownWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let inbox = Mutex(Inbox())

  /// The multi handle. Only `curl_multi_wakeup` is called off the driver's thread, which libcurl
  /// allows at any time before the cleanup, and the inbox's lock keeps it before.
  nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
    guard Self.library == CURLE_OK, let multi = curl_multi_init() else {
      throw TransportError(
        .other, phase: .preparing, bytesSent: false, detail: "libcurl cannot be set up")
    }
    self.multi = multi
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
    inbox.withLock { inbox in
      guard !inbox.isEnded else { return false }
      inbox.commands.append(command)
      if inbox.isWaiting {
        inbox.isWaiting = false
        curl_multi_wakeup(multi)
      }
      return true
    }
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

// The thread's side.
extension CurlDriver {
  /// Takes all commands; after this the thread is awake.
  func takeCommands() -> [Command] {
    inbox.withLock { inbox in
      inbox.isWaiting = false
      guard !inbox.commands.isEmpty else { return [] }
      defer { inbox.commands.removeAll(keepingCapacity: true) }
      return inbox.commands
    }
  }

  /// Whether the thread may wait; from then on each command wakes it.
  func beginWaiting() -> Bool {
    inbox.withLock { inbox in
      inbox.isWaiting = inbox.commands.isEmpty
      return inbox.isWaiting
    }
  }

  /// Takes no more commands.
  ///
  /// - Returns: Those that came last, and what to call when all is done.
  func end() -> (commands: [Command], finish: () -> Void) {
    inbox.withLock { inbox in
      inbox.isEnded = true
      defer {
        inbox.commands = []
        inbox.shutDownWaiters = []
      }
      let waiters = inbox.shutDownWaiters
      return (inbox.commands, { for waiter in waiters { waiter.resume() } })
    }
  }
}
