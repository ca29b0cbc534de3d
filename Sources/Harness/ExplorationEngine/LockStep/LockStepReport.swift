/// What a lock-step exploration did and found.
public struct LockStepReport<Spec: Specification>: Sendable {
  /// The seed of the first run; with it and the same settings everything repeats.
  public let seed: UInt64

  /// The runs begun, stored examples not included.
  public internal(set) var runs = 0

  /// All commands run on live subjects: exploring, repeating and shrinking.
  public internal(set) var calls = 0

  /// The wall time of it all.
  public internal(set) var duration: Duration = .zero

  /// The failure, if one was found; exploration stops at the first.
  public internal(set) var failure: LockStepFailure<Spec>?

  /// What is wrong with the specification or makes the exploration weaker than it looks.
  public internal(set) var health: [HealthIssue] = []

  /// The stored examples that were run.
  public internal(set) var replayedExamples = 0

  /// The stored examples that could not be run, and why; only a person may drop them.
  public internal(set) var staleExamples: [(name: String, reason: String)] = []

  /// The file that the failure was saved in.
  public internal(set) var savedExample: String?

  /// Examples that could not be read or written.
  public internal(set) var storeProblems: [String] = []

  init(seed: UInt64) { self.seed = seed }

  /// Whether nothing was found and nothing is wrong.
  public var isClean: Bool {
    failure == nil && health.isEmpty && staleExamples.isEmpty && storeProblems.isEmpty
  }
}

extension LockStepReport: CustomStringConvertible {
  /// How much was run, in a line.
  package var summary: String {
    "\(runs) runs, \(calls) live calls in \(duration), first seed \(seed)"
  }

  public var description: String {
    var lines = [summary]
    if replayedExamples > 0 { lines.append("\(replayedExamples) stored examples replayed first") }
    lines += health.map { "health: \($0)" }
    lines += staleExamples.map {
      "stale example \($0.name): \($0.reason); delete the file if it has served its purpose"
    }
    lines += storeProblems.map { "example store: \($0)" }
    if let failure {
      lines += ["\(failure)", "", failure.swiftTest]
      if let savedExample { lines += ["", "saved as \(savedExample)"] }
    }
    return lines.joined(separator: "\n")
  }
}
