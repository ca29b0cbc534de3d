import ContractEvidence
import Foundation
import SystemLocks
import Testing

/// Runs one case: does it apply, may it make its calls, is its implementation available? Then an executor, a
/// ``Judgement``, and a report.
///
/// The report goes to the recorder and, in its native form, to Swift Testing: an issue for a failure, a
/// known issue for a deviation, a cancelled test case for a case that can't run.
struct CaseRunner<Fixture>: Sendable {
  var clause: Clause<Fixture>
  var implementation: Implementation<Fixture>
  var id: CaseID
  var test: Test
  let recorder = RunRecorder.current

  /// Runs the case.
  ///
  /// - Throws: Swift Testing's error if the case does not run to its end, and so is cancelled.
  func run() async throws {
    if let outcome = implementation.inapplicability(of: clause) { return try leaveOut(outcome) }
    if recorder.role.isChild {
      // The parent has checked the rest, holds the resources, and judges.
      recorder.record(.caseStarted(id))
      let (raw, seconds) = await timed { await executeHere(passingOn: false) }
      return record(raw.outcome, raw, seconds)
    }
    let live = recorder.liveRules.flatMap { rules in
      LiveCase(id, clause, implementation).map { (one: $0, rules: rules) }
    }
    if let live, let reason = live.rules.refusal(of: live.one) {
      return try leaveOut(.notRun(reason: reason))
    }
    if let reason = await implementation.probe?.reason() { return try reportUnavailable(reason) }
    let unavailable = try await holdingResources(live) { await runAndReport(live) }
    if let unavailable { try reportUnavailable(unavailable) }
  }

  /// Runs the case, judges it and reports the judgement.
  ///
  /// - Returns: Why the case is no evidence although it ran, which the caller reports, or `nil`.
  private func runAndReport(_ live: Live?) async -> String? {
    recorder.record(.caseStarted(id))
    let ((raw, failures), seconds) = await timed { await execute(live) }
    if let reason = raw.unavailable { return reason }
    let judgement = Judgement(
      raw, of: id, declared: deviation, at: clause.sourceLocation,
      time: Date().timeIntervalSince1970)
    report(judgement, of: raw)
    if judgement.outcome == .passed, let live, let failure = failures.last {
      record(live.rules.flaky(live.one, after: failures), failure, seconds)
    } else {
      record(judgement.outcome, raw, seconds, judgement.complaint)
    }
    return nil
  }

  private typealias Live = (one: LiveCase, rules: any LiveCallRules)

  // MARK: - What is declared

  private var deviation: Deviation? { implementation.deviation(from: clause) }

  private var limit: Duration {
    if case .timingOut(let limit) = deviation?.manner {
      limit
    } else {
      clause.timeLimit ?? implementation.timeLimit
    }
  }

  /// Whether a deviation declares that the case ends its process.
  private var endsProcess: Bool {
    switch deviation?.manner {
    case .crashing, .timingOut: true
    case .failing, nil: false
    }
  }

  /// Whether the implementation ended the process of the previous run, or may have.
  private var isSuspect: Bool { recorder.isSuspect(id) }

  private var needsOwnProcess: Bool {
    endsProcess || implementation.processSharing != nil || isSuspect
  }

  private var rerun: String {
    "case \(id); to run only this case: \(RerunCommand.text(for: id, in: test))"
  }

  // MARK: - Executors

  /// Runs a closure while holding the implementation's resources and a permit, once the rate limit allows.
  private func holdingResources<Value: Sendable>(
    _ live: Live?, _ body: @Sendable () async -> Value
  ) async throws -> Value {
    while true {
      let step = await ExclusiveResources.shared.withResources(implementation.resources) {
        await recorder.semaphore.withPermit { () -> (wait: Duration?, value: Value?) in
          if let live, let wait = live.rules.begin(live.one) { return (wait, nil) }
          return (nil, await body())
        }
      }
      if let value = step.value { return value }
      // Not while holding a permit that another case could use.
      if let wait = step.wait { try await Task.sleep(for: wait) }
    }
  }

  /// Runs the case, and again if it fails and the rules about live calls allow that.
  private func execute(_ live: Live?) async -> (last: RawResult, failures: [RawResult]) {
    guard let live else { return (await executeOnce(mayRetry: false), []) }
    let mayRetry = live.rules.mayRetry(live.one)
    return await live.rules.execute(live.one, inOwnProcess: needsOwnProcess) {
      await executeOnce(mayRetry: mayRetry)
    }
  }

  private func executeOnce(mayRetry: Bool) async -> RawResult {
    let notice = setNotice()
    defer { notice.map(Watchdog.shared.cancel) }
    guard needsOwnProcess else {
      return await executeHere(passingOn: deviation == nil && !mayRetry)
    }
    var sharing = implementation.processSharing
    if isSuspect, !endsProcess, sharing == nil {
      recorder.announceSuspect(id)
      sharing = .untilCrash
    }
    return await CaseProcesses.shared.run(
      id, in: test, limit: limit,
      isShared: !endsProcess && sharing == .untilCrash)
  }

  /// Says that the case hangs once half of its time limit has passed, unless that is declared.
  private func setNotice() -> Int? {
    if case .timingOut = deviation?.manner { return nil }
    return Watchdog.shared.set(after: limit / 2, countingLatency: false) {
      [recorder, id, limit] in
      recorder.reportSlow(id, after: limit / 2, limit: limit)
    }
  }

  /// Runs the case in this process.
  ///
  /// - Parameter passesOn: Whether the test sees the issues at once.
  private func executeHere(passingOn passesOn: Bool) async -> RawResult {
    let comment = { @Sendable in rerun }
    let collector = IssueCollector(
      passingOnWith: passesOn ? comment : nil, unavailability: implementation.unavailability)
    let witness = Mutex<WitnessSummary?>(nil)
    let lifecycle = FixtureLifecycle(
      clause: clause, make: implementation.make,
      willRun: { fixture in await self.describe(fixture) },
      didObserve: { observation in witness.withLock { $0 = observation } })
    let running = RunningCase(id)
    let timeLimit = TimeLimit(
      limit, expired: { collector.closeAtTimeout(limit, madeAt: implementation.sourceLocation) },
      starved: { recorder.endStarvedRun(during: id, after: limit) })
    let isEnded = await timeLimit.run {
      await running.run {
        try? await collector.collect(in: test) {
          await lifecycle.run(collector, madeAt: implementation.sourceLocation)
        }
      }
    }
    let issues = collector.close()
    return RawResult(
      end: isEnded ? .ended : .timedOut(limit), issues: issues,
      // A fixture that hangs is an issue that nothing has recorded yet.
      isPassedOn: passesOn && (isEnded || !issues.contains(where: \.isFixture)),
      unavailable: isEnded ? collector.unavailable : nil, witness: witness.withLock(\.self),
      expectations: running.expectationCount)
  }

  /// Records the version of what the implementation adapts, and what its fixture is made of, the first time.
  private func describe(_ fixture: Fixture) async {
    guard implementation.fixtureProbe.isFirst(for: id.contract) else { return }
    var summary = implementation.summary(for: id.contract)
    summary.version = await implementation.fixtureProbe.version(of: fixture)
    summary.parts = FixtureParts.types(of: fixture)
    recorder.recordOnce(.implementation(summary))
  }

  private func timed<Value>(_ body: () async -> Value) async -> (Value, seconds: Double) {
    let start = ContinuousClock.now
    let value = await body()
    return (value, start.duration(to: .now) / .seconds(1))
  }

  // MARK: - Reports

  /// Records the outcome of a case that ran.
  private func record(
    _ outcome: Outcome, _ raw: RawResult, _ seconds: Double,
    _ complaint: Judgement.Complaint? = nil
  ) {
    let issues = raw.issues + (complaint.map { [IssueSummary($0.message, at: $0.location)] } ?? [])
    recorder.record(
      .caseFinished(
        CaseResult(
          id: id, outcome: outcome, seconds: seconds, issues: issues, witness: raw.witness,
          expectations: raw.expectations)))
  }

  /// Shows a judgement in the test.
  private func report(_ judgement: Judgement, of raw: RawResult) {
    if let deviation, case .deviates = judgement.outcome { recordKnownIssue(for: raw, deviation) }
    if judgement.showsIssues, !raw.isPassedOn {
      for issue in raw.issues {
        Issue.record(
          "\(issue.message)\n\(rerun)",
          sourceLocation: issue.sourceLocation(or: clause.sourceLocation))
      }
    }
    guard let complaint = judgement.complaint else { return }
    Issue.record("\(complaint.message)\n\(rerun)", sourceLocation: complaint.location)
    guard !raw.output.isEmpty else { return }
    let name = id.description.replacing("/", with: "-") + ".log"
    Attachment.record(raw.output, named: name, sourceLocation: clause.sourceLocation)
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

  /// Records the outcome of a case that does not run, and cancels the test case.
  private func leaveOut(
    _ outcome: Outcome, at location: SourceLocation? = nil
  ) throws {
    recorder.record(.caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0)))
    try cancelTestCase(
      "\(id) (\(outcome.name)): \(outcome.reason ?? "")",
      sourceLocation: location ?? clause.sourceLocation)
  }

  private func reportUnavailable(_ reason: String) throws {
    let location = implementation.sourceLocation
    guard recorder.requires(implementation.kind) else {
      // A cancelled case shows no reason on the console, and a warning does.
      Issue.record(
        "\(id) is unavailable: \(reason)", severity: .warning, sourceLocation: location)
      return try leaveOut(.unavailable(reason: reason), at: location)
    }
    let message =
      "\(id) is unavailable, and CONTRACT_REQUIRE=\(implementation.kind.rawValue) requires it: "
      + reason
    Issue.record("\(message)\n\(rerun)", sourceLocation: location)
    let issue = IssueSummary(message, at: location, isFixture: true)
    recorder.record(
      .caseFinished(CaseResult(id: id, outcome: .failed, seconds: 0, issues: [issue])))
  }
}

extension IssueSummary {
  fileprivate init(_ message: String, at location: SourceLocation, isFixture: Bool = false) {
    self.init(
      message: message, file: location.fileID, path: location.filePath, line: location.line,
      isFixture: isFixture)
  }
}
