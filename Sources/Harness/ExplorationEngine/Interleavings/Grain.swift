/// How a run is cut into steps, and what its steps count as sharing.
enum Grain: String, Sendable {
  /// Every job is a step, jobs can come between tasks that wait for the same actor, and steps may
  /// share anything.
  case fine
  /// Steps share actors alone, and an actor serves all that wait for it in one step.
  case actors
  /// As with `actors`, and a task's code and the actor's turn that it leads to are one step where
  /// that makes no difference.
  case joined
}
