@_exported public import HarnessSupport

/// How long, how far and from which seeds to explore.
public struct ExplorationSettings: Sendable {
  /// The most runs; with ``time`` set, whichever ends first.
  public var runs: Int

  /// The most wall time for running, not counting the shrinking of a failure; `nil` for no limit.
  public var time: Duration?

  /// The seed of the first run; the next runs count up from it.
  public var seed: UInt64

  /// Which part of the seeds this process takes.
  public var shard: Shard

  /// The commands of a run.
  public var steps: Int

  /// The wall time after which a run counts as hung.
  public var runLimit: Duration

  /// How often a failure is repeated before it is called deterministic.
  public var replays: Int

  /// The most commands run on live subjects to shrink a failure.
  public var shrinkCalls: Int

  /// The most wall time to shrink a failure.
  public var shrinkTime: Duration

  /// How runs draw their commands.
  public var strategy: Choices.Strategy

  /// Settings that suit a test: a thousand runs of 50 commands from a random seed.
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

  /// The first of as many seeds in a row as one may need; no two shards share one.
  package var firstSeedOfMany: UInt64 {
    shard == .whole ? seed : seed &+ UInt64(shard.number - 1) << 32
  }

  /// The seed of a run; no two shards share one.
  func seed(ofRun run: Int) -> UInt64 { shard.seed(ofRun: run, from: seed) }
}

extension Shard {
  /// The seed of a run; no two shards share one.
  @usableFromInline
  func seed(ofRun run: Int, from base: UInt64) -> UInt64 {
    let number = base &+ UInt64(truncatingIfNeeded: run)
    if count == 1 { return number }
    // Seeds of different shards differ in their remainder; 48 bits leave room for the factor.
    return (number & 0xffff_ffff_ffff) &* UInt64(count) &+ UInt64(self.number - 1)
  }
}
