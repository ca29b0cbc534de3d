/// What a concurrent exploration did and found.
public struct ConcurrentReport<Spec: Specification>: Sendable {
  /// The seed of the first run.
  public let seed: UInt64

  /// The runs begun.
  public internal(set) var runs = 0

  /// The commands run on live subjects.
  public internal(set) var calls = 0

  /// The calls that threw or did not return, and so may have happened or not.
  public internal(set) var operationsPending = 0

  /// The runs whose history could not be decided within the limits: they are no evidence.
  public internal(set) var unknown = 0

  /// Why the last of them could not.
  public internal(set) var unknownReason: String?

  /// What is wrong with the specification or makes the exploration weaker than it looks.
  public internal(set) var health: [HealthIssue] = []

  /// The wall time of it all.
  public internal(set) var duration: Duration = .zero

  /// The failure, if one was found; exploration stops at the first.
  public internal(set) var failure: ConcurrentFailure<Spec>?

  init(seed: UInt64) { self.seed = seed }
}

extension ConcurrentReport: CustomStringConvertible {
  /// How much was run, in a line.
  package var summary: String {
    "\(runs) runs, \(calls) live calls in \(duration), first seed \(seed)"
  }

  public var description: String {
    var lines = [summary]
    lines += health.map { "health: \($0)" }
    if operationsPending > 0 { lines.append("\(operationsPending) calls threw or did not return") }
    if let unknownReason { lines.append("\(unknown) runs undecided: \(unknownReason)") }
    if let failure { lines.append("\(failure)") }
    return lines.joined(separator: "\n")
  }
}

/// A run of several clients that no correct subject could have given.
public struct ConcurrentFailure<Spec: Specification>: Sendable {
  /// What went wrong.
  public enum Kind: Sendable {
    case notLinearizable(LinearizabilityViolation<Spec.Response>)
    /// Some client did not come back in time; it may be a deadlock.
    case hung(after: Duration)
    /// The subject could not be made or torn down.
    case subject(String)
  }

  /// What went wrong.
  public let kind: Kind

  /// All that was recorded.
  public let history: History<Spec.Command, Spec.Response>

  /// The smallest part found that is impossible; made without live calls.
  public let minimal: History<Spec.Command, Spec.Response>?

  /// The seed of the commands; the order in which threads ran is not repeatable.
  public let seed: UInt64

  let specification: Spec

  init(
    _ specification: Spec, _ kind: Kind, _ history: History<Spec.Command, Spec.Response>,
    minimal: History<Spec.Command, Spec.Response>?, seed: UInt64
  ) {
    self.specification = specification
    self.kind = kind
    self.history = history
    self.minimal = minimal
    self.seed = seed
  }

  /// A Swift test that shows the minimal history to be impossible, ready to be pasted.
  public var swiftTest: String? {
    guard let minimal else { return nil }
    let type = specification.typeName
    let lines = minimal.operations.map { operation in
      let command = specification.source(ofCommand: operation.command)
      let start = "    .init(client: \(operation.client), \(command), from: \(operation.call)"
      guard case .returned(let response, let end) = operation.outcome else { return start + ")," }
      return start + ", to: \(end), returning: \(specification.source(ofResponse: response))),"
    }
    let drawing = minimal.timeline.split(separator: "\n").map { "  // \($0)" }
    return """
      @Test func recordedHistoryIsImpossible() throws {
      \(drawing.joined(separator: "\n"))
        let history = try History<\(type).Command, \(type).Response>([
      \(lines.joined(separator: "\n"))
        ])
        let result = LinearizabilityChecker(\(specification.source)).check(history)
        guard case .notLinearizable = result else {
          Issue.record("\\(result)")
          return
        }
      }
      """
  }
}

extension ConcurrentFailure: CustomStringConvertible {
  public var description: String {
    switch kind {
    case .subject(let problem): return problem
    case .hung(let time):
      return "some client did not come back within \(time), seed \(seed):\n\(history.timeline)"
    case .notLinearizable:
      var text = "no order of these calls explains the responses, seed \(seed):\n"
      text += (minimal ?? history).timeline
      if let swiftTest { text += "\n\n" + swiftTest }
      return text
    }
  }
}
