import ContractEvidence

/// What happened in a case, before it is compared with what is declared.
struct RawResult: Sendable {
  var end: End
  var issues: [IssueSummary]
  /// Whether the test has seen the issues already.
  var isPassedOn = false
  /// Why the case is no evidence, although it ran.
  var unavailable: String?
  /// What the fixture's witnesses observed, or `nil` if it has none or the case did not end.
  var witness: WitnessSummary?
  /// What the case's own process printed, or nothing if the case ran in this process.
  var output = ""

  enum End: Hashable, Sendable {
    case ended
    /// The process ended during the case: by a signal, or by `exit` if the signal is 0.
    case crashed(signal: Int32)
    case timedOut(Duration)
  }

  /// The result as a child process reports it to its parent.
  var unjudged: (Outcome, [IssueSummary]) {
    if let unavailable { return (.unavailable(reason: unavailable), issues) }
    return switch end {
    case .ended: (issues.isEmpty ? .passed : .failed, issues)
    case .crashed(let signal): (.crashed(signal: signal), issues)
    case .timedOut(let limit): (.timedOut(seconds: limit / .seconds(1)), issues)
    }
  }

  /// How the case ended, as the rest of a sentence that begins with 'it'.
  var endDescription: String {
    switch end {
    case .ended: "ended with \(issues.count) issue\(issues.count == 1 ? "" : "s")"
    case .crashed(0): "ended the process during the case\(lastOutput)"
    case .crashed(let signal): "was ended by \(signalName(signal))\(lastOutput)"
    case .timedOut(let limit):
      "did not end within \(limit); it was cancelled, and left running if it ignored that"
    }
  }

  /// The process's error message or its last lines, as the end of a sentence.
  private var lastOutput: String {
    let lines = output.split(separator: "\n")
    if let error = lines.last(where: { $0.contains("Fatal error") || $0.contains("rror: ") }) {
      return ": \(error)"
    }
    return lines.isEmpty ? "" : "; its last output:\n" + lines.suffix(3).joined(separator: "\n")
  }
}
