public import ContractEvidence

/// What several journals, each of one or several runs, show over time.
public struct EvidenceHistory: Sendable {
  /// The journals, the oldest first.
  public let points: [Point]

  /// The cases that fail in the last journal that ran them, by name.
  public let failing: [Failing]

  /// The cases that both held and failed on one commit, by name.
  public let flaky: [Flaky]

  /// The problems of each journal, such as damaged lines, in the order of the journals.
  public let problems: [Problem]

  /// What later journals declare otherwise than earlier ones: deviations, versions, kinds, clauses, capabilities.
  public let changes: [Change]

  /// A problem of one journal.
  public struct Problem: Hashable, Sendable {
    /// The journal's name.
    public var journal: String
    /// The problem.
    public var sentence: String
  }

  /// A change of a declaration.
  public struct Change: Hashable, Sendable {
    /// The first journal that shows it.
    public var point: Point
    /// The change.
    public var change: MatrixDifference.Change
  }

  /// One journal in numbers.
  public struct Point: Hashable, Sendable {
    /// The journal's name.
    public var name: String
    /// The time of its last record, in seconds since 1970-01-01 00:00 UTC.
    public var time: Double
    /// The commit of the last run that names one.
    public var commit: String?
    /// The number of cases with a result.
    public var cases: Int
    /// The number of cases that fail.
    public var failed: Int
    /// The number of cases that deviate as declared.
    public var deviating: Int
    /// The number of clauses that caught a saboteur.
    public var shownClauses: Int
    /// The number of clauses of the contracts in the journal.
    public var clauses: Int
    /// The number of problems of its runs and of the journal itself.
    public var problems: Int

    /// The day in UTC, and the commit if it is known: `2026-11-22 (commit 1a2b3c4d5e6f)`.
    public var text: String {
      "\(Day(at: time))" + (commit.map { " (commit \($0.prefix(12)))" } ?? "")
    }
  }

  /// A case that fails.
  public struct Failing: Hashable, Sendable {
    /// The case's id, and the platform.
    public var name: String
    /// The first of the consecutive journals in which it fails.
    public var since: Point
    /// In how many journals it has failed since then.
    public var count: Int
    /// The last journal in which it did not fail, or `nil` if there is none.
    public var lastHeld: Point?

    /// The failure in words, without the case.
    public var sentence: String {
      "fails since \(since.text), in \(count) journal\(count == 1 ? "" : "s"); "
        + (lastHeld.map { "held last on \($0.text)" } ?? "never held before")
    }
  }

  /// A case whose results on one commit and platform differ.
  public struct Flaky: Hashable, Sendable {
    /// The case's id, and the platform.
    public var name: String
    /// The commit.
    public var commit: String
    /// How many results failed.
    public var failed: Int
    /// How many results there are.
    public var count: Int
    /// How many of the failed results held when the case was tried again.
    public var retried = 0

    /// The results in words, without the case.
    public var sentence: String {
      "failed in \(failed) of \(count) run\(count == 1 ? "" : "s") of commit \(commit.prefix(12))"
        + (retried == 0 ? "" : ", and passed when tried again in \(retried)")
    }
  }

  /// Orders journals by time and compares them.
  ///
  /// - Parameter journals: The journals with their names, in any order. Those without a result are only
  ///   named if they have problems.
  public init(_ journals: [(name: String, journal: Journal)]) {
    let read = journals.map { (name: $0.name, journal: $0.journal, matrix: Matrix($0.journal)) }
    let all = read.compactMap { Evidence(name: $0.name, $0.journal, $0.matrix) }
      .sorted { ($0.point.time, $0.point.name) < ($1.point.time, $1.point.name) }
    points = all.map(\.point)
    problems = read.sorted { $0.name < $1.name }.flatMap { one in
      one.matrix.problems.map { Problem(journal: one.name, sentence: $0) }
    }
    changes = Self.changes(in: all)
    failing = Self.failing(in: all)
    flaky = Self.flaky(in: all)
  }

  /// Compares each journal with all before it, because a journal can be of a part of the cases.
  private static func changes(in all: [Evidence]) -> [Change] {
    guard var known = all.first?.facts else { return [] }
    var changes: [Change] = []
    for one in all.dropFirst() {
      changes += known.changes(to: one.facts).filter(\.kind.isOfDeclaration).map {
        Change(point: one.point, change: $0)
      }
      known.overlay(one.facts)
    }
    return changes
  }

  private static func failing(in all: [Evidence]) -> [Failing] {
    Set(all.flatMap(\.fails.keys)).compactMap { name in
      // Journals that did not run the case say nothing about it.
      let ran = all.filter { $0.fails[name] != nil }
      let failing = ran.reversed().prefix { $0.fails[name] == true }
      guard let first = failing.last else { return nil }
      return Failing(
        name: name, since: first.point, count: failing.count,
        lastHeld: ran.dropLast(failing.count).last?.point)
    }.sorted { $0.name < $1.name }
  }

  private static func flaky(in all: [Evidence]) -> [Flaky] {
    var results: [Execution: [String: Evidence.Ending]] = [:]
    // A run that is part of several journals counts once.
    for one in all {
      for (execution, runs) in one.executions {
        results[execution, default: [:]].merge(runs) { max($0, $1) }
      }
    }
    return results.compactMap { execution, runs in
      let failed = runs.values.count { $0 != .held }
      let retried = runs.values.count { $0 == .retried }
      guard failed > 0, failed < runs.count || retried > 0 else { return nil }
      return Flaky(
        name: execution.name, commit: execution.commit, failed: failed, count: runs.count,
        retried: retried)
    }.sorted { ($0.name, $0.commit) < ($1.name, $1.commit) }
  }
}

/// A case on one platform and commit.
private struct Execution: Hashable {
  var name: String
  var commit: String
}

/// What one journal says.
private struct Evidence {
  var point: EvidenceHistory.Point
  var facts: MatrixFacts
  /// Whether each case that ran fails, by the case's id with its platform.
  var fails: [String: Bool] = [:]
  /// For each execution, how it ended, by run.
  var executions: [Execution: [String: Ending]] = [:]

  /// How a case ended, in the order of what counts if a run has several results.
  enum Ending: Int, Comparable {
    case held
    /// It failed, and held when it was tried again.
    case retried
    case failed

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  init?(name: String, _ journal: Journal, _ matrix: Matrix) {
    guard !matrix.cells.isEmpty, let time = journal.records.map(\.time).max() else { return nil }
    var runs: [String: RunSummary] = [:]
    for record in journal.records {
      if case .runStarted(let run) = record.event { runs[record.run] = run }
    }
    let commit = journal.records.reversed().lazy.compactMap { runs[$0.run]?.commit }.first
    point = EvidenceHistory.Point(
      name: name, time: time, commit: commit, cases: matrix.cells.count,
      failed: matrix.results.count(where: \.outcome.isFailure),
      deviating: matrix.results.count { if case .deviates = $0.outcome { true } else { false } },
      shownClauses: matrix.tables.map(\.shownClauses).reduce(0, +),
      clauses: matrix.tables.map(\.contract.clauses.count).reduce(0, +),
      problems: matrix.problems.count)
    facts = MatrixFacts(matrix)
    for table in matrix.tables {
      for (index, column) in table.columns.enumerated() {
        for cell in table.rows.compactMap({ $0.cells[index] }) where cell.result.outcome.isEvidence
        {
          for platform in column.platforms {
            fails[Self.name(cell.result.id, on: platform)] = cell.result.outcome.isFailure
          }
        }
      }
    }
    for record in journal.records {
      guard case .caseFinished(let result) = record.event, result.outcome.isEvidence,
        let run = runs[record.run], let commit = run.commit
      else { continue }
      let execution = Execution(name: Self.name(result.id, on: run.platform), commit: commit)
      var ending: Ending = result.outcome.isFailure ? .failed : .held
      if case .flaky = result.outcome { ending = .retried }
      executions[execution, default: [:]].merge([record.run: ending]) { max($0, $1) }
    }
  }

  private static func name(_ id: CaseID, on platform: String) -> String {
    platform.isEmpty ? id.description : "\(id) (\(platform))"
  }
}

extension Outcome {
  /// Whether the outcome says anything about the clause's behaviour.
  fileprivate var isEvidence: Bool {
    switch self {
    case .passed, .deviates, .failed, .crashed, .timedOut, .flaky: true
    case .notApplicable, .unavailable, .notRun: false
    }
  }
}
