/// The search's seed, its limits, and what the tasks share.
public struct InterleavingOptions: Sendable {
  /// The seed of the search; equal seeds give equal searches.
  public var seed: UInt64 = 0
  /// The most schedules to run, without those of minimisation; 0 runs only ``replay``.
  public var schedules = 10_000
  /// The most real time to search, without minimisation.
  public var time: Duration = .seconds(30)
  /// The state that the tasks share; a narrower declaration makes the search much smaller.
  public var sharing: SharedState = .anything
  /// When timers fire.
  public var timers: TimerOrder = .virtual
  /// The most steps of a schedule; a longer one is cut off, and the search is then not exhaustive.
  public var steps = 10_000
  /// The real time to wait for work on other threads before a deadlock is reported.
  public var outsideWait: Duration = .seconds(1)
  /// A schedule from an earlier report, which runs before the search.
  public var replay: Schedule?
  /// Whether to leave out schedules that differ only in the order of independent steps.
  package var isReducing = true
  /// What the exploration ignores, to show that its tests notice.
  var leavesOut: Set<PreemptionPoints.Kind> = []
  /// Whether the search ends at the first failure; otherwise it counts every outcome.
  package var stopsAtFailure = true

  /// Creates options with 10,000 schedules, 30 seconds, seed 0, and any state shared.
  public init() {}

  /// Creates options with 10,000 schedules and 30 seconds.
  ///
  /// - Parameters:
  ///   - seed: The seed of the search.
  ///   - sharing: The state that the tasks share.
  public init(seed: UInt64 = 0, sharing: SharedState = .anything) {
    self.seed = seed
    self.sharing = sharing
  }
}
