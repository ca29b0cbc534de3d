/// Work that ran outside the explored schedules, so that no search over them can be complete.
public struct UncontrolledWork: Sendable, Hashable, CustomStringConvertible {
  /// The way in which work got away.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A `Task {}` or a `Task.detached`: it runs on the explored thread, in fewer orders.
    case unstructuredTask
    /// A job for the main actor.
    case mainActor
    /// A task that prefers another executor.
    case otherExecutor
    /// A block handed to a dispatch queue, an operation queue or a timer.
    case dispatch
    /// Another thread, such as a dispatch queue's, that made a task go on.
    case otherThread
    /// Two runs of one schedule differed for a reason that was not seen.
    case unknown
  }

  /// The way in which the work got away.
  public let kind: Kind
  /// The task that ran when it was first seen, if any.
  public let firstTask: String?
  /// How often it was seen, over all schedules.
  public internal(set) var count = 0

  /// One line for a report.
  public var description: String {
    let origin = firstTask.map { ", first from task \($0)" } ?? ""
    let what =
      switch kind {
      case .unstructuredTask:
        "Task {} or Task.detached (runs on the explored thread, but not in every order; "
          + "a child task would)"
      case .mainActor: "work on the main actor"
      case .otherExecutor: "a task that prefers another executor"
      case .dispatch:
        "work handed to Dispatch (runs whenever its queue likes, perhaps after the check)"
      case .otherThread: "a task made to go on by another thread (Dispatch, a callback)"
      case .unknown: "a schedule that ran twice and differed (real time, randomness, a thread)"
      }
    return "\(what)\(origin), \(count)×"
  }
}
