@_exported public import HarnessSupport

/// The limits of an exploration, and the seeds of its runs.
///
/// The runs of an exploration of interleavings are schedules. It reads ``runs``, ``time``, ``seed``,
/// ``shard`` and, which no other exploration does, ``timers``, ``scheduleSteps``, ``outsideWait`` and
/// ``replay``. Its defaults are those of ``interleavings(seed:)``.
public struct ExplorationSettings: Sendable {
  /// The most runs. If ``time`` is set, the exploration ends at the first limit that it reaches.
  ///
  /// For interleavings, the most schedules, without those of minimization; 0 runs only ``replay``.
  public var runs: Int

  /// The most real time for the runs, without shrinking; `nil` for no limit.
  public var time: Duration?

  /// The seed of the first run. Each next run has the next seed.
  public var seed: UInt64

  /// The shard of this process; shards have different seeds.
  public var shard: Shard

  /// The number of commands of a run.
  public var steps: Int

  /// The timeout of a run. For interleavings, of the program's code between two points at which tasks can
  /// be preempted. Code of the specification has the same limit.
  ///
  /// Creating a subject is no part of a run, and may take 30 seconds, or as long as a run if that is longer. The
  /// subjects of interleavings and crashes have no such time of their own.
  public var runLimit: Duration

  /// The least timeout of creating a subject. The first one may have to wait for a server to start.
  package var leastSetUpLimit = Duration.seconds(30)

  /// The timeout of creating a subject.
  package var setUpLimit: Duration { max(runLimit, leastSetUpLimit) }

  /// The most bytes of memory that code without an end may take, in addition to what the process has.
  public var memoryLimit = 2 << 30

  /// The number of replays of a failure. It is deterministic if every replay fails.
  public var replays: Int

  /// The most commands to run on live subjects to shrink a failure.
  public var shrinkCalls: Int

  /// The most real time to shrink a failure.
  public var shrinkTime: Duration

  /// The way in which runs draw their commands.
  public var strategy: Choices.Strategy

  /// Whether runs have between an eighth of the commands and all: short runs reach states that long ones leave.
  package var variesSteps = false

  /// When timers fire.
  public var timers = TimerOrder.virtual

  /// The most steps of a schedule; a longer one is cut off, and the search is then not exhaustive.
  public var scheduleSteps = 10_000

  /// The real time to wait for work on other threads before a deadlock is reported.
  public var outsideWait = Duration.seconds(1)

  /// A schedule from an earlier report, which runs before the search.
  public var replay: Schedule?

  /// Whether to leave out schedules that differ only in the order of independent steps.
  package var isReducing = true

  /// What the exploration ignores, to show that its tests notice.
  package var leavesOut: Set<PreemptionPointKind> = []

  /// Whether the search ends at the first failure; otherwise it counts every outcome.
  package var stopsAtFailure = true

  /// Creates settings. The defaults suit a test: 1,000 runs of 50 commands from a random seed.
  public init(
    runs: Int = 1000, time: Duration? = nil, seed: UInt64 = .random(in: 0...0xffff_ffff),
    shard: Shard = .whole, steps: Int = 50, runLimit: Duration = .seconds(10),
    replays: Int = 3, shrinkCalls: Int = 600, shrinkTime: Duration = .seconds(30),
    strategy: Choices.Strategy = .mixed
  ) {
    self.runs = runs
    self.time = time
    self.seed = seed
    self.shard = shard
    self.steps = steps
    self.runLimit = runLimit
    self.replays = replays
    self.shrinkCalls = shrinkCalls
    self.shrinkTime = shrinkTime
    self.strategy = strategy
  }

  /// Returns settings for interleavings: at most 10,000 schedules, and at most 30 seconds.
  ///
  /// If that covers no drawn program of a specification, smaller ones are tried, each with a quarter of both, and the
  /// smallest for at least ten seconds.
  ///
  /// - Parameter seed: The seed of the search; equal seeds give equal searches.
  public static func interleavings(seed: UInt64 = 0) -> ExplorationSettings {
    ExplorationSettings(runs: 10_000, time: .seconds(30), seed: seed)
  }

  /// The most real time of the runs, or 30 years if there is no limit.
  package var timeOrNoLimit: Duration { time ?? .seconds(1_000_000_000) }

  /// The same settings with a seed that belongs to this shard only.
  package var ofOwnShard: ExplorationSettings {
    var settings = self
    settings.seed = firstSeedOfMany
    settings.shard = .whole
    return settings
  }

  /// The first of 2³² consecutive seeds that belong to this shard only.
  package var firstSeedOfMany: UInt64 {
    shard == .whole ? seed : seed &+ UInt64(shard.number - 1) << 32
  }

  /// The seed of a run. No other shard has the same seed.
  package func seed(ofRun run: Int) -> UInt64 { shard.seed(ofRun: run, from: seed) }
}

extension Shard {
  /// The seed of a run. No other shard has the same seed, whatever its base.
  package func seed(ofRun run: Int, from base: UInt64) -> UInt64 {
    let number = base &+ UInt64(truncatingIfNeeded: run)
    if count == 1 { return number }
    // Seeds of different shards differ modulo `count`. With 48 bits, the product cannot overflow.
    return (number & 0xffff_ffff_ffff) &* UInt64(count) &+ UInt64(self.number - 1)
  }
}
