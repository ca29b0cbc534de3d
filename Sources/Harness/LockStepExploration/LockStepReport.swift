public import ExplorationEngine

/// The result of a lock-step exploration.
public struct LockStepReport<Spec: Specification>: Sendable {
  /// The seed of the first run. The same seed and settings give the same runs.
  public internal(set) var seed: UInt64

  /// The number of runs begun, without stored examples.
  public internal(set) var runs = 0

  /// The number of commands run on live subjects, including those to replay and shrink.
  public internal(set) var calls = 0

  /// The real time of the exploration.
  public internal(set) var duration: Duration = .zero

  /// The real time of the runs, without replays and shrinking.
  package internal(set) var searchTime: Duration = .zero

  /// The failure, if one was found. The exploration ends at the first.
  public internal(set) var failure: LockStepFailure<Spec>?

  /// Faults of the specification that make the exploration wrong or weak.
  public internal(set) var health: [HealthIssue] = []

  /// The number of stored examples that were replayed.
  public internal(set) var replayedExamples = 0

  /// The stored examples that could not be replayed, with the reasons.
  public internal(set) var staleExamples: [(name: String, reason: String)] = []

  /// The path of the file in which the failure was saved.
  public internal(set) var savedExample: String?

  /// Messages about example files that could not be read or written.
  public internal(set) var storeProblems: [String] = []

  init(seed: UInt64) { self.seed = seed }

  /// Whether the report has neither a failure nor a health issue nor a problem with a stored
  /// example.
  public var isClean: Bool {
    failure == nil && health.isEmpty && staleExamples.isEmpty && storeProblems.isEmpty
  }
}

extension LockStepReport: CustomStringConvertible {
  /// The amount that was run, in one line.
  package var summary: String {
    "\(runs) runs, \(calls) live calls in \(duration), first seed \(seed)"
  }

  public var description: String {
    var lines = [summary]
    if replayedExamples > 0 { lines.append("stored examples replayed first: \(replayedExamples)") }
    lines += health.map { "health: \($0)" }
    lines += staleExamples.map {
      "stale example \($0.name): \($0.reason); delete the file if it is obsolete"
    }
    lines += storeProblems.map { "example store: \($0)" }
    if let failure {
      lines += ["\(failure)", "", failure.swiftTest]
      if failure.isOfContract, let clause = failure.swiftClause {
        lines += ["", "as a clause of the contract:", clause]
      }
      if let savedExample { lines += ["", "saved as \(savedExample)"] }
    }
    return lines.joined(separator: "\n")
  }
}
