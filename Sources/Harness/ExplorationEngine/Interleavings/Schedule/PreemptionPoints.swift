/// What, beside suspension points, was met in the runs of a program and decides what a search
/// covers.
struct PreemptionPoints: Hashable, Sendable {
  /// What a test can make an exploration ignore.
  enum Kind: CaseIterable, Sendable {
    /// That tasks that are created or woken may go first.
    case wakes
    /// That other tasks may arrive at an actor between a task's code and its own arrival.
    case arrivals
    /// That a `Task {}` is scheduled like others.
    case unstructuredTasks
    /// That tasks are preempted at explored locks and atomics.
    case locks
    /// That timers race.
    case timers
    /// That work which no schedule orders is no part of what was covered.
    case uncontrolledWork
  }

  /// Whether a task held an explored lock.
  var hasLocks = false
  /// Whether a task tried an explored lock. From then on, tasks are preempted while they hold one.
  var hasTryLocks = false
  /// Whether a task accessed an explored atomic.
  var hasAtomics = false
  /// Whether a task slept.
  var hasTimers = false
  /// Whether a timer was pending while a task could run.
  var hasLateTimers = false
  /// Whether it is unknown which step cancelled a task whose timer could fire before.
  var hasUnknownCancellations = false
  /// Whether tasks have different priorities.
  var hasPriorities = false
  /// Whether an order may have been left out.
  var leaveOutOrders: Bool { missed > 0 || hasPriorities || hasUnknownCancellations }
  /// The number of times that a task could not be preempted where another one could have been
  /// seen to go first.
  var missed = 0
}
