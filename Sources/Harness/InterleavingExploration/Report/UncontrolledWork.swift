/// Work that no explored schedule can order, so a search that saw it is never exhaustive.
public struct UncontrolledWork: Sendable, Hashable, CustomStringConvertible {
  /// The way in which the work left the scheduler's control.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A `Task {}` or `Task.detached`, where calls of the runtime cannot be seen. It runs on the
    /// exploration thread, but not in every order.
    case unstructuredTask
    /// A `Task.immediate`. It may go on on another thread after it first suspends.
    case immediateTask
    /// A job on the main actor.
    case mainActor
    /// A task that prefers another executor, or an actor with an executor of its own. What runs
    /// there is not waited for, unless another task waits for it.
    case otherExecutor
    /// A block submitted to a dispatch queue, an operation queue or a timer.
    case dispatch
    /// Another thread, such as a dispatch queue's, resumed a task.
    case otherThread
    /// A new thread.
    case thread
    /// Random bytes from the system.
    case randomness
    /// Two runs of one schedule differed for a reason that was not detected.
    case unknown
  }

  /// The way in which the work left the scheduler's control.
  public let kind: Kind
  /// The name of the task that was running when the work was first seen, if any.
  public let firstTask: String?
  /// The number of times that the work was seen, in all schedules together.
  public internal(set) var count = 0

  /// The work in one line, for a report.
  public var description: String {
    let origin = firstTask.map { ", first from task \($0)" } ?? ""
    let what =
      switch kind {
      case .unstructuredTask:
        "Task {} or Task.detached (not run in every order; use a child task)"
      case .immediateTask:
        "Task.immediate (goes on on another thread after it suspends; use Task {})"
      case .mainActor:
        "a job on the main actor (no schedule orders it; exploreConcurrently explores such subjects)"
      case .otherExecutor:
        "a job on a task executor, or on an actor's own executor (may run at any time, even after "
          + "the check)"
      case .dispatch:
        "a block submitted to Dispatch (may run at any time, even after the check)"
      case .otherThread: "a task resumed by another thread (Dispatch, a callback)"
      case .thread: "a new thread (may run at any time, even after the check)"
      case .randomness:
        "random bytes from the system (inject a generator with a seed, and explore several seeds)"
      case .unknown:
        "a schedule that gave different results in two runs (real time, randomness, the order of "
          + "a Set or Dictionary, a thread)"
      }
    return "\(what)\(origin), \(count)×"
  }
}
