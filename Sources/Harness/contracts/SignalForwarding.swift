import Foundation

/// Forwards SIGINT, SIGTERM and SIGHUP to the child process, so that it ends before this process.
enum SignalForwarding {
  // A signal handler can use neither locks nor tasks. Both variables are aligned 32-bit integers,
  // which the processor writes in one step. `child` is written once, by the thread that starts it;
  // `latest` is written only by the handlers.
  nonisolated(unsafe) private static var child: pid_t = 0
  nonisolated(unsafe) private static var latest: CInt = 0

  /// The last signal that was received.
  static var received: CInt? { latest == 0 ? nil : latest }

  /// Installs the handlers. Call this on the thread that starts the child, before it does.
  static func begin() {
    child = 0
    // The child inherits this thread's signal mask, and a thread of the task pool may block every
    // signal (sigprocmask(2)).
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        SignalForwarding.latest = number
        if SignalForwarding.child > 0 { kill(SignalForwarding.child, number) }
      }
    }
  }

  /// Sets the child's process id, and sends it a signal that arrived before.
  static func setChild(_ pid: pid_t) {
    child = pid
    if latest != 0 { kill(pid, latest) }
  }
}
