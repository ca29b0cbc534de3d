import ExplorationEngine
import LockStepExploration

extension ExplorationBenchmark {
  private static let seeds = 10
  /// The most runs of 50 commands to find a bug, and the most calls to shrink its example.
  private static let (runs, calls) = (200, 600)

  /// How many seeds found a bug, and how their examples ended.
  private struct Score {
    var found = 0
    var minimal = 0
    var calls = 0

    init() {}

    init?(_ fields: [String]) {
      let numbers = fields.dropFirst().compactMap(Int.init)
      guard numbers.count == 3 else { return nil }
      (found, minimal, calls) = (numbers[0], numbers[1], numbers[2])
    }

    mutating func add(_ other: Score) {
      found += other.found
      minimal += other.minimal
      calls += other.calls
    }

    var text: String { "\(found), \(minimal), \(calls / max(found, 1))" }
  }

  /// Prints how the examples of bugs in arguments, and of bugs in orders of commands, shrink.
  static func measureShrinking() async {
    title(
      "\(ValueCase.all.count + Scenario.countedCases.count) bugs, \(seeds) seeds each, at most "
        + "\(runs) runs of 50 commands to find a bug and \(calls) calls to shrink its example")
    print("(seeds that found it, seeds whose example is a smallest one, mean calls to shrink it)")
    var (ours, theirs) = (Score(), Score())
    var hasPeer = false
    func add(_ name: String, _ score: Score, _ peer: Peer?) {
      let other = peer?.next().flatMap(Score.init)
      ours.add(score)
      if let other { theirs.add(other) }
      hasPeer = hasPeer || other != nil
      row(name, score.text + (other.map { "; Hypothesis \($0.text)" } ?? ""))
    }

    // Both at once: the second script's tables wait in its pipe.
    let values = Peer("hypothesis_value_cases.py", seeds, runs * 50, calls)
    let commands = Peer("hypothesis_command_cases.py", seeds, runs, calls)
    for bug in ValueCase.all {
      let score = await score(bug) {
        ValueCase.Subject()
      } isMinimal: {
        $0.count == 1 && bug.isMinimal($0[0])
      }
      add(bug.name, score, values)
    }
    for bug in Scenario.countedCases {
      let fewest = bug.fewestCommands
      let score = await score(bug) {
        Scenario.Subject()
      } isMinimal: {
        $0.count == fewest
      }
      add(bug.name, score, commands)
    }
    row("all", ours.text + (hasPeer ? "; Hypothesis \(theirs.text)" : ""))
  }

  private static func score<Spec: SynchronousSpecification>(
    _ bug: Spec, makeSubject: @escaping @Sendable () -> Spec.Subject,
    isMinimal: ([Spec.Command]) -> Bool
  ) async -> Score {
    var score = Score()
    for seed in 1...seeds {
      let settings = ExplorationSettings(
        runs: runs, seed: UInt64(seed) * 1_000_003, shrinkCalls: calls)
      let report = await LockStep(bug, settings: settings, makeSubject: makeSubject).explore()
      guard let failure = report.failure else { continue }
      score.found += 1
      score.calls += failure.calls.shrinking
      if isMinimal(failure.commands) { score.minimal += 1 }
    }
    return score
  }
}
