import ContractEvidence
import Testing

extension CaseRunner {
  /// How often the case is tried again if it fails.
  func retries(in recorder: RunRecorder) -> Int {
    isMetered(in: recorder) && implementation.deviation(from: clause) == nil
      ? implementation.terms.retries : 0
  }

  /// Tries the case until it holds, as often as the implementation and the budget allow.
  ///
  /// - Returns: The last try, and the tries before it, all of which failed.
  func executeUntilHeld(
    in recorder: RunRecorder
  ) async -> (last: RawResult, failures: [RawResult]) {
    var failures: [RawResult] = []
    while true {
      let raw = await execute(in: recorder)
      if raw.unavailable != nil, let failure = failures.popLast() {
        // The real thing went away after the case had failed.
        return (failure, failures)
      }
      guard raw.isWorthAnotherTry(needsOwnProcess: needsOwnProcess),
        failures.count < retries(in: recorder),
        recorder.liveCalls.allowsAgain(implementation)
      else { return (raw, failures) }
      while let wait = waitForTurn(in: recorder) {
        guard (try? await Task.sleep(for: wait)) != nil else { return (raw, failures) }
      }
      failures.append(raw)
    }
  }

  /// Begins the case's calls, or returns how long the implementation's rate limit asks to wait.
  func waitForTurn(in recorder: RunRecorder) -> Duration? {
    guard isMetered(in: recorder) else { return nil }
    return implementation.terms.rateLimit?.begin(implementation.terms.cost ?? 1)
  }

  /// The outcome of a case that failed and then held. The test shows a warning.
  func flaky(after failures: [RawResult]) -> Outcome {
    let tries = failures.count + 1
    let message = failures.last?.issues.first?.message ?? failures.last?.endDescription ?? ""
    let line = message.split(separator: "\n").first.map { ": \($0)" } ?? ""
    let reason = "failed in \(failures.count) of \(tries) tries\(line)"
    let why = implementation.terms.reasonForRetries ?? ""
    Issue.record(
      "\(id) is flaky: it \(reason)\nit is tried again because \(why)", severity: .warning,
      sourceLocation: clause.sourceLocation)
    return .flaky(reason: reason)
  }
}

extension RawResult {
  /// Whether the case failed, and nothing of it can still run.
  fileprivate func isWorthAnotherTry(needsOwnProcess: Bool) -> Bool {
    if unavailable != nil { return false }
    return switch end {
    case .ended: !issues.isEmpty
    case .crashed, .timedOut: needsOwnProcess
    }
  }
}
