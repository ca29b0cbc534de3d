import Dispatch
public import ExplorationEngine
import SystemLocks

import struct Synchronization.Atomic

/// The progress of a loop of runs, which the loop writes and the watchdog thread reads.
@usableFromInline
final class RunMonitor<Response: Sendable>: Sendable {
  /// The reason for which a loop ended.
  @usableFromInline enum Ending: Sendable {
    /// The planned runs passed, or the loop was stopped.
    case done
    /// A run failed.
    case failed(RunFailure<Response>)
  }

  /// The number of runs that have begun.
  @usableFromInline let begun = Atomic<Int>(0)
  /// The number of commands performed.
  @usableFromInline let calls = Atomic<Int>(0)
  /// The current step of the current run; -1 while its subject is created.
  @usableFromInline let step = Atomic<Int>(-1)
  /// Whether the loop has to end before its next run. An asynchronous loop ends before its next
  /// step.
  @usableFromInline let isStopped = Atomic<Bool>(false)

  /// The loop's position in the crash record, for the next process.
  @usableFromInline let position: CrashPosition

  private let ending = Mutex<Ending?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  init(position: CrashPosition? = nil) { self.position = position ?? CrashPosition() }

  /// Records that the loop has ended. Calls after the first are ignored: a run that timed out may
  /// still end.
  @usableFromInline
  func end(_ new: Ending) {
    let isFirst = ending.withLock { ending in
      guard ending == nil else { return false }
      ending = new
      return true
    }
    if isFirst { ended.signal() }
  }

  /// Waits until the loop has ended.
  ///
  /// - Returns: `nil` after the timeout.
  func wait(_ time: Duration) -> Ending? {
    _ = ended.wait(timeout: .now() + time.seconds)
    return ending.withLock { $0 }
  }
}

/// The command of a run that failed, and the way in which it failed.
@usableFromInline
struct RunFailure<Response: Sendable>: Sendable {
  /// The run's number, from 0.
  @usableFromInline let run: Int
  /// The number of commands that had passed, which is the failing command's index.
  @usableFromInline let step: Int
  @usableFromInline let kind: LockStepFailureKind<Response>

  @usableFromInline
  init(run: Int, step: Int, kind: LockStepFailureKind<Response>) {
    self.run = run
    self.step = step
    self.kind = kind
  }
}
