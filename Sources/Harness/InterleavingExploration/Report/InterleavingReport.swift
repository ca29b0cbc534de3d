public import ExplorationEngine

/// The result of an exploration of interleavings.
public struct InterleavingReport: Sendable, CustomStringConvertible {
  /// What an exhaustive search covers, such as "every order at suspension points, in virtual
  /// time".
  ///
  /// A suspension point is where a task suspends, arrives at an actor, or ends. Where a task
  /// creates or wakes another, and where it touches a stream or cancellation, others may go first
  /// as well. Explored locks, locks of the C library and of Foundation, explored atomics and racing timers are
  /// named if the program has any, and so are the ``untriedLocks``. Other code is not preempted.
  public var coverage: String {
    var places = ["suspension points"]
    if points.hasLocks { places.append("explored locks") }
    if points.hasSystemLocks { places.append("locks of the C library") }
    if points.hasAtomics { places.append("sequentially consistent atomics") }
    let time = points.hasTimers && timers == .racing ? "with timers at any time" : "in virtual time"
    let exception =
      untriedLocks.isEmpty
      ? "" : ", but none between two uses of \(untriedLocks.map(\.description).formatted())"
    return "every order at \(places.formatted()), \(time)\(exception)"
  }
  /// The number of schedules that the search ran, without replays and minimization.
  public internal(set) var schedules = 0
  /// Whether the schedules cover what ``coverage`` says.
  ///
  /// It is never `true` if work ran outside the schedules, or if there are ``untriedLocks``.
  public internal(set) var isExhaustive = false
  /// The locks of the program between whose uses no other task was tried.
  public internal(set) var untriedLocks: [UntriedLock] = []
  /// Whether the schedules cover what ``coverage`` says, with its exception.
  var isSearchedToEnd = false
  /// The failure with its minimized schedule, or `nil`.
  public internal(set) var failure: InterleavingFailure?
  /// The work that no schedule could order.
  public internal(set) var uncontrolled: [UncontrolledWork] = []
  /// The number of schedules that were cut off because they took too many steps.
  public internal(set) var cutOff = 0
  /// Remarks about the search, such as a stale recorded schedule.
  public internal(set) var remarks: [String] = []
  /// The seed of the search.
  public internal(set) var seed: UInt64 = 0

  /// What was met beside suspension points, and when timers fired.
  var points = PreemptionPoints()
  var timers = TimerOrder.virtual

  /// The report as text.
  public var description: String {
    var lines: [String] = []
    if let failure {
      lines.append(failure.description)
    } else if isSearchedToEnd {
      lines.append("No failure in \(schedules) schedules, which cover \(coverage).")
    } else {
      lines.append(
        "No failure in \(schedules) schedules (seed \(seed)); the search is incomplete.")
    }
    if cutOff > 0 { lines.append("\(cutOff) schedules were cut off after too many steps.") }
    for work in uncontrolled { lines.append("Outside the schedules: \(work).") }
    lines += remarks
    return lines.joined(separator: "\n")
  }
}

extension [String] {
  /// The words as an enumeration with "and".
  fileprivate func formatted() -> String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
  }
}

/// A schedule under which a program fails.
public struct InterleavingFailure: Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Kind: Sendable, Hashable {
    /// A task or a check threw an error of this type.
    case error(type: String)
    /// A task waits, and no job is ready, no timer is pending, and no other thread resumed a task.
    case deadlock
    /// Code of the program did not return, or took too much memory. Its thread was left behind.
    case stopped
  }

  /// The kind of failure.
  public internal(set) var kind: Kind
  /// The error's description, or the tasks that wait.
  public internal(set) var message: String
  /// The error that was thrown, if any.
  public internal(set) var error: (any Error)?
  /// The name of the task that threw, or `check`.
  public internal(set) var task: String?
  /// The minimized schedule, which replays in any process.
  public internal(set) var schedule: Schedule = .firstInFirstOut
  /// The number of times that a task was preempted although it could continue.
  public internal(set) var preemptions = 0
  /// The steps as a table with a column for each task.
  public internal(set) var trace = ""
  /// The number of schedules that ran until the first failure.
  public internal(set) var foundAfter = 0
  /// The number of schedules that minimization ran.
  public internal(set) var minimizationRuns = 0
  /// The number of ``replays`` that failed in the same way; if it is smaller, the failure is flaky.
  public internal(set) var reproduced = 0
  /// The number of times that the minimized schedule ran again.
  public internal(set) var replays = 0

  /// The failure as text, with the trace and the expression that replays the schedule.
  public var description: String {
    var lines = [message]
    if let task { lines[0] = "\(task): \(message)" }
    lines.append(
      "found after \(foundAfter) schedules; minimized to \(preemptions) preemptions in "
        + "\(minimizationRuns) more schedules")
    if reproduced < replays {
      lines.append("flaky: the schedule failed in \(reproduced) of \(replays) replays")
    }
    lines.append(trace)
    lines.append("replay: try Schedule(\"\(schedule)\")")
    return lines.joined(separator: "\n")
  }
}
