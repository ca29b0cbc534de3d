import ContractEvidence
import Testing

/// Runs one case and judges what happened.
struct CaseRunner<Fixture>: Sendable {
  var clause: Clause<Fixture>
  var implementation: Implementation<Fixture>
  var id: CaseID
  var test: Test

  /// Runs the case where it belongs, records its outcome and fails the test if it must.
  func run() async {
    let ledger = RunLedger.current
    if let outcome = implementation.inapplicability(of: clause) {
      return ledger.record(.caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0)))
    }
    if !ledger.isChild, let reason = await implementation.probe?.reason() {
      return reportUnavailable(reason, to: ledger)
    }
    await ExclusiveResources.shared.holding(ledger.isChild ? [] : implementation.resources) {
      await ledger.slots.holding { await runAndJudge(in: ledger) }
    }
  }

  private func runAndJudge(in ledger: RunLedger) async {
    ledger.record(.caseStarted(id))
    let clock = ContinuousClock()
    let start = clock.now
    let raw = await execute(in: ledger)
    let seconds = start.duration(to: clock.now) / .seconds(1)
    let (outcome, issues) = ledger.isChild ? raw.unjudged : judge(raw)
    ledger.record(
      .caseFinished(CaseResult(id: id, outcome: outcome, seconds: seconds, issues: issues)))
  }

  private var deviation: Deviation? { implementation.deviation(from: clause) }

  /// The time that the case may take.
  private var limit: Duration {
    if case .hanging(let limit) = deviation?.manner {
      limit
    } else {
      clause.timeLimit ?? implementation.timeLimit
    }
  }

  /// Whether the case needs a process of its own.
  private var isIsolated: Bool {
    switch deviation?.manner {
    case .crashing, .hanging: true
    case .failing, nil: implementation.isIsolated
    }
  }

  private var rerun: String { "case \(id); to run it alone: \(Rerun.command(for: id, in: test))" }

  private func execute(in ledger: RunLedger) async -> RawResult {
    if isIsolated, !ledger.isChild {
      return await OwnProcess(id: id, test: test, limit: limit).run()
    }
    let isPassedOn = deviation == nil && !ledger.isChild
    let collector = isPassedOn ? IssueCollector(passingOnWith: { rerun }) : IssueCollector()
    let life = FixtureLife(clause: clause, make: implementation.make)
    let timeLimit = TimeLimit(
      limit, expired: { _ = collector.close() },
      wedged: { ledger.endWedgedRun(during: id, after: limit) })
    let isEnded = await timeLimit.run {
      try? await collector.collect(in: test) {
        await life.run(collector, madeAt: implementation.sourceLocation)
      }
    }
    return RawResult(
      end: isEnded ? .ended : .timedOut(limit), issues: collector.close(),
      arePassedOn: isPassedOn)
  }

  /// Compares what happened with what was declared; fails the test where they differ.
  private func judge(_ raw: RawResult) -> (Outcome, [IssueSummary]) {
    var issues = raw.issues
    func fail(_ message: String, at place: SourceLocation) {
      issues.append(
        IssueSummary(
          message: message, file: place.fileID, path: place.filePath, line: place.line))
      Issue.record("\(message)\n\(rerun)", sourceLocation: place)
    }
    /// Records issues that have not reached the test yet.
    func passOn(_ issues: [IssueSummary]) {
      guard !raw.arePassedOn else { return }
      for issue in issues {
        Issue.record(
          "\(issue.message)\n\(rerun)",
          sourceLocation: issue.sourceLocation(or: clause.sourceLocation))
      }
    }

    if issues.contains(where: \.isFixture) {
      passOn(issues)
      return (.failed, issues)
    }
    guard let deviation else {
      passOn(issues)
      switch raw.end {
      case .ended: return (issues.isEmpty ? .passed : .failed, issues)
      case .crashed(let signal):
        fail("\(id) ended its process: \(raw.endDescription)", at: clause.sourceLocation)
        return (.crashed(signal: signal), issues)
      case .timedOut(let limit):
        fail("\(id) \(raw.endDescription)", at: clause.sourceLocation)
        return (.timedOut(seconds: limit / .seconds(1)), issues)
      }
    }
    if deviation.manner.explains(raw) {
      return (.deviates(reason: deviation.reason), issues)
    }
    if case .ended = raw.end, issues.isEmpty {
      if deviation.isIntermittent { return (.passed, issues) }
      fail(
        "\(id) no longer deviates: remove .deviating(from: \"\(clause.id)\") at \(deviation.place)",
        at: deviation.sourceLocation)
      return (.failed, issues)
    }
    passOn(issues)
    fail(
      "\(id) deviates in another way than declared: it \(raw.endDescription); change by: in "
        + ".deviating(from: \"\(clause.id)\") at \(deviation.place)", at: deviation.sourceLocation)
    return (.failed, issues)
  }

  private func reportUnavailable(_ reason: String, to ledger: RunLedger) {
    guard ledger.requires(implementation.kind) else {
      Issue.record("\(id) is unavailable: \(reason)", severity: .warning)
      return ledger.record(
        .caseFinished(CaseResult(id: id, outcome: .unavailable(reason: reason), seconds: 0)))
    }
    let place = implementation.sourceLocation
    let message =
      "\(id) is unavailable and CONTRACT_REQUIRE=\(implementation.kind.rawValue) asks for it: "
      + reason
    Issue.record("\(message)\n\(rerun)", sourceLocation: place)
    let issue = IssueSummary(
      message: message, file: place.fileID, path: place.filePath, line: place.line, isFixture: true)
    ledger.record(
      .caseFinished(CaseResult(id: id, outcome: .failed, seconds: 0, issues: [issue])))
  }
}

/// What happened in a case, before it is compared with what was declared.
struct RawResult: Sendable {
  var end: End
  var issues: [IssueSummary]
  /// Whether the test has seen the issues already.
  var arePassedOn = false
  /// What the process said last, where it was one of the case's own.
  var output = ""

  enum End: Hashable, Sendable {
    case ended
    case crashed(signal: Int32)
    case timedOut(Duration)
  }

  /// The result as it goes from a case's own process to its parent.
  var unjudged: (Outcome, [IssueSummary]) {
    switch end {
    case .ended: (issues.isEmpty ? .passed : .failed, issues)
    case .crashed(let signal): (.crashed(signal: signal), issues)
    case .timedOut(let limit): (.timedOut(seconds: limit / .seconds(1)), issues)
    }
  }

  /// How the case ended, as the rest of a sentence that begins with 'it'.
  var endDescription: String {
    switch end {
    case .ended: "ended with \(issues.count) issue\(issues.count == 1 ? "" : "s")"
    case .crashed(0): "ended the process in the middle of the case" + output
    case .crashed(let signal): "was ended by \(signalName(signal))" + output
    case .timedOut(let limit):
      "did not end within \(limit); it was cancelled and, as far as it did not stop, given up"
    }
  }
}

extension Deviation.Manner {
  /// Whether the clause failed in this manner.
  func explains(_ raw: RawResult) -> Bool {
    switch (self, raw.end) {
    case (.failing, .ended): !raw.issues.isEmpty
    case (.crashing, .crashed), (.hanging, .timedOut): true
    default: false
    }
  }
}
