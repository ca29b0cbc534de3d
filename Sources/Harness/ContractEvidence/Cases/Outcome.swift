import Foundation

/// How a case ended.
public enum Outcome: Hashable, Sendable {
  /// The clause held.
  case passed

  /// The clause did not hold, and nobody had said so.
  case failed

  /// The clause did not hold, as declared.
  case deviates(reason: String)

  /// The clause asks for a capability that the implementation lacks, or probes the absence of one
  /// that it has.
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
    case .notApplicable(_, let reason): reason
    case .crashed(0): "the process ended in the middle of the case"
    case .crashed(let signal): "ended by \(signalName(signal))"
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

/// The name of a signal (signal(7)), as `SIGSEGV`, with its number.
///
/// - Parameter signal: The signal's number on this system.
public func signalName(_ signal: Int32) -> String {
  let names: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL",
    SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
  ]
  return names[signal].map { "\($0) (signal \(signal))" } ?? "signal \(signal)"
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
