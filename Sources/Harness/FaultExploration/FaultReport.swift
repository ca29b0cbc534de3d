public import ExplorationEngine

/// The result of an exploration with faults.
public struct FaultReport<Spec: Specification>: Sendable {
  /// The seed of the first run.
  public let seed: UInt64
  /// The number of runs begun, without those that shrank a failure.
  public internal(set) var runs = 0
  /// The number of calls.
  public internal(set) var calls = 0
  /// The number of calls without an answer: they failed or took too long after a fault.
  public internal(set) var unanswered = 0
  /// How often each fault struck, by name.
  public internal(set) var strikes: [String: Int] = [:]
  /// The number of runs that could not be decided within the limits. They are not evidence.
  public internal(set) var undecided = 0
  /// Why the last of them was not.
  public internal(set) var undecidedReason: String?
  /// Faults of the specification that make the exploration wrong or weak.
  public internal(set) var health: [HealthIssue] = []
  /// The real time of the exploration.
  public internal(set) var duration: Duration = .zero
  /// The failure, if one was found. The exploration ends at the first.
  public internal(set) var failure: FaultFailure<Spec>?
  /// The number of stored examples that were replayed.
  public internal(set) var replayedExamples = 0
  /// The number of stored examples with other faults, another promise or more clients. They are not
  /// replayed.
  public internal(set) var foreignExamples = 0
  /// The stored examples that could not be replayed, with the reasons.
  public internal(set) var staleExamples: [(name: String, reason: String)] = []
  /// The path of the file in which the failure was saved.
  public internal(set) var savedExample: String?
  /// Messages about example files that could not be read or written.
  public internal(set) var storeProblems: [String] = []

  init(seed: UInt64) { self.seed = seed }

  /// Whether nothing was found, and the exploration could have found something.
  public var isClean: Bool {
    failure == nil && health.isEmpty && (undecided == 0 || undecided < runs)
      && staleExamples.isEmpty && storeProblems.isEmpty
  }
}

extension FaultReport: CustomStringConvertible {
  /// The amount that was run, in one line.
  package var summary: String {
    let faults = strikes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return "\(runs) runs, \(calls) calls of which \(unanswered) without an answer, faults: "
      + (faults.isEmpty ? "none" : faults.joined(separator: ", "))
      + (undecided > 0 ? ", \(undecided) runs undecided" : "")
      + (foreignExamples > 0
        ? ", \(foreignExamples) stored examples of other faults or promises not replayed" : "")
      + " in \(duration), first seed \(seed)"
  }

  public var description: String {
    var lines = [summary]
    if replayedExamples > 0 { lines.append("stored examples replayed first: \(replayedExamples)") }
    lines += staleExamples.map {
      "stale example \($0.name): \($0.reason); delete the file if it is obsolete"
    }
    lines += storeProblems.map { "example store: \($0)" }
    lines += health.map { "health: \($0)" }
    if let undecidedReason { lines.append("\(undecided) runs undecided: \(undecidedReason)") }
    if let failure { lines.append("\(failure)") }
    if let savedExample { lines += ["", "saved as \(savedExample)"] }
    return lines.joined(separator: "\n")
  }
}

/// Why a run failed otherwise than by breaking a promise.
public enum FaultProblem: Sendable, Hashable {
  /// A call threw before any fault.
  case threw(_ command: String, _ error: String)
  /// A call did not end before any fault.
  case noAnswer(_ command: String, after: Duration)
  /// A fault threw or did not end.
  case fault(_ name: String, _ problem: String)
  /// The subject could not be created or torn down.
  case subject(String)
}

extension FaultProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .threw(let command, let error): "\(command) \(error), and no fault had happened"
    case .noAnswer(let command, let time):
      "\(command) did not end within \(time), and no fault had happened"
    case .fault(let name, let problem): "the fault '\(name)' \(problem)"
    case .subject(let problem): problem
    }
  }
}

/// The smallest run found that breaks a promise, or failed.
public struct FaultFailure<Spec: Specification>: Sendable {
  /// The smallest calls and faults found that still fail when they run.
  public var steps: [FaultStep<Spec.Command, Spec.Subject>] { program.steps }
  /// Whether the steps fail one after the other. Otherwise they have to overlap.
  public var isSequential: Bool { program.isSequential }
  /// The promise that is broken, unless there is a ``problem``.
  public let promise: ConsistencyPromise
  /// Why the run failed, if it broke no promise.
  public internal(set) var problem: FaultProblem?
  /// The number of steps before shrinking.
  public let originalLength: Int
  /// The runs of the smallest steps, and how many of them failed.
  public internal(set) var replays = (runs: 0, failures: 0)
  /// The seed of the run.
  public let seed: UInt64
  /// The name of the stored example that failed; `nil` if a new run failed.
  public internal(set) var example: String?
  /// What the subject's servers printed in the smallest run.
  package let logs: [FaultLog]

  let program: FaultProgram<Spec>
  var history: FaultHistory<Spec.Command, Spec.Response>
  /// The part of the history that breaks the promise.
  var minimal: FaultHistory<Spec.Command, Spec.Response>?
  let specification: Spec
  var sourceArguments: String

  /// The number of calls of the smallest run, or of the part of its history that breaks the promise.
  public var callCount: Int {
    min(steps.count(where: \.isCall), minimal?.calls.operations.count ?? .max)
  }

  /// The number of faults that strike in the smallest run.
  public var faultCount: Int {
    steps.count { if case .fault = $0 { true } else { false } }
  }

  /// The largest number of calls of a history that is drawn as a whole.
  private static var drawnCalls: Int { 6 }

  /// A drawing of what happened: a row for each client, and one for the faults.
  ///
  /// Of more than six calls, it shows those that break the promise. Of fewer it also shows the others,
  /// such as one without an answer that had more effect than it may have.
  public var timeline: String {
    let isShort = history.calls.operations.count <= Self.drawnCalls
    return (isShort ? history : minimal ?? history).timeline
  }

  /// A Swift test that runs the steps, to paste into a test file.
  public var swiftTest: String {
    let lines = steps.map { step in
      switch step {
      case .call(let command, let client):
        "      .call(\(specification.source(ofCommand: command))"
          + (client == 0 ? ")," : ", by: \(client)),")
      case .fault(let fault): "      .fault(.\(fault.identifier)),"
      case .healing(let fault): "      .healing(.\(fault.identifier)),"
      }
    }
    let drawing = timeline.split(separator: "\n").map { "  // \($0)" }
    return """
      @Test func faultBreaksPromise() async throws {
      \(drawing.joined(separator: "\n"))
        try await \(isSequential ? "explore" : "exploreConcurrently")(
          \(sourceArguments), promising: .\(promise.rawValue),
          steps: [
      \(lines.joined(separator: "\n"))
          ])
      }
      """
  }
}

extension FaultFailure: CustomStringConvertible {
  public var description: String {
    var text = problem.map(\.description) ?? promise.violation
    let calls = steps.count(where: \.isCall)
    text +=
      ": \(calls) \(calls == 1 ? "call" : "calls") and \(faultCount) \(faultCount == 1 ? "fault" : "faults") "
    text += "of \(originalLength) steps, "
    text += isSequential ? "one after the other, " : "concurrent, "
    text += example.map { "stored example \($0)" } ?? "seed \(seed)"
    text += "; \(replays.failures) of \(replays.runs) replays failed\n"
    text += timeline + "\n\n" + swiftTest
    return text
  }
}

/// A text that a subject's server printed during a run.
package struct FaultLog: Sendable {
  /// The name of the file to attach.
  package let name: String
  package let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}

extension ConsistencyPromise {
  /// What is wrong with a run that breaks the promise.
  package var violation: String {
    switch self {
    case .linearizable: "not linearizable: no order of these calls gives the answers"
    case .sequentiallyConsistent:
      "not sequentially consistent: no order that keeps each client's gives the answers"
    case .acknowledgedWritesSurvive: "acknowledged writes do not survive"
    }
  }
}
