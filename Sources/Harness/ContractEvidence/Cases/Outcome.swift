import Foundation

/// How a case ended.
public enum Outcome: Hashable, Sendable {
  /// The clause held.
  case passed

  /// The clause did not hold, and no deviation declares that.
  case failed

  /// The clause did not hold, as a deviation declares.
  case deviates(reason: String)

  /// The clause requires a capability that the implementation lacks, or it checks the absence of a
  /// capability that the implementation has.
  case notApplicable(capability: String, reason: String)

  /// The implementation can't be created on this machine, so there is no evidence either way.
  case unavailable(reason: String)

  /// A signal ended the process during the case; 0 if the signal is not known.
  case crashed(signal: Int32)

  /// The case exceeded its time limit, given in seconds.
  case timedOut(seconds: Double)

  /// The clause held and failed on one commit: in several runs, or in one that tried the case again.
  case flaky(reason: String)

  /// The case was left out of the run, so there is no evidence either way.
  case notRun(reason: String)

  /// Whether the clause held.
  public var holds: Bool { self == .passed }

  /// Whether the outcome fails the run.
  public var isFailure: Bool {
    switch self {
    case .failed, .crashed, .timedOut, .flaky: true
    case .passed, .deviates, .notApplicable, .unavailable, .notRun: false
    }
  }

  /// The outcome's name in journals and reports, such as `timed-out`.
  public var name: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .deviates: "deviates"
    case .notApplicable: "not-applicable"
    case .unavailable: "unavailable"
    case .crashed: "crashed"
    case .timedOut: "timed-out"
    case .flaky: "flaky"
    case .notRun: "not-run"
    }
  }

  /// The outcome's character in a matrix cell.
  public var symbol: Character {
    switch self {
    case .passed: "✓"
    case .failed: "✗"
    case .deviates: "≠"
    case .notApplicable: "·"
    case .unavailable: "?"
    case .crashed: "‼"
    case .timedOut: "∞"
    case .flaky: "~"
    case .notRun: "○"
    }
  }

  /// Why the case ended as it did, or `nil` for ``passed`` and ``failed``.
  public var reason: String? {
    switch self {
    case .passed, .failed: nil
    case .deviates(let reason), .unavailable(let reason), .flaky(let reason), .notRun(let reason):
      reason
    case .notApplicable(_, let reason): reason
    case .crashed(0): "the process ended during the case"
    case .crashed(let signal): "the process was ended by \(signalName(signal))"
    case .timedOut(let seconds): "timed out after \(seconds) s"
    }
  }

  /// Orders outcomes from good (0) to bad, to choose one of several results of the same case.
  var severity: Int {
    switch self {
    case .passed: 0
    case .notApplicable: 1
    case .deviates: 2
    case .unavailable, .notRun: 3
    case .flaky, .failed: 4
    case .timedOut: 5
    case .crashed: 6
    }
  }
}

/// The name and number of a signal (signal(7)): `SIGSEGV (signal 11)`.
package func signalName(_ signal: Int32) -> String {
  let names: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL",
    SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
  ]
  return names[signal].map { "\($0) (signal \(signal))" } ?? "signal \(signal)"
}

/// How an implementation produces its answers.
public enum ImplementationKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// A working in-memory implementation, for tests.
  case fake

  /// An adapter for the real system.
  case live

  /// A replay of answers recorded from the real system.
  case recorded
}
