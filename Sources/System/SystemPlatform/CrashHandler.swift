import CPlatform
import Foundation

/// Calls a function on the crashing thread before the process ends by a trap or a memory error.
///
/// The crash then takes its course: the handler that was installed before, such as the one of
/// Swift's backtraces, is called with the same signal. The function may not run if memory is
/// corrupt.
package enum CrashHandler {
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]

  // Set once, before a signal can be handled.
  nonisolated(unsafe) private static var body: @convention(c) () -> Void = {}
  /// The earlier handlers, by signal.
  nonisolated(unsafe) private static let earlier = UnsafeMutablePointer<sigaction>.allocate(
    capacity: 64)

  /// Installs the function; the process has only one.
  package static func install(_ body: @escaping @convention(c) () -> Void) {
    self.body = body
    for signal in signals {
      earlier[Int(signal)] = sigaction()
      var action = sigaction()
      platform_set_handler(&action) { signal in
        // First, so that a crash in here ends the process, and so that the instruction that is
        // repeated on return crashes as it would have.
        sigaction(signal, &CrashHandler.earlier[Int(signal)], nil)
        CrashHandler.body()
      }
      action.sa_flags = Int32(SA_ONSTACK)
      sigaction(signal, &action, earlier + Int(signal))
    }
  }
}

/// Writes text to standard error without a lock or a buffer.
package func writeToStandardError(_ text: String) {
  var text = text
  text.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}
