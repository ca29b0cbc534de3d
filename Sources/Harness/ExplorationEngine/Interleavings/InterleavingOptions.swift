/// How an exploration searches and when it ends.
public struct InterleavingOptions: Sendable {
  /// Equal seeds give equal searches.
  public var seed: UInt64 = 0
  /// The most schedules to run, minimisation apart; 0 runs only ``replay``.
  public var schedules = 10_000
  /// The most real time to search, minimisation apart.
  public var time: Duration = .seconds(30)
  /// What the tasks may share; a narrower declaration makes the search much smaller.
  public var sharing: SharedState = .anything
  /// The most steps of one schedule; a longer one is given up and the search is incomplete.
  public var steps = 10_000
  /// How long to wait, in real time, for work on other threads before a deadlock is reported.
  public var outsideWait: Duration = .seconds(1)
  /// A schedule from an earlier report, run before all others.
  public var replay: Schedule?
  /// Whether to leave out schedules that differ only in the order of independent steps.
  package var isReducing = true
  /// Whether to search on after the first failure, to count all outcomes.
  package var stopsAtFailure = true

  /// The default budget: 10,000 schedules or 30 seconds, nothing declared.
  public init() {}

  /// The default budget from a seed.
  ///
  /// - Parameters:
  ///   - seed: Equal seeds give equal searches.
  ///   - sharing: What the tasks may share.
  public init(seed: UInt64 = 0, sharing: SharedState = .anything) {
    self.seed = seed
    self.sharing = sharing
  }
}
