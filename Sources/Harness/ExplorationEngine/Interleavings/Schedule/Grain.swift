/// How a run is divided into steps, and which state its steps count as sharing.
///
/// A schedule records the grain, because the numbers of its decisions depend on it.
enum Grain: String, Sendable {
  /// Every job is a step, other jobs can run between two tasks that wait for the same actor, and
  /// steps may share any state.
  case fine
  /// Steps share state only in actors, and an actor runs one waiting task in each step.
  case turns
  /// As `turns`, but an actor runs all tasks that wait for it in one step, where that loses no
  /// order.
  case actors
  /// As `actors`. In addition, a task's code and the actor's turn that it leads to are one step,
  /// where that loses no order.
  case joined
}
