import CPlatform
import Foundation

/// A thread outside the cooperative pool, for code that blocks.
///
/// Call ``join()`` or ``detach()`` exactly once; otherwise the system keeps the ended thread's
/// resources.
///
/// Source: pthread_create(3).
package struct SystemThread: Sendable {
  /// The system has no resources for another thread.
  package struct Unavailable: Error {
    /// The error number that `pthread_create` returned.
    package var code: Int32
  }

  private let thread: platform_thread

  /// Starts a thread, which ends when `body` returns.
  ///
  /// - Parameters:
  ///   - stackSize: The stack's size in bytes; `nil` for the system's default.
  ///   - blocksBrokenPipe: Whether SIGPIPE is blocked on the thread. If it is, writing to a
  ///     connection that the peer has closed fails with `EPIPE`; otherwise the signal ends the
  ///     process.
  ///   - body: The function that the thread runs.
  /// - Throws: ``Unavailable`` if the thread cannot be created.
  package init(
    stackSize: Int? = nil, blocksBrokenPipe: Bool = true, _ body: @escaping @Sendable () -> Void
  ) throws(Unavailable) {
    let start = Unmanaged.passRetained(
      Start {
        if blocksBrokenPipe { Self.blockBrokenPipe() }
        body()
      })
    var thread = platform_thread()
    let code = platform_thread_start(&thread, stackSize ?? 0, Self.run, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw Unavailable(code: code)
    }
    self.thread = thread
  }

  /// Waits until the thread has ended. Call it from another thread.
  package func join() { platform_thread_join(thread) }

  /// Lets the system release the thread's resources when it ends.
  package func detach() { platform_thread_detach(thread) }

  /// Carries the thread's function through the C interface.
  private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    guard let argument = $0 else { return nil }
    Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }

  private static func blockBrokenPipe() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
