/// What, beside suspension points, was met in the runs of a program and decides what a search
/// covers.
struct PreemptionPoints: Hashable, Sendable {
  /// Whether a task held an explored lock.
  var hasLocks = false
  /// Whether a task used a lock of the C library, before which it can be preempted.
  var hasSystemLocks = false
  /// Whether a task tried an explored lock. From then on, tasks are preempted while they hold one.
  var hasTryLocks = false
  /// Whether a task accessed an explored atomic.
  var hasAtomics = false
  /// Whether a task slept.
  var hasTimers = false
  /// Whether a timer was pending while a task could run.
  var hasLateTimers = false
  /// Whether a task waited for a clock without sleeping, so that the readings moved it.
  var hasClockLoops = false
  /// Whether a wait with a time limit ended only when no racing timer could fire any more.
  var hasLateTimeOuts = false
  /// Whether it is unknown which step cancelled a task whose timer could fire before.
  var hasUnknownCancellations = false
  /// Whether tasks have different priorities.
  var hasPriorities = false
  /// Whether an order may have been left out.
  var leaveOutOrders: Bool {
    missed > 0 || hasPriorities || hasUnknownCancellations || hasClockLoops || hasLateTimeOuts
  }
  /// The number of times that a task could not be preempted where another one could have been
  /// seen to go first.
  var missed = 0
}
