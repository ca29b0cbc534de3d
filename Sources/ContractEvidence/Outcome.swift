/// How a case ended.
public enum Outcome: Hashable, Sendable {
  /// The clause held.
  case passed

  /// The clause did not hold, and nobody had said so.
  case failed

  /// The clause did not hold, as declared.
  case deviates(reason: String)

  /// The clause asks for a capability that the implementation says it lacks.
  case notApplicable(capability: String, reason: String)

  /// The implementation could not be made here: no evidence either way.
  case unavailable(reason: String)

  /// The process ended in the middle of the case, by this signal; 0 where the signal is not known.
  case crashed(signal: Int32)

  /// The case did not end within its limit, in seconds.
  case timedOut(seconds: Double)

  /// Whether the outcome fails the run.
  public var isFailure: Bool {
    switch self {
    case .failed, .crashed, .timedOut: true
    case .passed, .deviates, .notApplicable, .unavailable: false
    }
  }

  /// The outcome's word in journals.
  public var name: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .deviates: "deviates"
    case .notApplicable: "not-applicable"
    case .unavailable: "unavailable"
    case .crashed: "crashed"
    case .timedOut: "timed-out"
    }
  }

  /// One character for a matrix cell.
  public var symbol: Character {
    switch self {
    case .passed: "✓"
    case .failed: "✗"
    case .deviates: "≠"
    case .notApplicable: "·"
    case .unavailable: "?"
    case .crashed: "‼"
    case .timedOut: "∞"
    }
  }

  /// The reason that goes with the outcome, where there is one.
  public var reason: String? {
    switch self {
    case .passed, .failed: nil
    case .deviates(let reason), .unavailable(let reason): reason
    case .notApplicable(let capability, let reason): "lacks \(capability): \(reason)"
    case .crashed(0): "the process ended in the middle of the case"
    case .crashed(let signal): "ended by signal \(signal)"
    case .timedOut(let seconds): "did not end within \(seconds) s"
    }
  }

  /// How bad the outcome is, for choosing among several of one case; higher is worse.
  var severity: Int {
    switch self {
    case .passed: 0
    case .notApplicable: 1
    case .deviates: 2
    case .unavailable: 3
    case .failed: 4
    case .timedOut: 5
    case .crashed: 6
    }
  }
}

/// What kind of thing an implementation is.
public enum ImplementationKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// A working in-memory implementation, for tests.
  case fake

  /// An adapter over the real thing.
  case live

  /// Answers recorded from the real thing.
  case recorded
}
