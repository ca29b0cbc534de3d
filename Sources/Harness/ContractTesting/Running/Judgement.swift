import ContractEvidence
import Testing

/// What a result means, compared with what is declared: a pure function of both.
struct Judgement: Sendable {
  var outcome: Outcome
  /// Whether the test shows the result's own issues.
  var showsIssues = true
  /// What else fails the test.
  var complaint: Complaint?

  struct Complaint: Sendable {
    var message: String
    var location: SourceLocation
  }

  /// Judges a result.
  ///
  /// - Parameters:
  ///   - raw: What happened. It is not unavailable.
  ///   - id: The case.
  ///   - deviation: What the implementation declares about the clause.
  ///   - location: Where the clause is declared.
  ///   - time: The time in seconds since 1970-01-01 00:00 UTC, which ends deviations.
  init(
    _ raw: RawResult, of id: CaseID, declared deviation: Deviation?, at location: SourceLocation,
    time: Double
  ) {
    outcome = raw.outcome
    if raw.issues.contains(where: \.isFixture) {
      outcome = .failed
      return
    }
    guard let deviation else {
      switch raw.end {
      case .ended where outcome == .passed && raw.expectations == 0:
        outcome = .failed
        complain(
          "\(id) evaluated no expectation, so it can't fail: let the clause check what the subject did with "
            + "#expect, #require or check(), also where a loop has nothing to do", at: location)
      case .ended: break
      case .crashed: complain("\(id) ended its process: \(raw.endDescription)", at: location)
      case .timedOut: complain("\(id) \(raw.endDescription)", at: location)
      }
      return
    }
    outcome = .failed
    if deviation.isOver(at: time) {
      let state = deviation.manner.explains(raw) ? "still deviates" : "no longer deviates"
      complain(
        "\(id) was to deviate until \(deviation.until ?? "") and \(state) (\(deviation.reason)); "
          + "correct it, or change until: in \(deviation.declaration)",
        at: deviation.sourceLocation)
    } else if deviation.manner.explains(raw) {
      outcome = .deviates(reason: deviation.reason)
      showsIssues = false
    } else if raw.outcome == .passed {
      if deviation.isIntermittent {
        outcome = .passed
      } else {
        complain(
          "\(id) no longer deviates: remove \(deviation.declaration)", at: deviation.sourceLocation)
      }
    } else {
      complain(
        "\(id) deviates in another way than declared: it \(raw.endDescription); change by: in "
          + deviation.declaration, at: deviation.sourceLocation)
    }
  }

  private mutating func complain(_ message: String, at location: SourceLocation) {
    complaint = Complaint(message: message, location: location)
  }
}

extension Deviation.Manner {
  /// Whether the clause failed in this manner.
  func explains(_ raw: RawResult) -> Bool {
    switch (self, raw.end) {
    case (.failing, .ended): !raw.issues.isEmpty
    case (.crashing, .crashed), (.timingOut, .timedOut): true
    default: false
    }
  }
}
