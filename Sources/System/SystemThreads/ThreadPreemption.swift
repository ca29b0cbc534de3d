#if os(Linux) && canImport(Glibc)
  import Glibc
#endif

/// Pauses the thread that created it in the middle of what it does, as the scheduler might.
///
/// A timer sends the thread a signal, whose handler sleeps. So the pause can begin between any two
/// instructions, also between the check and the action of code that needs a lock, and it lets other
/// threads run even on one core. The signal is SIGURG: its default action is to ignore it, and hardly
/// any program uses it. System calls of the thread are restarted, except those that POSIX excludes,
/// such as `poll` and `nanosleep`, which fail with `EINTR`.
///
/// Only Linux with glibc can send a timer's signal to one thread; elsewhere there is no preemption.
///
/// Source: timer_create(2), `SIGEV_THREAD_ID`; signal(7).
package struct ThreadPreemption: ~Copyable {
  #if os(Linux) && canImport(Glibc)
    private let timer: timer_t

    /// Whether the handler is installed; it is not if the program handles SIGURG itself.
    private static let isHandled: Bool = {
      // The C library's `signal` sets SA_RESTART.
      let previous = signal(SIGURG) { _ in
        let error = errno
        // The system adds about 50 µs.
        var pause = timespec(tv_sec: 0, tv_nsec: 10_000)
        nanosleep(&pause, nil)
        errno = error
      }
      guard let previous else { return true }
      signal(SIGURG, previous)
      return false
    }()

    /// The id of the calling thread. Swift does not see `gettid`, which glibc declares for
    /// `_GNU_SOURCE` only.
    private static let threadID: (@convention(c) () -> pid_t)? = dlsym(nil, "gettid").map {
      unsafeBitCast($0, to: (@convention(c) () -> pid_t).self)
    }

    /// Creates a timer for the calling thread, or returns `nil` if there can be none.
    package init?() {
      guard Self.isHandled, let threadID = Self.threadID else { return nil }
      var event = sigevent()
      event.sigev_signo = SIGURG
      // SIGEV_THREAD_ID of <bits/sigevent-consts.h>.
      event.sigev_notify = 4
      event._sigev_un._tid = threadID()
      var timer: timer_t?
      guard timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, let timer else { return nil }
      self.timer = timer
    }

    deinit { timer_delete(timer) }

    /// Pauses the thread once, after a time; an earlier setting is replaced.
    ///
    /// - Parameter nanoseconds: The time, from 1 to 999,999,999.
    package func pause(after nanoseconds: Int) {
      var time = itimerspec()
      time.it_value.tv_nsec = min(max(nanoseconds, 1), 999_999_999)
      timer_settime(timer, 0, &time, nil)
    }
  #else
    /// Returns `nil`.
    package init?() { return nil }

    /// Does nothing.
    package func pause(after nanoseconds: Int) {}
  #endif
}
