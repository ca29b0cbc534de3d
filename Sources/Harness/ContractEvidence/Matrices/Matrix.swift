/// The results of one or several runs: for each contract a table of clauses by implementations.
public struct Matrix: Equatable, Sendable {
  /// The tables, sorted by contract id.
  public var tables: [Table]

  /// Problems with declarations, with runs and with the journals themselves, in order.
  public var problems: [String]

  /// Those of ``problems`` that concern the journals themselves, such as damaged or missing lines. What such a matrix
  /// does not show may have been there.
  public var defects: [String] = []

  /// What the runs left out, in order. Other runs of the matrix may have run it.
  public var omissions: [Omission] = []

  /// Cases that a run made and did not run.
  public struct Omission: Equatable, Sendable {
    /// The number of cases.
    public var count: Int
    /// Why they did not run.
    public var reason: String

    package init(count: Int, reason: String) {
      self.count = count
      self.reason = reason
    }

    /// A sentence about the run.
    public var sentence: String {
      "not the whole run: \(count) case\(count == 1 ? "" : "s") left out (\(reason))"
    }
  }

  /// The results of one contract.
  public struct Table: Equatable, Sendable {
    /// The contract.
    public var contract: ContractSummary
    /// The columns: fakes, then recorded, then live implementations, by id within a kind.
    public var columns: [Column]
    /// The rows, in the contract's order.
    public var rows: [Row]
    /// The results of the saboteurs for the contract's current revision, sorted by saboteur and
    /// clause.
    public var saboteurs: [SaboteurResult] = []
    /// When the oldest of ``saboteurs`` ran, in seconds since 1970-01-01 00:00 UTC.
    public var strengthTime: Double?
    /// When the latest of ``saboteurs`` ran, in seconds since 1970-01-01 00:00 UTC.
    public var latestStrengthTime: Double?
  }

  /// An implementation on the platforms where all its results are equal.
  public struct Column: Equatable, Sendable {
    /// The implementation, as the latest run on these platforms describes it. If its version differs between them, the
    /// version names each.
    public var implementation: ImplementationSummary
    /// The implementation, as the latest run on each platform describes it.
    package var declarations: [String: ImplementationSummary]
    /// The platforms, sorted. A run that does not name its platform has an empty name.
    public var platforms: [String]
    /// Whether the implementation has another column, for platforms with other results.
    public var isSplit: Bool
    /// The runs whose results the column contains, each once.
    public var runs: [RunSummary]
    /// What the fixtures' witnesses observed, or `nil` if there are none.
    public var witness: Witness?
    /// Whether the fixture of a case could be made, so that it could be asked for its version.
    var hasRun = false

    /// What the witnesses of a column's cases observed.
    public struct Witness: Equatable, Sendable {
      /// What was sampled: `the database file`.
      public var name: String
      /// How the samples that changed were taken, each kind once.
      public var kinds: [WitnessKind] = []
      /// The number of cases that sampled it.
      public var sampledCases: Int
      /// The number of cases that changed it.
      public var touchingCases: Int
    }

    /// What a fake of the same contract is made of, if this column's fixtures have all of it: `in-memory (App.Memory)`.
    var likeFake: String?

    /// A sentence if the implementation is live and nothing shows that it is: no case touched what it adapts, or it has
    /// no witness and is made like a fake. Its results are then no evidence: a fake in its place would have the same.
    public var untouched: String? {
      guard implementation.kind == .live, witness?.touchingCases ?? 0 == 0 else { return nil }
      guard let witness else {
        return likeFake.map {
          "\(name) is unproven: it has no witness, and is made of what a fake is made of, \($0)"
        }
      }
      let count = witness.sampledCases
      return
        "\(name) is unproven: "
        + (count == 1 ? "its case did not change " : "none of its \(count) cases changed ")
        + "\(witness.name), so it may not reach the real thing"
    }

    /// Whether the implementation is live, has run, and did not say which version of the real thing it adapts.
    public var lacksVersion: Bool {
      implementation.kind == .live && hasRun && implementation.version == nil
    }

    /// The version, that it is not recorded, or `nil` if the implementation is not live and has none.
    package var versionText: String? {
      implementation.version ?? (lacksVersion ? "version not recorded" : nil)
    }

    /// The platforms, if the implementation has several columns: ` (linux, macos)`.
    public var suffix: String {
      guard isSplit else { return "" }
      let names = platforms.map { $0.isEmpty ? "unknown platform" : $0 }
      return " (\(names.joined(separator: ", ")))"
    }

    /// The implementation's id, and its platforms if it has several columns.
    public var name: String { implementation.id + suffix }
  }

  /// The results of one clause.
  public struct Row: Equatable, Sendable {
    /// The clause.
    public var clause: ClauseSummary
    /// One element for each column; `nil` if the case has not run.
    public var cells: [Cell?]
    /// The verdict, or `nil` if no case ran or the clause applies to no implementation.
    public var verdict: Verdict?
  }

  /// The result of one case, and the run that it comes from.
  public struct Cell: Equatable, Sendable {
    /// The result.
    public var result: CaseResult
    /// The run's id.
    public var run: String
    /// When the case ended, in seconds since 1970-01-01 00:00 UTC.
    public var time: Double
    /// Whether the case ran with the contract's current clauses and revision.
    public var isCurrent: Bool
    /// How many of the merged runs deviated as declared.
    public var deviatedRuns = 0
    /// How many of the merged runs held.
    public var heldRuns = 0
    /// The platforms in the name of the cell's column, ` (linux, macos)`, or nothing.
    public var suffix = ""

    package init(result: CaseResult, run: String, time: Double, isCurrent: Bool) {
      self.result = result
      self.run = run
      self.time = time
      self.isCurrent = isCurrent
    }

    /// The case's id, and the platforms if the implementation's results differ between them.
    public var name: String { result.id.description + suffix }
  }

  package init(tables: [Table], problems: [String]) {
    self.tables = tables
    self.problems = problems
  }

  /// Every cell with a result, table by table.
  public var cells: [Cell] {
    tables.flatMap { $0.rows.flatMap { $0.cells.compactMap(\.self) } }
  }

  /// The result of every cell.
  public var results: [CaseResult] { cells.map(\.result) }

  /// The runs of the results in words, each once: the commit, the system and the versions.
  public var runs: [String] {
    Set(tables.flatMap(\.columns).flatMap(\.runs).compactMap(\.text)).sorted()
  }

  /// The versions of the implementations, as `contract@implementation: version`.
  public var versions: [String] {
    tables.flatMap(\.columns).compactMap { column in
      column.implementation.version.map {
        "\(column.implementation.contract)@\(column.name): \($0)"
      }
    }
  }

  /// The live implementations whose version no run recorded, as `contract@implementation`.
  public var unversioned: [String] {
    tables.flatMap(\.columns).filter(\.lacksVersion).map {
      "\($0.implementation.contract)@\($0.name)"
    }
  }

  /// Whether a problem, a case or a saboteur fails the run.
  public var isFailure: Bool {
    !problems.isEmpty || cells.contains { $0.result.outcome.isFailure }
      || tables.contains {
        $0.saboteurs.contains { !$0.isCaught } || !$0.contract.clausesWithoutSaboteur.isEmpty
      }
  }
}

/// What the outcomes of one clause on fakes and live implementations mean together.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
  /// Nothing failed or deviated, and the clause holds on a live implementation.
  case agree
  /// Nothing failed, the clause holds on a live implementation, and another deviates as declared.
  case deviates
  /// The clause holds on a live implementation and fails on a fake.
  case fakeLies = "fake lies"
  /// The clause holds on a live implementation and fails on a recording, and fails on no fake.
  case recordingStale = "recording stale"
  /// The clause fails on a live implementation, and holds on a fake or on another live
  /// implementation.
  case realityMoved = "reality moved"
  /// The clause fails on every fake and live implementation that ran it, and both kinds ran it: the
  /// contract is wrong, or code that the implementations share, such as a model or a policy.
  case contractWrong = "contract or shared code?"
  /// The clause fails on live implementations, and no fake ran it.
  case fails
  /// The clause neither holds nor fails on a live implementation: there is no evidence about the
  /// real system.
  case unproven

  /// Judges the outcomes of one clause.
  ///
  /// Deviations and flaky results count neither as holding nor as failing, nor do crashes without a signal,
  /// which may be another case's. A recorded implementation that holds counts as a fake that holds.
  /// - Parameter outcomes: The outcomes, each with the kind of its implementation.
  public init(_ outcomes: [(kind: ImplementationKind, outcome: Outcome)]) {
    func count(live: Bool, _ isCounted: (Outcome) -> Bool) -> Int {
      outcomes.count { ($0.kind == .live) == live && isCounted($0.outcome) }
    }
    let fails = { (outcome: Outcome) in
      switch outcome {
      case .flaky, .crashed(signal: 0): false
      default: outcome.isFailure
      }
    }
    let liveHolds = count(live: true, \.holds)
    let liveFails = count(live: true, fails)
    let fakeHolds = count(live: false, \.holds)
    let fakeFails = outcomes.count { $0.kind == .fake && fails($0.outcome) }
    let recordedFails = outcomes.count { $0.kind == .recorded && fails($0.outcome) }
    let deviates = outcomes.contains { if case .deviates = $0.outcome { true } else { false } }
    self =
      if fakeFails > 0, liveHolds > 0 {
        .fakeLies
      } else if recordedFails > 0, liveHolds > 0 {
        .recordingStale
      } else if liveFails > 0, fakeHolds > 0 {
        .realityMoved
      } else if fakeFails + recordedFails > 0, liveFails > 0 {
        .contractWrong
      } else if liveFails > 0 {
        .fails
      } else {
        liveHolds == 0 ? .unproven : deviates ? .deviates : .agree
      }
  }
}
