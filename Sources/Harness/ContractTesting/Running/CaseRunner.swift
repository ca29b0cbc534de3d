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
    let live = live(in: recorder)
    if let result = spared(live, in: recorder) {
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
          if let live, let wait = live.rules.begin(live.one) { return Step.wait(wait) }
          return Step.ran(unavailable: await runAndJudge(in: recorder, live))
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

  private typealias Live = (one: LiveCase, rules: any LiveCallRules)

  /// Whether the case may cost live calls that this process decides about.
  private func isMetered(in recorder: RunRecorder) -> Bool {
    implementation.kind == .live && !recorder.isChild
  }

  /// The case and the rules about its live calls, if there are any and this process decides.
  private func live(in recorder: RunRecorder) -> Live? {
    guard isMetered(in: recorder), let rules = recorder.liveRules,
      let one = LiveCase(id, clause, implementation, sources, recorder.evidence)
    else { return nil }
    return (one, rules)
  }

  /// The result of a case that does not run, because earlier evidence shows it or no rule allows it.
  private func spared(_ live: Live?, in recorder: RunRecorder) -> CaseResult? {
    guard isMetered(in: recorder) else { return nil }
    if let proof = recorder.evidence.proof(of: id, clause, implementation, sources) { return proof }
    return live.flatMap { $0.rules.refusal(of: $0.one) }.map {
      CaseResult(id: id, outcome: .notRun(reason: $0), seconds: 0)
    }
  }

  /// Runs the case and records its outcome.
  ///
  /// - Returns: Why the case is no evidence, which the caller reports, or `nil`.
  private func runAndJudge(in recorder: RunRecorder, _ live: Live?) async -> String? {
    recorder.record(.caseStarted(id))
    let clock = ContinuousClock()
    let start = clock.now
    let (raw, failures) = await executeUntilHeld(in: recorder, live)
    if !recorder.isChild, let reason = raw.unavailable { return reason }
    let seconds = start.duration(to: clock.now) / .seconds(1)
    // Only the parent knows the declared deviations' process, so a child reports what happened.
    var (outcome, issues) = recorder.isChild ? raw.unjudged : judge(raw)
    if outcome == .passed, let live, let failure = failures.last {
      (outcome, issues) = (live.rules.flaky(live.one, after: failures), failure.issues)
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

  /// Runs the case, and again if it fails and the rules about live calls allow that.
  private func executeUntilHeld(
    in recorder: RunRecorder, _ live: Live?
  ) async -> (last: RawResult, failures: [RawResult]) {
    guard let live else { return (await execute(in: recorder, mayRetry: false), []) }
    let mayRetry = live.rules.mayRetry(live.one)
    return await live.rules.execute(live.one, inOwnProcess: needsOwnProcess) {
      await execute(in: recorder, mayRetry: mayRetry)
    }
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

  private var needsOwnProcess: Bool {
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

  private func execute(in recorder: RunRecorder, mayRetry: Bool) async -> RawResult {
    let notice = setNotice(in: recorder)
    defer { notice.map(Watchdog.shared.cancel) }
    if needsOwnProcess, !recorder.isChild {
      return canShareProcess
        ? await SharedProcesses.shared.run(id, in: test, limit: limit)
        : await OwnProcess(id: id, test: test, limit: limit).run()
    }
    let passesOn = deviation == nil && !recorder.isChild && !mayRetry
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
  /// What the case's own process printed, or nothing if the case ran in this process.
  var output = ""

  package enum End: Hashable, Sendable {
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
