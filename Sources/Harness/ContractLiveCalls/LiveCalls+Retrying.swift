import ContractEvidence
import ContractTesting
import Testing

extension LiveCalls {
  func mayRetry(_ one: LiveCase) -> Bool { retries(of: one) > 0 }

  private func retries(of one: LiveCase) -> Int { one.deviates ? 0 : Terms(of: one).retries }

  func execute(
    _ one: LiveCase, inOwnProcess isAlone: Bool, _ execute: @Sendable () async -> RawResult
  ) async -> (last: RawResult, failures: [RawResult]) {
    var failures: [RawResult] = []
    while true {
      let raw = await execute()
      if raw.unavailable != nil, let failure = failures.popLast() {
        // The real thing went away after the case had failed.
        return (failure, failures)
      }
      guard raw.isWorthAnotherTry(inOwnProcess: isAlone), failures.count < retries(of: one),
        allowsAgain(one)
      else { return (raw, failures) }
      while let wait = begin(one) {
        guard (try? await Task.sleep(for: wait)) != nil else { return (raw, failures) }
      }
      failures.append(raw)
    }
  }

  /// The outcome of a case that failed and then held. The test shows a warning.
  func flaky(_ one: LiveCase, after failures: [RawResult]) -> Outcome {
    let tries = failures.count + 1
    let message = failures.last?.issues.first?.message ?? failures.last?.endDescription ?? ""
    let line = message.split(separator: "\n").first.map { ": \($0)" } ?? ""
    let reason = "failed in \(failures.count) of \(tries) tries\(line)"
    let why = Terms(of: one).reasonForRetries ?? ""
    Issue.record(
      "\(one.id) is flaky: it \(reason)\nit is tried again because \(why)", severity: .warning,
      sourceLocation: one.sourceLocation)
    return .flaky(reason: reason)
  }
}

extension RawResult {
  /// Whether the case failed, and nothing of it can still run.
  fileprivate func isWorthAnotherTry(inOwnProcess isAlone: Bool) -> Bool {
    if unavailable != nil { return false }
    return switch end {
    case .ended: !issues.isEmpty
    case .crashed, .timedOut: isAlone
    }
  }
}
