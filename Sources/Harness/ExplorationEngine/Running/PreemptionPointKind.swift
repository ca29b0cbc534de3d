/// What a test can make an exploration ignore.
package enum PreemptionPointKind: CaseIterable, Sendable {
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
