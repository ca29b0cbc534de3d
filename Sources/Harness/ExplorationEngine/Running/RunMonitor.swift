import Dispatch
import SystemLocks

import struct Synchronization.Atomic

/// How runs get on, as seen from another thread.
@usableFromInline
final class RunMonitor<Response: Sendable>: Sendable {
  /// What ended a loop of runs.
  @usableFromInline enum Ending: Sendable {
    /// All planned runs passed, or the loop was asked to stop.
    case done
    /// A run failed.
    case failed(RunFailure<Response>)
  }

  /// The runs that have begun, and the commands performed; the step of the run under way.
  @usableFromInline let begun = Atomic<Int>(0)
  @usableFromInline let calls = Atomic<Int>(0)
  @usableFromInline let step = Atomic<Int>(0)
  /// Whether the loop should end before its next run, and an asynchronous one before its next step.
  @usableFromInline let isStopped = Atomic<Bool>(false)

  /// Where the loop is, for a process that comes after this one.
  @usableFromInline let position: FlightPosition

  private let ending = Mutex<Ending?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  init(position: FlightPosition? = nil) { self.position = position ?? FlightPosition() }

  /// Says that the loop has ended; only the first call counts.
  @usableFromInline
  func end(_ new: Ending) {
    let isFirst = ending.withLock { ending in
      guard ending == nil else { return false }
      ending = new
      return true
    }
    if isFirst { ended.signal() }
  }

  /// Waits until the loop has ended, or a time has passed.
  func wait(_ time: Duration) -> Ending? {
    _ = ended.wait(timeout: .now() + time.seconds)
    return ending.withLock { $0 }
  }
}

/// Which command of a run failed, and how.
@usableFromInline
struct RunFailure<Response: Sendable>: Sendable {
  /// The run's number, from 0.
  @usableFromInline let run: Int
  /// The number of commands that had passed; it is the failing command's index.
  @usableFromInline let step: Int
  @usableFromInline let kind: LockStepFailureKind<Response>

  @usableFromInline
  init(run: Int, step: Int, kind: LockStepFailureKind<Response>) {
    self.run = run
    self.step = step
    self.kind = kind
  }
}
