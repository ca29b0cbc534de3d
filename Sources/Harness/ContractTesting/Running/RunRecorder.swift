import CPlatform
import ContractEvidence
import Foundation
import SystemLocks

/// Records one test run: the selection, each case's outcome, and the journal that they are written to.
///
/// A process has one recorder; tests of the harness use others by ``override``. The recorder affects
/// nothing outside the process until a case runs: the first record opens the journal and installs the
/// handler of crashes. Listing tests, which evaluates `cases(for:)`, therefore leaves no journal.
final class RunRecorder: Sendable {
  /// The recorder of the process. It prints the matrix when the process exits.
  private static let process = RunRecorder(
    environment: ProcessInfo.processInfo.environment, isReporting: true)

  /// The recorder to use in a task and its children instead of the process's.
  @TaskLocal static var override: RunRecorder?

  /// The recorder to write to.
  static var current: RunRecorder { override ?? process }

  /// The run's id. Processes that share `CONTRACT_RUN` are one run.
  let run: String

  /// What the process is for.
  let role: ProcessRole

  /// Limits how many cases run concurrently.
  let semaphore = CaseSemaphore()

  private let selection: Selection
  private let required: Set<ImplementationKind>
  private let settings: Settings
  private let state: Mutex<State>

  private struct Settings {
    /// Where the journal goes.
    var path: String
    /// The folder whose `latest.jsonl` follows the journal, or `nil`.
    var latestFolder: String?
    /// How many live calls the run may make, as `CONTRACT_BUDGET` says, or `nil` for any number.
    var budget: Int?
    /// The paths of earlier journals, and of folders with journals.
    var earlierJournals: [String]
    /// Whether to print the matrix when the process exits.
    var isReporting: Bool
    /// The variables that leave cases out.
    var selection: String
    /// What is wrong with the environment.
    var problems: [String]
  }

  private struct State {
    var isOpen = false
    /// Which old journals were removed, as a sentence.
    var pruning: String?
    var records: [JournalRecord] = []
    var writer: JournalWriter?
    /// The cases that may have ended the previous run's process.
    var suspects: Set<CaseID> = []
    var announced: Set<String> = []
    var liveRules: (any LiveCallRules)?
    /// Whether an implementation declares what its cases cost.
    var isBudgeted = false
    /// The declarations that are recorded, by identity.
    var declarations: Set<ObjectIdentifier> = []
    /// The contracts and implementations that are recorded, by content.
    var declared: [JournalRecord.Event] = []
    var unmatched: [CasePattern]
    /// Every case that was asked for while a pattern was unmatched, to suggest one.
    var known: Set<CaseID> = []
    /// The cases that patterns or kinds leave out.
    var excluded: Set<CaseID> = []
    /// How many cases other shards run, by the name of the list that was divided.
    var inOtherShards: [String: Int] = [:]
    /// The cases that each test took, and those that some test verified.
    var taken: [(declaration: CaseDeclaration, ids: [String])] = []
    var verified: Set<String> = []
    var hasSelected = false
    var isFinished = false

    /// Whether a case ran on a live implementation.
    var hasRunLiveCase: Bool {
      let live = Set(
        declared.compactMap { event -> String? in
          guard case .implementation(let one) = event, one.kind == .live else { return nil }
          return "\(one.contract)@\(one.id)"
        })
      return records.contains { record in
        guard case .caseFinished(let result) = record.event else { return false }
        switch result.outcome {
        case .notApplicable, .unavailable, .notRun: return false
        default: return live.contains("\(result.id.contract)@\(result.id.implementation)")
        }
      }
    }

    /// Remembers an event; returns `false` if an equal one is known.
    mutating func declare(_ event: JournalRecord.Event) -> Bool {
      if declared.contains(event) { return false }
      declared.append(event)
      return true
    }
  }

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - environment: The variables that select cases and name the journal.
  ///   - isReporting: Whether to print the matrix when the process exits.
  init(environment: [String: String], isReporting: Bool) {
    var problems: [String] = []
    var selection = Selection.everything
    do throws(EnvironmentError) {
      selection = try Selection(environment: environment)
    } catch {
      problems.append(error.description)
    }
    var required: Set<ImplementationKind> = []
    for word in (environment["CONTRACT_REQUIRE"] ?? "").split(whereSeparator: { ", ".contains($0) })
    {
      if let kind = ImplementationKind(rawValue: String(word)) {
        required.insert(kind)
      } else {
        let kinds = ImplementationKind.allCases.map(\.rawValue).joined(separator: ", ")
        problems.append(
          EnvironmentError(
            variable: "CONTRACT_REQUIRE", value: String(word), expected: "one or more of \(kinds)"
          ).description)
      }
    }
    self.selection = selection
    self.required = required
    var run = JournalWriter.runID(at: Date())
    if let shared = environment["CONTRACT_RUN"], !shared.isEmpty {
      // The id is the name of a file.
      if shared.utf8.count <= 100, !shared.hasPrefix("."),
        shared.utf8.allSatisfy({ isalnum(Int32($0)) != 0 || "-_.".utf8.contains($0) })
      {
        run = shared
      } else {
        problems.append(
          EnvironmentError(
            variable: "CONTRACT_RUN", value: shared,
            expected: "at most 100 letters, digits, '-', '_' and '.'"
          ).description)
      }
    }
    self.run = run
    role = isReporting ? .current : ProcessRole(environment: environment, isConnected: false)
    for variable in role.strays(in: environment) {
      problems.append(
        "\(variable) is set, and only this package sets it, for a process that it starts and that leaves the "
          + "judgement to it; this process has no such parent, so remove the variable")
    }
    let folder = environment["CONTRACT_JOURNAL_FOLDER"] ?? ".build/contracts"
    var chosen = environment["CONTRACT_JOURNAL"]
    if case .child(let journal) = role { chosen = journal }
    let budget = environment["CONTRACT_BUDGET"].flatMap(UInt32.init)
    if let text = environment["CONTRACT_BUDGET"], budget == nil {
      problems.append(
        EnvironmentError(
          variable: "CONTRACT_BUDGET", value: text,
          expected: "the number of live calls that the run may make, such as 200"
        ).description)
    }
    settings = Settings(
      path: chosen ?? "\(folder)/\(run).jsonl",
      latestFolder: chosen == nil ? folder : nil, budget: budget.map(Int.init),
      earlierJournals: [folder, chosen].compactMap(\.self), isReporting: isReporting,
      selection: ["CONTRACT", "CONTRACT_KIND"].compactMap { name in
        environment[name].map { "\(name)='\($0)'" }
      }.joined(separator: " "),
      problems: problems)
    state = Mutex(State(unmatched: selection.patterns.filter { !$0.isExclusion }))
  }

  /// Adds a record to the run and to the journal. The first one opens the journal.
  func record(_ event: JournalRecord.Event) {
    state.withLock { state in
      if !state.isOpen { open(&state) }
      append(event, to: &state)
    }
  }

  private func open(_ state: inout State) {
    state.isOpen = true
    var problems = settings.problems
    if role == .run {
      let latest = settings.latestFolder.map { "\($0)/latest.jsonl" } ?? settings.path
      state.suspects = CrashSuspects.cases(in: latest, besides: run)
    }
    do throws(JournalFileError) {
      state.writer = try JournalWriter(path: settings.path)
      if let folder = settings.latestFolder {
        JournalWriter.makeLatest("\(run).jsonl", in: folder)
        state.pruning = JournalWriter.prune(folder, at: Date())
      }
    } catch {
      problems.append("\(error); without it the run leaves no evidence")
    }
    append(
      .runStarted(role.isChild ? RunSummary(platform: Platform.currentName) : .current), to: &state)
    for problem in problems { append(.problem(problem), to: &state) }
    if settings.isReporting, role == .run {
      CrashNotice.install(run: run, journal: state.writer?.fileDescriptor)
    }
  }

  private func append(_ event: JournalRecord.Event, to state: inout State) {
    let record = JournalRecord(run: run, time: Date().timeIntervalSince1970, event: event)
    // Only a journal's reader needs to know that a case runs: in this process each one ends.
    switch event {
    case .caseStarted, .caseSlow: break
    default: state.records.append(record)
    }
    do throws(JournalFileError) {
      try state.writer?.append(record)
    } catch {
      state.writer = nil
      state.records.append(
        JournalRecord(
          run: run, time: record.time,
          event: .problem("\(error); later records are not in it")))
    }
  }

  /// Records a contract and its implementations, each once, before any of its cases begins.
  func declare(_ declaration: CaseDeclaration) {
    state.withLock { state in
      guard state.declarations.insert(ObjectIdentifier(declaration)).inserted else { return }
      if !state.isOpen { open(&state) }
      let events =
        [.contract(declaration.contract)]
        + declaration.implementations.map(JournalRecord.Event.implementation)
      // Several calls of `cases(for:)` may share a contract.
      for event in events where state.declare(event) { append(event, to: &state) }
    }
  }

  /// Adds a record unless an equal one was added by this method.
  func recordOnce(_ event: JournalRecord.Event) {
    if state.withLock({ $0.declare(event) }) { record(event) }
  }

  /// Returns whether the case is selected, and remembers which patterns matched a case.
  func selects(_ id: CaseID, kind: ImplementationKind?) -> Bool {
    state.withLock { state in
      if !state.unmatched.isEmpty { state.known.insert(id) }
    }
    guard selection.includes(id, kind: kind) else {
      if kind != nil { state.withLock { _ = $0.excluded.insert(id) } }
      return false
    }
    state.withLock { state in
      state.hasSelected = true
      state.excluded.remove(id)
      state.unmatched.removeAll { $0.matches(id) }
    }
    return true
  }

  /// Whether patterns or kinds exclude cases.
  var isSelective: Bool { selection.isSelective }

  /// Returns whether an implementation is explored.
  ///
  /// `CONTRACT` selects cases, so it must name explorations: `*/explore@redis`.
  func explores(_ implementation: String, kind: ImplementationKind) -> Bool {
    guard selection.kinds.isEmpty || selection.kinds.contains(kind) else { return false }
    if selection.patterns.isEmpty { return true }
    guard selection.includesExploration(of: implementation) else { return false }
    state.withLock { state in
      state.hasSelected = true
      state.unmatched.removeAll { $0.selectsExploration(of: implementation) }
    }
    return true
  }

  /// Returns this process's shard of a contract's cases or saboteurs.
  func shard<Element>(of list: [Element], named name: String) -> [Element] {
    let part = selection.shard.part(of: list, named: name)
    state.withLock { $0.inOtherShards[name] = list.count - part.count }
    return part
  }

  /// Remembers that a test took cases, which it has to verify.
  ///
  /// `swift test list` takes them too, and runs nothing.
  func didTake(_ cases: [ContractCase<some Any>], of declaration: CaseDeclaration) {
    guard role == .run else { return }
    let isFirst = state.withLock { state in
      defer { state.taken.append((declaration, cases.map(\.id))) }
      return state.taken.isEmpty
    }
    if isFirst, settings.isReporting, !CommandLine.arguments.contains("--list-tests") {
      atexit { RunRecorder.process.reportAtExit() }
    }
  }

  /// Remembers that a test verified a case.
  func didVerify(_ id: String) { state.withLock { _ = $0.verified.insert(id) } }

  /// Whether an implementation needs its own process because it may have ended the process of the previous run.
  func isSuspect(_ id: CaseID) -> Bool {
    state.withLock { state in
      state.suspects.contains {
        $0.contract == id.contract && $0.implementation == id.implementation
      }
    }
  }

  /// Says, once for each implementation, that a suspect has its own process.
  func announceSuspect(_ id: CaseID) {
    let name = "\(id.contract)@\(id.implementation)"
    guard state.withLock({ $0.announced.insert(name).inserted }) else { return }
    _ = writeAll(
      "\(name) may have ended the test process of the previous run, so its cases have a process of their own in "
        + "this one\n", to: STDERR_FILENO)
  }

  /// Returns whether `CONTRACT_REQUIRE` names this kind.
  func requires(_ kind: ImplementationKind) -> Bool { required.contains(kind) }

  /// The rules for live cases, once an implementation declares something that they concern.
  var liveRules: (any LiveCallRules)? { state.withLock(\.liveRules) }

  /// Uses the rules of ContractLiveCalls from now on.
  func adopt(_ terms: any LiveTerms) {
    state.withLock { state in
      if terms.isBudgeted { state.isBudgeted = true }
      guard state.liveRules == nil else { return }
      state.liveRules = terms.rules(budget: settings.budget, journals: settings.earlierJournals)
    }
  }

  /// The path of the journal, or `nil` if none is written.
  var journal: String? { state.withLock { $0.writer?.path } }

  /// The matrix of the results so far.
  var matrix: Matrix { Matrix(run: state.withLock(\.records)) }

  /// Ends the run. A selection that matched nothing is a problem of the run.
  ///
  /// - Returns: Whether there are problems that fail the run.
  func finish() -> Bool {
    let (unmatched, known, hasSelected, isFirst) = state.withLock { state in
      defer { state.isFinished = true }
      return (state.unmatched, state.known, state.hasSelected, !state.isFinished)
    }
    guard isFirst else { return false }
    for pattern in unmatched {
      record(
        .problem(
          "CONTRACT='\(pattern)' matches no case of the tests that ran"
            + (pattern.suggestion(from: known).map { "; did you mean '\($0)'?" }
              ?? "; compare it with the ids in the matrix, which have the form "
              + "contract/clause@implementation")))
    }
    if unmatched.isEmpty, !hasSelected, isSelective {
      record(
        .problem(
          "the selection matches no case of the tests that ran; check CONTRACT and CONTRACT_KIND"))
    }
    if let budget = settings.budget, state.withLock({ !$0.isBudgeted && $0.hasRunLiveCase }) {
      record(
        .problem(
          "CONTRACT_BUDGET=\(budget) limits nothing, because no live implementation says what its cases "
            + "cost; add .costs(_:) of ContractLiveCalls to it, or remove the variable"))
    }
    reportOmissions()
    record(.runFinished)
    return state.withLock { state in
      state.records.contains { record in
        guard case .problem = record.event else { return false }
        return true
      }
    }
  }

  /// Records how many cases did not run, and as a problem if a test ran none of those that it took.
  private func reportOmissions() {
    let (excluded, inOtherShards, taken, verified) = state.withLock { state in
      (
        state.excluded.count, state.inOtherShards.values.reduce(0, +), state.taken, state.verified
      )
    }
    if excluded > 0 { record(.leftOut(excluded, reason: settings.selection)) }
    if inOtherShards > 0 {
      record(
        .leftOut(inOtherShards, reason: "other shards run them, CONTRACT_SHARD=\(selection.shard)"))
    }
    var ignored: Set<String> = []
    for (declaration, ids) in taken {
      let rest = ids.filter { !verified.contains($0) }
      if rest.count < ids.count || ids.isEmpty {
        ignored.formUnion(rest)
      } else {
        declare(declaration)
        record(
          .problem(
            "no case of '\(declaration.contract.id)' ran, although a test took \(rest.count), such as "
              + "\(rest[0]): call verify() on each in the body of the test"))
      }
    }
    if !ignored.isEmpty {
      record(.leftOut(ignored.count, reason: "their test did not call verify()"))
    }
  }

  /// Records a problem, once for each clause, if an expectation that a task without a test evaluates is in a clause.
  /// Swift Testing fails the run if it does not hold, but names no case.
  func didExpectInNoTest(_ file: String, _ line: Int) {
    let clause = state.withLock { state in
      let clauses = state.declared.flatMap { event -> [(name: String, line: Int)] in
        guard case .contract(let contract) = event else { return [] }
        return contract.clauses.filter { $0.file == file && $0.line < line }
          .map { ("\(contract.id)/\($0.id)", $0.line) }
      }
      return clauses.max { $0.line < $1.line }?.name
    }
    // A test below the last clause of a file may use detached tasks as it likes.
    guard let clause, RunningCase.isRunning(clause) else { return }
    recordOnce(
      .problem(
        "no case judges an expectation of the clause \(clause), because a task without a test evaluated it, such as a "
          + "detached one; let the clause use child tasks or Task { }"))
  }

  /// Says that a case still runs, in the journal and on standard error.
  func reportSlow(_ id: CaseID, after duration: Duration, limit: Duration) {
    record(.caseSlow(id, seconds: duration / .seconds(1)))
    guard settings.isReporting else { return }
    _ = writeAll(
      "\(id) still runs after \(duration); its time limit is \(limit)\n", to: STDERR_FILENO)
  }

  /// Reports and ends the process. The watchdog's thread calls this if blocked clauses occupy every thread.
  func endStarvedRun(during id: CaseID, after limit: Duration) {
    record(
      .caseFinished(
        CaseResult(id: id, outcome: .timedOut(seconds: limit / .seconds(1)), seconds: 0)))
    record(
      .problem(
        "\(id) blocks every thread of the cooperative pool, so the run was ended; mark its "
          + "implementation .inOwnProcess(), or let the clause wait without blocking"))
    if role.isChild { _exit(1) }
    reportAtExit()
    _exit(1)
  }

  private func reportAtExit() {
    CaseProcesses.shared.removeAll()
    let hasProblems = finish()
    let matrix = self.matrix
    guard !matrix.tables.isEmpty || !matrix.omissions.isEmpty || hasProblems else { return }
    let settings = TerminalSettings(descriptor: STDOUT_FILENO)
    var report = TerminalReport(matrix, usesColour: settings.usesColour, journal: journal)
    report.width = settings.width
    platform_flush_output()
    let pruning = state.withLock(\.pruning).map { "\($0)\n" } ?? ""
    // The report ends with what the run left out.
    FileHandle.standardOutput.write(Data(("\n" + pruning + report.text).utf8))
    if hasProblems { _exit(1) }
  }
}

extension CasePattern {
  /// The most similar pattern of the same form that matches a case, or `nil` if none is similar.
  func suggestion(from ids: Set<CaseID>) -> String? {
    let hasClause = description.contains("/")
    let hasImplementation = description.contains("@")
    let candidates = Set(
      ids.map { id in
        let contract = description.hasPrefix("@") ? "" : id.contract
        return contract + (hasClause ? "/\(id.clause)" : "")
          + (hasImplementation ? "@\(id.implementation)" : "")
      })
    let nearest = candidates.sorted().map { ($0, editDistance($0, description)) }
      .min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= max(2, description.count / 4) else { return nil }
    return nearest.0
  }
}
