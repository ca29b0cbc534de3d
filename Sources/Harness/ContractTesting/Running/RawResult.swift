import ContractEvidence

/// What happened in a case, before it is compared with what is declared.
package struct RawResult: Sendable {
  package var end: End
  package var issues: [IssueSummary]
  /// Whether the test has seen the issues already.
  var isPassedOn = false
  /// Why the case is no evidence, although it ran.
  package var unavailable: String?
  /// What the fixture's witnesses observed, or `nil` if it has none or the case did not end.
  var witness: WitnessSummary?
  /// How many expectations the case evaluated, or `nil` if nothing counted them.
  var expectations: Int?
  /// What the case's own process printed, or nothing if the case ran in this process.
  var output = ""

  package enum End: Hashable, Sendable {
    case ended
    /// The process ended during the case: by a signal, or by `exit` if the signal is 0.
    case crashed(signal: Int32)
    case timedOut(Duration)
  }

  /// The result of a case that could not be run.
  static func broken(_ message: String) -> RawResult {
    let issue = IssueSummary(message: message, file: nil, path: nil, line: nil, isFixture: true)
    return RawResult(end: .ended, issues: [issue])
  }

  /// The outcome if nothing is declared.
  var outcome: Outcome {
    if let unavailable { return .unavailable(reason: unavailable) }
    return switch end {
    case .ended: issues.isEmpty ? .passed : .failed
    case .crashed(let signal): .crashed(signal: signal)
    case .timedOut(let limit): .timedOut(seconds: limit / .seconds(1))
    }
  }

  /// How the case ended, as the rest of a sentence that begins with 'it'.
  package var endDescription: String {
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
