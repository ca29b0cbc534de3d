/// The result of one or several runs: clause × implementation, a table for each contract.
public struct Matrix: Hashable, Sendable {
  /// The tables, in order of the contracts' ids.
  public var tables: [Table]

  /// Problems of declarations and of runs, in order.
  public var problems: [String]

  /// The clauses of one contract, on all its implementations.
  public struct Table: Hashable, Sendable {
    /// The contract.
    public var contract: ContractSummary
    /// The columns: fakes first, then recorded, then live; by id within a kind.
    public var implementations: [ImplementationSummary]
    /// The rows, in the contract's order.
    public var rows: [Row]
    /// What became of the saboteurs.
    public var saboteurs: [SaboteurResult]
  }

  /// One clause on all implementations.
  public struct Row: Hashable, Sendable {
    /// The clause.
    public var clause: ClauseSummary
    /// The results, a place for each column; `nil` where the case has not run.
    public var cells: [CaseResult?]
    /// What the row says, or `nil` where nothing in it ran or applied.
    public var verdict: Verdict?
  }

  /// Puts the records of one or several runs together.
  ///
  /// Of several results of one case the latest run's counts, and the worst within that run. A case
  /// that began and never ended has crashed, unless a later run says better.
  /// - Parameter records: Records in any order; duplicates do no harm.
  public init(_ records: [JournalRecord]) {
    var contracts: [String: (time: Double, value: ContractSummary)] = [:]
    var implementations: [[String]: (time: Double, value: ImplementationSummary)] = [:]
    var results: [CaseID: (time: Double, run: String, value: CaseResult)] = [:]
    var open: [CaseID: [String: (starts: Int, ends: Int, last: Double)]] = [:]
    var saboteurs: [[String]: (time: Double, value: SaboteurResult)] = [:]
    problems = []

    for record in Set(records).sorted(by: { $0.time < $1.time }) {
      switch record.event {
      case .runStarted, .runFinished: break
      case .problem(let message): if !problems.contains(message) { problems.append(message) }
      case .contract(let contract): contracts[contract.id] = (record.time, contract)
      case .implementation(let one):
        implementations[[one.contract, one.id]] = (record.time, one)
      case .caseStarted(let id):
        open[id, default: [:]][record.run, default: (0, 0, 0)].starts += 1
        open[id]?[record.run]?.last = record.time
      case .caseFinished(let result):
        open[result.id, default: [:]][record.run, default: (0, 0, 0)].ends += 1
        if let earlier = results[result.id], earlier.run == record.run,
          earlier.value.outcome.severity > result.outcome.severity
        {
          break
        }
        results[result.id] = (record.time, record.run, result)
      case .saboteur(let result):
        saboteurs[[result.contract, result.saboteur, result.clause]] = (record.time, result)
      }
    }
    for (id, runs) in open {
      for (run, seen) in runs
      where seen.starts > seen.ends && seen.last >= results[id]?.time ?? 0 {
        let crash = CaseResult(id: id, outcome: .crashed(signal: 0), seconds: 0)
        results[id] = (seen.last, run, crash)
      }
    }

    tables = contracts.values.map(\.value).sorted { $0.id < $1.id }.map { contract in
      let kinds: [ImplementationKind] = [.fake, .recorded, .live]
      let columns = implementations.values.map(\.value).filter { $0.contract == contract.id }
        .sorted {
          (kinds.firstIndex(of: $0.kind) ?? 0, $0.id) < (kinds.firstIndex(of: $1.kind) ?? 0, $1.id)
        }
      let rows = contract.clauses.map { clause in
        let cells = columns.map { column in
          results[
            CaseID(contract: contract.id, clause: clause.id, implementation: column.id)]?.value
        }
        // A fixture that failed says nothing about the clause.
        let evidence = zip(columns, cells).compactMap { column, cell in
          cell.flatMap { cell in
            cell.issues.contains(where: \.isFixture)
              ? nil : (kind: column.kind, outcome: cell.outcome)
          }
        }
        let isSilent = cells.allSatisfy { cell in
          switch cell?.outcome {
          case nil, .notApplicable: true
          default: false
          }
        }
        return Row(
          clause: clause, cells: cells, verdict: isSilent ? nil : Verdict(evidence))
      }
      return Table(
        contract: contract, implementations: columns, rows: rows,
        saboteurs: saboteurs.values.map(\.value).filter { $0.contract == contract.id }
          .sorted { ($0.saboteur, $0.clause) < ($1.saboteur, $1.clause) })
    }
  }

  /// Every result, table by table.
  public var results: [CaseResult] {
    tables.flatMap { $0.rows.flatMap { $0.cells.compactMap(\.self) } }
  }

  /// Whether anything fails the run.
  public var isFailure: Bool {
    !problems.isEmpty || results.contains { $0.outcome.isFailure }
      || tables.contains { $0.saboteurs.contains { !$0.isCaught } || !$0.contract.unproven.isEmpty }
  }
}
