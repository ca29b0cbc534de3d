/// The state that the tasks of a program share, apart from the values that they return.
///
/// Steps that share no state need not be tried in both orders, so a narrower declaration makes a
/// search much smaller. A wrong declaration makes it miss orders.
public enum SharedState: Sendable, Hashable {
  /// Any state. Always sound.
  case anything
  /// State inside actors, in explored locks and atomics, and what the runtime keeps: streams,
  /// continuations, cancellation. No other locks, atomics or globals.
  case actorsOnly
}
