import SeededRandom

/// Runs whose commands are drawn from consecutive seeds.
///
/// Equal runs draw equal commands in every process, so a crash record and a request to another
/// process name them by this value and a number.
@usableFromInline
package struct SeededRuns: Sendable, Codable {
  /// The number of the first run.
  package private(set) var first = 0
  /// The number of the last run and 1.
  package var end: Int
  /// The seed of the first run.
  package var base: UInt64
  package var shardNumber: Int
  package var shardCount: Int
  package var strategy: Choices.Strategy
  /// The most commands of a run.
  package var steps: Int
  package var variesSteps: Bool
  /// The literals that the runs draw more often.
  package var literals: [Int64]

  package init(_ settings: ExplorationSettings, literals: [Int64]) {
    end = settings.runs
    base = settings.seed
    shardNumber = settings.shard.number
    shardCount = settings.shard.count
    strategy = settings.strategy
    steps = settings.steps
    variesSteps = settings.variesSteps
    self.literals = literals
  }

  /// One of the runs.
  package func only(_ run: Int) -> Self {
    var runs = self
    runs.first = run
    runs.end = run + 1
    return runs
  }

  package func seed(ofRun run: Int) -> UInt64 {
    (Shard(shardNumber, of: shardCount) ?? .whole).seed(ofRun: run, from: base)
  }

  /// The number of commands of a run.
  @usableFromInline
  package func steps(ofRun run: Int) -> Int {
    if isMonotonous(run) { return 6 * steps }
    guard variesSteps else { return steps }
    return max(steps >> Int(SplitMix64.mixed(seed(ofRun: run) ^ 0x73_7465_7073) & 3), 1)
  }

  /// Whether a run is long, and its commands are nearly all of one rule.
  ///
  /// Counters that wrap, buffers that grow and limits are reached so. Short runs come first, because what they find is
  /// shrunk with fewer calls. Where lengths vary, calls on a live side are dear, and long sequences take long to shrink.
  private func isMonotonous(_ run: Int) -> Bool {
    strategy == .mixed && !variesSteps && steps >= 16 && run > 64 && run % 32 == 31
  }

  /// Whether a run draws numbers that the model's state or responses contain.
  ///
  /// To find them takes longer than most commands, so of many runs, few do.
  private func seesModel(run: Int) -> Bool { run < 256 || run & 0x3ff == 0 }

  /// The choices of no run yet, for ``start(_:_:)``.
  @usableFromInline
  package func choices(isRecording: Bool = false) -> Choices {
    var choices = Choices(seed: 0, strategy: .uniform, isRecording: isRecording)
    choices.interesting.literals = literals
    return choices
  }

  /// Prepares choices for a run.
  @usableFromInline
  package func start(_ run: Int, _ choices: inout Choices) {
    choices.restart(seed: seed(ofRun: run), strategy: strategy)
    choices.seesModel = seesModel(run: run)
    // Not the seed itself, which decides on the draws. Each rule gets its turn.
    if isMonotonous(run) { choices.repeatedRule = UInt64(run / 32 - 2) }
  }
}
