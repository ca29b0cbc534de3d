/// When the timers of a program fire.
public enum TimerOrder: Sendable, Hashable {
  /// In virtual time: when no task can run, in the order of their deadlines. A time-out is never
  /// early, as if work took no time.
  case virtual
  /// At any time and in any order, as if work, and the system, could take any time. Durations
  /// mean nothing then. This finds what depends on a timer that fires in the middle of work, and
  /// takes many more schedules.
  case racing
}
