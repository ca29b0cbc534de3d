/// The result of one or several runs: clause × implementation, a table for each contract.
public struct Matrix: Hashable, Sendable {
  /// The tables, in order of the contracts' ids.
  public var tables: [Table]

  /// Problems of declarations, of runs and of the journals themselves, in order.
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
    public var cells: [Cell?]
    /// What the row says, or `nil` where nothing in it ran or applied.
    public var verdict: Verdict?
  }

  /// The result of one case, with where it comes from.
  public struct Cell: Hashable, Sendable {
    /// The result.
    public var result: CaseResult
    /// The run that gave it.
    public var run: String
    /// When the case ended, in seconds since 1970-01-01 00:00 UTC.
    public var time: Double
    /// Whether the run knew the contract as it is now: the same clauses in the same revision.
    public var isCurrent: Bool
  }

  /// Puts what journals say together; each damaged line is a problem.
  public init(_ journal: Journal) {
    self.init(journal.records)
    problems += journal.damage.map {
      "\($0.path ?? "journal"):\($0.line): this line is damaged, \($0.reason)"
    }
  }

  /// Puts the records of one or several runs together.
  ///
  /// Of several results of one case the latest run's counts, and the worst within that run. A case
  /// that began and never ended has crashed, unless a later run says better.
  /// - Parameter records: Records in any order; duplicates do no harm.
  public init(_ records: [JournalRecord]) {
    var contracts: [String: (time: Double, value: ContractSummary)] = [:]
    var implementations: [[String]: (time: Double, value: ImplementationSummary)] = [:]
    var saboteurs: [[String]: (time: Double, value: SaboteurResult)] = [:]
    var histories: [CaseID: [CaseHistory.Entry]] = [:]
    var digests: [[String]: (time: Double, value: String)] = [:]
    var problems: [(time: Double, message: String)] = []

    /// Keeps the latest; of two at one time always the same one, in whichever order they come.
    func keep<Key, Value: Hashable>(
      _ value: Value, _ key: Key, at time: Double,
      in latest: inout [Key: (time: Double, value: Value)]
    ) {
      if let known = latest[key] {
        if known.time > time || known.value == value && known.time == time { return }
        if known.time == time, "\(known.value)" > "\(value)" { return }
      }
      latest[key] = (time, value)
    }
    for record in records {
      switch record.event {
      case .runStarted, .runFinished: break
      case .problem(let message): problems.append((record.time, message))
      case .contract(let contract):
        keep(contract, contract.id, at: record.time, in: &contracts)
        keep(contract.digest, [record.run, contract.id], at: record.time, in: &digests)
      case .implementation(let one):
        keep(one, [one.contract, one.id], at: record.time, in: &implementations)
      case .saboteur(let one):
        keep(one, [one.contract, one.saboteur, one.clause], at: record.time, in: &saboteurs)
      case .caseStarted(let id):
        histories[id, default: []].append(.init(run: record.run, time: record.time, result: nil))
      case .caseFinished(let result):
        histories[result.id, default: []].append(
          .init(run: record.run, time: record.time, result: result))
      }
    }
    var seen: Set<String> = []
    self.problems = problems.sorted { ($0.time, $0.message) < ($1.time, $1.message) }
      .map(\.message).filter { seen.insert($0).inserted }
    let results = histories.reduce(into: [CaseID: Cell]()) { results, history in
      guard var cell = CaseHistory(entries: history.value).cell(of: history.key) else { return }
      let contract = history.key.contract
      cell.isCurrent = digests[[cell.run, contract]]?.value == contracts[contract]?.value.digest
      results[history.key] = cell
    }
    // A result without a column would otherwise not be seen at all.
    let undeclared = Set(
      histories.keys.filter { id in
        contracts[id.contract] == nil || implementations[[id.contract, id.implementation]] == nil
      }.map { "\($0.contract)@\($0.implementation)" })
    self.problems += undeclared.sorted().map {
      "there are results of \($0) and no record that declares it: a part of the journal is missing"
    }

    tables = contracts.values.map(\.value).sorted { $0.id < $1.id }.map { contract in
      let kinds: [ImplementationKind] = [.fake, .recorded, .live]
      let columns = implementations.values.map(\.value).filter { $0.contract == contract.id }
        .sorted {
          (kinds.firstIndex(of: $0.kind) ?? 0, $0.id) < (kinds.firstIndex(of: $1.kind) ?? 0, $1.id)
        }
      let rows = contract.clauses.map { clause in
        let cells = columns.map { column in
          results[CaseID(contract: contract.id, clause: clause.id, implementation: column.id)]
        }
        // A fixture that failed, or a contract that was another, says nothing about the clause.
        let evidence = zip(columns, cells).compactMap { column, cell in
          cell.flatMap { cell in
            cell.result.issues.contains(where: \.isFixture) || !cell.isCurrent
              ? nil : (kind: column.kind, outcome: cell.result.outcome)
          }
        }
        let isSilent = cells.allSatisfy { cell in
          switch cell?.result.outcome {
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
    tables.flatMap { $0.rows.flatMap { $0.cells.compactMap { $0?.result } } }
  }

  /// Whether anything fails the run.
  public var isFailure: Bool {
    !problems.isEmpty || results.contains { $0.outcome.isFailure }
      || tables.contains { $0.saboteurs.contains { !$0.isCaught } || !$0.contract.unproven.isEmpty }
  }
}

/// All that journals say of one case.
private struct CaseHistory {
  var entries: [Entry]

  /// The case began (no result) or ended.
  struct Entry {
    var run: String
    var time: Double
    var result: CaseResult?
  }

  /// The worst result of the latest run, or a crash where that run began the case and never ended it.
  ///
  /// Within a run starts and ends are counted, not ordered: its clock may have gone back.
  func cell(of id: CaseID) -> Matrix.Cell? {
    guard let latest = entries.max(by: { ($0.time, $0.run) < ($1.time, $1.run) }) else {
      return nil
    }
    let run = entries.filter { $0.run == latest.run }
    let starts = Set(run.filter { $0.result == nil }.map(\.time)).count
    let ends = Set(run.filter { $0.result != nil }.map(\.time)).count
    let result =
      starts > ends
      ? CaseResult(id: id, outcome: .crashed(signal: 0), seconds: 0)
      : run.compactMap { entry in entry.result.map { (time: entry.time, result: $0) } }
        .max {
          ($0.result.outcome.severity, $0.time, $0.result.seconds)
            < ($1.result.outcome.severity, $1.time, $1.result.seconds)
        }?.result
    return result.map {
      Matrix.Cell(result: $0, run: latest.run, time: latest.time, isCurrent: true)
    }
  }
}
