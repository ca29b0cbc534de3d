/// How long, how far and from which seeds to explore.
public struct ExplorationSettings: Sendable {
  /// The most runs; with ``time`` set, whichever ends first.
  public var runs: Int

  /// The most wall time for running, not counting the shrinking of a failure; `nil` for no limit.
  public var time: Duration?

  /// The seed of the first run; the next runs count up from it.
  public var seed: UInt64

  /// Which part of the seeds this process takes.
  public var shard: ExplorationShard

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
    shard: ExplorationShard = .whole, steps: Int = 50, runLimit: Duration = .seconds(10),
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
    shard == .whole ? seed : seed &+ UInt64(shard.index - 1) << 32
  }

  /// The seed of a run; no two shards share one.
  func seed(ofRun run: Int) -> UInt64 { shard.seed(ofRun: run, from: seed) }
}

/// One of several processes that share the seeds.
public struct ExplorationShard: Sendable, Hashable {
  /// All seeds in one process.
  public static let whole = ExplorationShard(index: 1, count: 1)

  /// From 1 to `count`.
  public let index: Int
  /// The number of processes, at most 65,536.
  public let count: Int

  private init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }

  /// A part of the seeds.
  ///
  /// - Returns: `nil` unless 1 ≤ `index` ≤ `count` ≤ 65,536.
  public init?(_ index: Int, of count: Int) {
    guard count <= 65_536, 1...max(count, 1) ~= index else { return nil }
    self.init(index: index, count: count)
  }

  @usableFromInline
  func seed(ofRun run: Int, from base: UInt64) -> UInt64 {
    let number = base &+ UInt64(truncatingIfNeeded: run)
    if count == 1 { return number }
    // Seeds of different shards differ in their remainder; 48 bits leave room for the factor.
    return (number & 0xffff_ffff_ffff) &* UInt64(count) &+ UInt64(index - 1)
  }
}
