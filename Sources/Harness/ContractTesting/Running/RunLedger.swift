import ContractEvidence
import Foundation
import SystemLocks

/// The books of a run: which cases are asked for, what became of them, and the journal.
///
/// A process has one; tests of the harness keep their own by ``$override``.
final class RunLedger: Sendable {
  /// The ledger of the process, whose matrix is printed when the process ends.
  private static let process = RunLedger(
    environment: ProcessInfo.processInfo.environment, isReporting: true)

  /// A ledger that takes the place of the process's in a task and its children.
  @TaskLocal static var override: RunLedger?

  /// The ledger to write in.
  static var current: RunLedger { override ?? process }

  /// The run's id: the time in UTC and a random part, so that it is unique across machines.
  let run: String

  /// Whether the process runs one case for a parent.
  let isChild: Bool

  /// Where cases wait for their turn.
  let slots = CaseSlots()

  private let selection: Selection
  private let required: Set<ImplementationKind>
  private let state: Mutex<State>

  private struct State {
    var records: [JournalRecord] = []
    var writer: JournalWriter?
    var declared: Set<JournalRecord.Event> = []
    var unmatched: [CasePattern]
    var hasSelected = false
    var isFinished = false
  }

  /// Opens the books.
  ///
  /// - Parameters:
  ///   - environment: The environment that chooses cases and names folders.
  ///   - isReporting: Whether to print the matrix when the process ends.
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
        problems.append(
          "CONTRACT_REQUIRE='\(word)' is not understood: give one or more of "
            + ImplementationKind.allCases.map(\.rawValue).joined(separator: ", "))
      }
    }
    self.selection = selection
    self.required = required

    let time = Date()
    run = Self.name(at: time)
    let child = environment[OwnProcess.variable]
    isChild = child != nil
    var state = State(unmatched: selection.patterns.filter { !$0.isExclusion })
    let folder = environment["CONTRACT_JOURNAL_FOLDER"] ?? ".build/contracts"
    let path = child ?? environment["CONTRACT_JOURNAL"] ?? "\(folder)/\(run).jsonl"
    // The exit tests of Swift Testing are children that know nothing of the run.
    if environment["SWT_EXIT_TEST_ID"] == nil {
      do throws(JournalFileError) {
        state.writer = try JournalWriter(path: path)
        if !isChild, environment["CONTRACT_JOURNAL"] == nil {
          JournalWriter.makeLatest("\(run).jsonl", in: folder)
        }
      } catch {
        problems.append("\(error); without it the run leaves no evidence")
      }
    }
    self.state = Mutex(state)
    record(.runStarted(platform: Platform.currentName))
    for problem in problems { record(.problem(problem)) }
    if isReporting, !isChild, environment["SWT_EXIT_TEST_ID"] == nil {
      atexit { RunLedger.process.reportAtExit() }
    }
  }

  /// Adds a record to the books and to the journal.
  func record(_ event: JournalRecord.Event) {
    let record = JournalRecord(run: run, time: Date().timeIntervalSince1970, event: event)
    let writer = state.withLock { state in
      // That a case began matters to a reader of the journal only: here, each one ends.
      if case .caseStarted = event {} else { state.records.append(record) }
      return state.writer
    }
    do throws(JournalFileError) {
      try writer?.append(record)
    } catch {
      state.withLock { state in
        state.writer = nil
        state.records.append(
          JournalRecord(
            run: run, time: record.time,
            event: .problem("\(error); what followed is not in it")))
      }
    }
  }

  /// Enters a contract and its implementations, each once.
  func declare(_ contract: ContractSummary, _ implementations: [ImplementationSummary]) {
    for event in [.contract(contract)] + implementations.map(JournalRecord.Event.implementation) {
      if state.withLock({ $0.declared.insert(event).inserted }) { record(event) }
    }
  }

  /// Whether the case is asked for; remembers which patterns have found something.
  func selects(_ id: CaseID, kind: ImplementationKind?) -> Bool {
    guard selection.includes(id, kind: kind) else { return false }
    state.withLock { state in
      state.hasSelected = true
      state.unmatched.removeAll { $0.matches(id) }
    }
    return true
  }

  /// Whether patterns or kinds leave cases out.
  var isSelective: Bool { selection.isSelective }

  /// Whether implementations of this kind are explored: `CONTRACT` chooses cases, and nothing else runs.
  func explores(_ kind: ImplementationKind) -> Bool {
    selection.patterns.isEmpty && (selection.kinds.isEmpty || selection.kinds.contains(kind))
  }

  /// This machine's part of a contract's cases or saboteurs.
  func share<Element>(of list: [Element], named name: String) -> [Element] {
    selection.shard.part(of: list, named: name)
  }

  /// Whether `CONTRACT_REQUIRE` asks for evidence of this kind.
  func requires(_ kind: ImplementationKind) -> Bool { required.contains(kind) }

  /// The path of the journal, where one is written.
  var journal: String? { state.withLock { $0.writer?.path } }

  /// What the run has shown so far.
  var matrix: Matrix { Matrix(state.withLock(\.records)) }

  /// Ends the books: a selection that matched nothing is a problem of the run.
  ///
  /// - Returns: Whether there are problems that no test has reported.
  func finish() -> Bool {
    let (unmatched, hasSelected, isFirst) = state.withLock { state in
      defer { state.isFinished = true }
      return (state.unmatched, state.hasSelected, !state.isFinished)
    }
    guard isFirst else { return false }
    for pattern in unmatched {
      record(
        .problem(
          "CONTRACT='\(pattern)' matches no case of the tests that ran: check it against the ids "
            + "in the matrix, written contract/clause@implementation"))
    }
    if unmatched.isEmpty, !hasSelected, isSelective {
      record(
        .problem("the selection leaves no case to run: check CONTRACT and CONTRACT_KIND"))
    }
    record(.runFinished)
    return state.withLock { state in
      state.records.contains { record in
        guard case .problem = record.event else { return false }
        return true
      }
    }
  }

  /// Ends the process when every thread is blocked: nothing hangs a run.
  func endWedgedRun(during id: CaseID, after limit: Duration) {
    record(
      .caseFinished(
        CaseResult(id: id, outcome: .timedOut(seconds: limit / .seconds(1)), seconds: 0)))
    record(
      .problem(
        "\(id) blocks the threads that every task needs, so the run was ended; mark its "
          + "implementation .inOwnProcess(), or let the clause wait without blocking"))
    if isChild { _exit(1) }
    reportAtExit()
    _exit(1)
  }

  private func reportAtExit() {
    let hasProblems = finish()
    let matrix = self.matrix
    guard !matrix.tables.isEmpty || hasProblems else { return }
    let report = TerminalReport(
      matrix,
      usesColour: isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil,
      journal: journal)
    fflush(nil)
    FileHandle.standardOutput.write(Data(("\n" + report.text).utf8))
    if hasProblems { _exit(1) }
  }

  private static func name(at time: Date) -> String {
    var seconds = time_t(time.timeIntervalSince1970)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
    let clock = "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
    let random = String(UInt32.random(in: .min ... .max), radix: 36)
    return "\(day)T\(clock)Z-\(random)"
  }
}
