/// What the tasks of a program may share, beside the values that they return.
///
/// Steps that share nothing need not be tried in both orders, so a narrower declaration makes a
/// search much smaller. A wrong one makes it miss interleavings.
public enum SharedState: Sendable, Hashable {
  /// Any state: locks, atomics, globals, streams, continuations, cancellation. Always right.
  case anything
  /// State inside actors, and nothing else.
  case actorsOnly
}
