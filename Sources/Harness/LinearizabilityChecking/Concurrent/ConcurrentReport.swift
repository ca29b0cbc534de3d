public import ExplorationEngine

/// The result of a concurrent exploration.
public struct ConcurrentReport<Spec: Specification>: Sendable {
  /// The seed of the first run.
  public let seed: UInt64

  /// The number of runs begun.
  public internal(set) var runs = 0

  /// The number of commands run on live subjects.
  public internal(set) var calls = 0

  /// The number of calls that threw or did not return, so that they may have happened or not.
  public internal(set) var operationsPending = 0

  /// The number of runs whose history could not be decided within the limits. They are not
  /// evidence.
  public internal(set) var unknown = 0

  /// The limit that the last undecided run reached.
  public internal(set) var unknownReason: String?

  /// Faults of the specification that make the exploration wrong or weak.
  public internal(set) var health: [HealthIssue] = []

  /// The real time of the exploration.
  public internal(set) var duration: Duration = .zero

  /// The failure, if one was found. The exploration ends at the first.
  public internal(set) var failure: ConcurrentFailure<Spec>?

  init(seed: UInt64) { self.seed = seed }
}

extension ConcurrentReport: CustomStringConvertible {
  /// The amount that was run, in one line.
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

/// A run of several clients that a correct subject could not have produced.
public struct ConcurrentFailure<Spec: Specification>: Sendable {
  /// The kinds of failure.
  public enum Kind: Sendable {
    case notLinearizable(LinearizabilityViolation<Spec.Response>)
    /// The run timed out; it may be a deadlock.
    case timedOut(after: Duration)
    /// The subject could not be created or torn down.
    case subject(String)
  }

  /// The kind of failure.
  public let kind: Kind

  /// The recorded history.
  public let history: History<Spec.Command, Spec.Response>

  /// The smallest part found that is not linearizable, and that is so without its last response.
  /// Minimizing makes no live calls.
  public let minimal: History<Spec.Command, Spec.Response>?

  /// The seed of the commands. It does not determine the order in which the threads ran.
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

  /// A Swift test that checks the minimal history, to paste into a test file.
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
      @Test func recordedHistoryIsNotLinearizable() throws {
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
    case .timedOut(let time):
      return "the run timed out after \(time), seed \(seed):\n\(history.timeline)"
    case .notLinearizable:
      var text = "not linearizable: no order of these calls gives the responses, seed \(seed):\n"
      text += (minimal ?? history).timeline
      if let swiftTest { text += "\n\n" + swiftTest }
      return text
    }
  }
}
