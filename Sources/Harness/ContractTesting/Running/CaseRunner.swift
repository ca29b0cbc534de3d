import ContractEvidence
import Foundation
import SystemLocks
import Testing

/// Runs one case, compares the result with what is declared, and reports the outcome.
///
/// The outcome goes to the recorder and, in its native form, to Swift Testing: an issue for a failure, a
/// known issue for a deviation, a cancelled test case for a case that can't run.
struct CaseRunner<Fixture>: Sendable {
  var clause: Clause<Fixture>
  var implementation: Implementation<Fixture>
  var id: CaseID
  var test: Test
  /// The contract's source code.
  var sources: ContractSources?

  /// Runs the case.
  ///
  /// - Throws: Swift Testing's error if the case does not run to its end, and so is cancelled.
  func run() async throws {
    let recorder = RunRecorder.current
    if let outcome = implementation.inapplicability(of: clause) {
      recorder.record(.caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0)))
      try cancelTestCase(
        "\(id) does not apply: \(outcome.reason ?? "")", sourceLocation: clause.sourceLocation)
      return
    }
    if isMetered(in: recorder),
      case .spare(let result) = recorder.liveCalls.decision(
        about: id, clause, implementation, sources)
    {
      recorder.record(.caseFinished(result))
      try cancelTestCase(
        "\(id): \(result.outcome.reason ?? "")", sourceLocation: clause.sourceLocation)
      return
    }
    // The parent of a child process has checked availability and holds the resources.
    if !recorder.isChild, let reason = await implementation.probe?.reason() {
      return try reportUnavailable(reason, to: recorder)
    }
    let resources = recorder.isChild ? [] : implementation.resources
    while true {
      let step = await ExclusiveResources.shared.withResources(resources) {
        await recorder.semaphore.withPermit {
          if let wait = waitForTurn(in: recorder) { return Step.wait(wait) }
          return Step.ran(unavailable: await runAndJudge(in: recorder))
        }
      }
      switch step {
      // Not while holding a permit that another case could use.
      case .wait(let duration): try await Task.sleep(for: duration)
      case .ran(let unavailable):
        if let unavailable { try reportUnavailable(unavailable, to: recorder) }
        return
      }
    }
  }

  private enum Step: Sendable {
    /// The implementation's rate limit asks to wait.
    case wait(Duration)
    case ran(unavailable: String?)
  }

  /// Whether the case may cost live calls that this process decides about.
  func isMetered(in recorder: RunRecorder) -> Bool {
    implementation.kind == .live && !recorder.isChild
  }

  /// Runs the case and records its outcome.
  ///
  /// - Returns: Why the case is no evidence, which the caller reports, or `nil`.
  private func runAndJudge(in recorder: RunRecorder) async -> String? {
    recorder.record(.caseStarted(id))
    let clock = ContinuousClock()
    let start = clock.now
    let (raw, failures) = await executeUntilHeld(in: recorder)
    if !recorder.isChild, let reason = raw.unavailable { return reason }
    let seconds = start.duration(to: clock.now) / .seconds(1)
    // Only the parent knows the declared deviations' process, so a child reports what happened.
    var (outcome, issues) = recorder.isChild ? raw.unjudged : judge(raw)
    if outcome == .passed, let failure = failures.last {
      (outcome, issues) = (flaky(after: failures), failure.issues)
    }
    let code =
      isMetered(in: recorder) ? sources?.code(of: clause, on: implementation) : nil
    recorder.record(
      .caseFinished(
        CaseResult(
          id: id, outcome: outcome, seconds: seconds, issues: issues, witness: raw.witness,
          code: code)))
    return nil
  }

  /// Says that the case hangs once half of its time limit has passed, unless that is declared.
  ///
  /// The parent of a child process says it for both.
  private func setNotice(in recorder: RunRecorder) -> Int? {
    if case .timingOut = deviation?.manner { return nil }
    if recorder.isChild { return nil }
    return Watchdog.shared.set(after: limit / 2, countingLatency: false) { [id, limit] in
      recorder.reportSlow(id, after: limit / 2, limit: limit)
    }
  }

  private var deviation: Deviation? { implementation.deviation(from: clause) }

  private var limit: Duration {
    if case .timingOut(let limit) = deviation?.manner {
      limit
    } else {
      clause.timeLimit ?? implementation.timeLimit
    }
  }

  var needsOwnProcess: Bool {
    switch deviation?.manner {
    case .crashing, .timingOut: true
    case .failing, nil: implementation.processSharing != nil
    }
  }

  /// Whether the case can share a process: nothing declares that it ends one.
  private var canShareProcess: Bool {
    switch deviation?.manner {
    case .crashing, .timingOut: false
    case .failing, nil: implementation.processSharing == .untilCrash
    }
  }

  private var rerun: String {
    "case \(id); to run only this case: \(RerunCommand.text(for: id, in: test))"
  }

  func execute(in recorder: RunRecorder) async -> RawResult {
    let notice = setNotice(in: recorder)
    defer { notice.map(Watchdog.shared.cancel) }
    if needsOwnProcess, !recorder.isChild {
      return canShareProcess
        ? await SharedProcesses.shared.run(id, in: test, limit: limit)
        : await OwnProcess(id: id, test: test, limit: limit).run()
    }
    let passesOn = deviation == nil && !recorder.isChild && retries(in: recorder) == 0
    let comment = { @Sendable in rerun }
    let collector = IssueCollector(
      passingOnWith: passesOn ? comment : nil, unavailability: implementation.unavailability)
    let witness = Mutex<WitnessSummary?>(nil)
    let lifecycle = FixtureLifecycle(
      clause: clause, make: implementation.make,
      willRun: { fixture in await self.recordVersion(of: fixture, in: recorder) },
      didObserve: { observation in witness.withLock { $0 = observation } })
    let crashNotice = CrashNotice(id)
    let timeLimit = TimeLimit(
      limit, expired: { _ = collector.close() },
      starved: { recorder.endStarvedRun(during: id, after: limit) })
    let isEnded = await timeLimit.run {
      try? await CrashNotice.$current.withValue(crashNotice) {
        try await collector.collect(in: test) {
          await lifecycle.run(collector, madeAt: implementation.sourceLocation)
        }
      }
    }
    return RawResult(
      end: isEnded ? .ended : .timedOut(limit), issues: collector.close(), isPassedOn: passesOn,
      unavailable: isEnded ? collector.unavailable : nil, witness: witness.withLock(\.self))
  }

  /// Records the version of what the implementation adapts, the first time.
  private func recordVersion(of fixture: Fixture, in recorder: RunRecorder) async {
    guard let version = await implementation.versionProbe?.version(of: fixture, for: id.contract)
    else { return }
    var summary = implementation.summary(for: id.contract)
    summary.version = version
    recorder.recordOnce(.implementation(summary))
  }

  /// Compares what happened with what is declared, and fails the test if they differ.
  private func judge(_ raw: RawResult) -> (Outcome, [IssueSummary]) {
    var issues = raw.issues
    func fail(_ message: String, at location: SourceLocation) {
      issues.append(
        IssueSummary(
          message: message, file: location.fileID, path: location.filePath, line: location.line))
      Issue.record("\(message)\n\(rerun)", sourceLocation: location)
      attachOutput(of: raw)
    }
    /// Records issues that have not reached the test yet.
    func passOn(_ issues: [IssueSummary]) {
      guard !raw.isPassedOn else { return }
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
    if deviation.isOver(at: Date().timeIntervalSince1970) {
      passOn(issues)
      let state = deviation.manner.explains(raw) ? "still deviates" : "no longer deviates"
      fail(
        "\(id) was to deviate until \(deviation.until ?? "") and \(state) (\(deviation.reason)); "
          + "correct it, or change until: in \(deviation.declaration)", at: deviation.sourceLocation
      )
      return (.failed, issues)
    }
    if deviation.manner.explains(raw) {
      recordKnownIssue(for: raw, deviation)
      return (.deviates(reason: deviation.reason), issues)
    }
    if case .ended = raw.end, issues.isEmpty {
      if deviation.isIntermittent { return (.passed, issues) }
      fail(
        "\(id) no longer deviates: remove \(deviation.declaration)", at: deviation.sourceLocation)
      return (.failed, issues)
    }
    passOn(issues)
    fail(
      "\(id) deviates in another way than declared: it \(raw.endDescription); change by: in "
        + deviation.declaration, at: deviation.sourceLocation)
    return (.failed, issues)
  }

  /// Shows a deviation as a known issue, which fails no test and is visible in every tool.
  private func recordKnownIssue(for raw: RawResult, _ deviation: Deviation) {
    let issue = raw.issues.first
    let message = issue?.message ?? "it \(raw.endDescription)"
    let location = issue?.sourceLocation(or: clause.sourceLocation) ?? clause.sourceLocation
    withKnownIssue("\(deviation.reason)", sourceLocation: deviation.sourceLocation) {
      Issue.record("\(id) deviates as declared: \(message)", sourceLocation: location)
    }
  }

  /// Attaches what the case's own process printed.
  private func attachOutput(of raw: RawResult) {
    guard !raw.output.isEmpty else { return }
    let name = id.description.replacing("/", with: "-") + ".log"
    Attachment.record(raw.output, named: name, sourceLocation: clause.sourceLocation)
  }

  private func reportUnavailable(_ reason: String, to recorder: RunRecorder) throws {
    let location = implementation.sourceLocation
    guard recorder.requires(implementation.kind) else {
      recorder.record(
        .caseFinished(CaseResult(id: id, outcome: .unavailable(reason: reason), seconds: 0)))
      // A cancelled case shows no reason on the console, and a warning does.
      Issue.record(
        "\(id) is unavailable: \(reason)", severity: .warning, sourceLocation: location)
      return try cancelTestCase("\(id) is unavailable: \(reason)", sourceLocation: location)
    }
    let message =
      "\(id) is unavailable, and CONTRACT_REQUIRE=\(implementation.kind.rawValue) requires it: "
      + reason
    Issue.record("\(message)\n\(rerun)", sourceLocation: location)
    let issue = IssueSummary(
      message: message, file: location.fileID, path: location.filePath, line: location.line,
      isFixture: true)
    recorder.record(
      .caseFinished(CaseResult(id: id, outcome: .failed, seconds: 0, issues: [issue])))
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
