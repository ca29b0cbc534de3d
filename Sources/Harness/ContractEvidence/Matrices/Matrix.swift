/// The results of one or several runs: for each contract a table of clauses by implementations.
public struct Matrix: Hashable, Sendable {
  /// The tables, sorted by contract id.
  public var tables: [Table]

  /// Problems with declarations, with runs and with the journals themselves, in order.
  public var problems: [String]

  /// The results of one contract.
  public struct Table: Hashable, Sendable {
    /// The contract.
    public var contract: ContractSummary
    /// The columns: fakes, then recorded, then live implementations, by id within a kind.
    public var implementations: [ImplementationSummary]
    /// The rows, in the contract's order.
    public var rows: [Row]
    /// The results of the saboteurs, sorted by saboteur and clause.
    public var saboteurs: [SaboteurResult]
  }

  /// The results of one clause.
  public struct Row: Hashable, Sendable {
    /// The clause.
    public var clause: ClauseSummary
    /// One element for each column; `nil` if the case has not run.
    public var cells: [Cell?]
    /// The verdict, or `nil` if no case ran or the clause applies to no implementation.
    public var verdict: Verdict?
  }

  /// The result of one case, and the run that it comes from.
  public struct Cell: Hashable, Sendable {
    /// The result.
    public var result: CaseResult
    /// The run's id.
    public var run: String
    /// When the case ended, in seconds since 1970-01-01 00:00 UTC.
    public var time: Double
    /// Whether the case ran with the contract's current clauses and revision.
    public var isCurrent: Bool
  }

  /// Merges journals; each damaged line becomes a problem.
  public init(_ journal: Journal) {
    self.init(journal.records)
    problems += journal.damage.map {
      "\($0.path ?? "journal"):\($0.line): this line is damaged, \($0.reason)"
    }
  }

  /// Merges the records of one or several runs.
  ///
  /// If a case has several results, those of its latest run count, and of these the worst. A case
  /// that started and never ended has crashed, unless a later run has a result.
  /// - Parameter records: Records in any order; duplicates make no difference.
  public init(_ records: [JournalRecord]) {
    var builder = MatrixBuilder()
    for record in records { builder.add(record) }
    self = builder.matrix()
  }

  init(tables: [Table], problems: [String]) {
    self.tables = tables
    self.problems = problems
  }

  /// Every result, table by table.
  public var results: [CaseResult] {
    tables.flatMap { $0.rows.flatMap { $0.cells.compactMap { $0?.result } } }
  }

  /// Whether a problem, a case or a saboteur fails the run.
  public var isFailure: Bool {
    !problems.isEmpty || results.contains { $0.outcome.isFailure }
      || tables.contains { $0.saboteurs.contains { !$0.isCaught } || !$0.contract.unproven.isEmpty }
  }
}

/// What the outcomes of one clause on fakes and live implementations mean together.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
  /// Nothing failed, and the clause holds on a live implementation.
  case agree
  /// The clause holds on a live implementation and fails on a fake.
  case fakeLies = "fake lies"
  /// The clause fails on a live implementation, and holds on a fake or fails on none.
  case realityMoved = "reality moved"
  /// The clause fails on every fake and live implementation that ran it.
  case contractWrong = "contract wrong?"
  /// The clause neither holds nor fails on a live implementation: there is no evidence about the
  /// real system.
  case unproven

  /// Judges the outcomes of one clause.
  ///
  /// Deviations count neither as holding nor as failing. Recorded implementations count as fakes.
  /// - Parameter outcomes: The outcomes, each with the kind of its implementation.
  public init(_ outcomes: [(kind: ImplementationKind, outcome: Outcome)]) {
    func count(live: Bool, _ isCounted: (Outcome) -> Bool) -> Int {
      outcomes.count { ($0.kind == .live) == live && isCounted($0.outcome) }
    }
    let liveHolds = count(live: true) { $0 == .passed }
    let liveFails = count(live: true) { $0.isFailure }
    let fakeHolds = count(live: false) { $0 == .passed }
    let fakeFails = count(live: false) { $0.isFailure }
    self =
      if fakeFails > 0, liveHolds > 0 {
        .fakeLies
      } else if liveFails > 0, liveHolds + fakeHolds > 0 || fakeFails == 0 {
        .realityMoved
      } else if fakeFails > 0, liveFails > 0 {
        .contractWrong
      } else {
        liveHolds > 0 ? .agree : .unproven
      }
  }
}
