import Foundation

/// Passes the signals that would end this process on to its child, which ends in order; then this
/// process does.
enum SignalForwarding {
  // A signal handler can use neither locks nor tasks. Both are written in one step of the machine:
  // the child once, before which signals wait in `latest`, and `latest` by handlers alone.
  nonisolated(unsafe) private static var child: pid_t = 0
  nonisolated(unsafe) private static var latest: CInt = 0

  /// The last signal that came, if one did.
  static var received: CInt? { latest == 0 ? nil : latest }

  /// Keeps signals from ending this process from now on; to be called where the child is started.
  static func begin() {
    child = 0
    // A thread of a task may block every signal, and a child would inherit that (sigprocmask(2)).
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

  /// Names the child, which also gets what has come before.
  static func setChild(_ pid: pid_t) {
    child = pid
    if latest != 0 { kill(pid, latest) }
  }
}
