/// Collects journal records in any order and merges them into a matrix.
struct MatrixBuilder {
  private var contracts = Latest<String, ContractSummary>()
  private var implementations = Latest<ImplementationKey, ImplementationSummary>()
  private var saboteurs = Latest<SaboteurKey, SaboteurResult>()
  private var digests = Latest<DigestKey, String>()
  private var histories: [CaseID: CaseHistory] = [:]
  private var problems: [(time: Double, message: String)] = []

  private struct ImplementationKey: Hashable {
    var contract: String
    var implementation: String
  }

  private struct SaboteurKey: Hashable {
    var contract: String
    var saboteur: String
    var clause: String
  }

  private struct DigestKey: Hashable {
    var run: String
    var contract: String
  }

  mutating func add(_ record: JournalRecord) {
    let time = record.time
    switch record.event {
    case .runStarted, .runFinished: break
    case .problem(let message): problems.append((time, message))
    case .contract(let contract):
      contracts.keep(contract, for: contract.id, at: time)
      digests.keep(
        contract.digest, for: DigestKey(run: record.run, contract: contract.id), at: time)
    case .implementation(let one):
      let key = ImplementationKey(contract: one.contract, implementation: one.id)
      implementations.keep(one, for: key, at: time)
    case .saboteur(let one):
      let key = SaboteurKey(contract: one.contract, saboteur: one.saboteur, clause: one.clause)
      saboteurs.keep(one, for: key, at: time)
    case .caseStarted(let id):
      histories[id, default: CaseHistory()].entries.append(
        .init(run: record.run, time: time, result: nil))
    case .caseFinished(let result):
      histories[result.id, default: CaseHistory()].entries.append(
        .init(run: record.run, time: time, result: result))
    }
  }

  func matrix() -> Matrix {
    let cells = self.cells()
    return Matrix(
      tables: contracts.values.sorted { $0.id < $1.id }.map { table(of: $0, cells) },
      problems: sortedProblems() + undeclaredResults())
  }

  /// The result of each case.
  private func cells() -> [CaseID: Matrix.Cell] {
    var cells: [CaseID: Matrix.Cell] = [:]
    for (id, history) in histories {
      guard var cell = history.cell(of: id) else { continue }
      let digest = digests[DigestKey(run: cell.run, contract: id.contract)]
      cell.isCurrent = digest == contracts[id.contract]?.digest
      cells[id] = cell
    }
    return cells
  }

  /// The problems by time, each message once.
  private func sortedProblems() -> [String] {
    var seen: Set<String> = []
    return problems.sorted { ($0.time, $0.message) < ($1.time, $1.message) }
      .map(\.message).filter { seen.insert($0).inserted }
  }

  /// One problem for each implementation that has results and no declaration. Its results have no
  /// column, so no table shows them.
  private func undeclaredResults() -> [String] {
    let undeclared = histories.keys.filter { id in
      contracts[id.contract] == nil
        || implementations[
          ImplementationKey(contract: id.contract, implementation: id.implementation)] == nil
    }
    return Set(undeclared.map { "\($0.contract)@\($0.implementation)" }).sorted().map {
      "the journals have results of \($0) and no record that declares it; part of a journal is "
        + "missing"
    }
  }

  private func table(of contract: ContractSummary, _ cells: [CaseID: Matrix.Cell]) -> Matrix.Table {
    let columns = columns(of: contract.id)
    return Matrix.Table(
      contract: contract, implementations: columns,
      rows: contract.clauses.map { clause in
        let cells = columns.map { column in
          cells[CaseID(contract: contract.id, clause: clause.id, implementation: column.id)]
        }
        return Matrix.Row(clause: clause, cells: cells, verdict: Self.verdict(on: columns, cells))
      },
      saboteurs: saboteurs.values.filter { $0.contract == contract.id }
        .sorted { ($0.saboteur, $0.clause) < ($1.saboteur, $1.clause) })
  }

  private func columns(of contract: String) -> [ImplementationSummary] {
    let kinds: [ImplementationKind] = [.fake, .recorded, .live]
    return implementations.values.filter { $0.contract == contract }.sorted {
      (kinds.firstIndex(of: $0.kind) ?? 0, $0.id) < (kinds.firstIndex(of: $1.kind) ?? 0, $1.id)
    }
  }

  private static func verdict(
    on columns: [ImplementationSummary], _ cells: [Matrix.Cell?]
  ) -> Verdict? {
    let ranNowhere = cells.allSatisfy { cell in
      switch cell?.result.outcome {
      case nil, .notApplicable: true
      default: false
      }
    }
    if ranNowhere { return nil }
    // A failed fixture, or a result for another revision, is no evidence about the clause.
    let evidence = zip(columns, cells).compactMap { column, cell in
      cell.flatMap { cell in
        cell.result.issues.contains(where: \.isFixture) || !cell.isCurrent
          ? nil : (kind: column.kind, outcome: cell.result.outcome)
      }
    }
    return Verdict(evidence)
  }
}

/// The latest value for each key, independent of the order in which values arrive.
private struct Latest<Key: Hashable, Value: Hashable> {
  private var entries: [Key: (time: Double, value: Value)] = [:]

  var values: [Value] { entries.values.map(\.value) }

  subscript(key: Key) -> Value? { entries[key]?.value }

  mutating func keep(_ value: Value, for key: Key, at time: Double) {
    if let known = entries[key] {
      if known.time > time || known.value == value && known.time == time { return }
      // Two values of the same time: any fixed order will do, or a merge would depend on the order
      // of the files.
      if known.time == time, "\(known.value)" > "\(value)" { return }
    }
    entries[key] = (time, value)
  }
}

/// The records of one case.
private struct CaseHistory {
  var entries: [Entry] = []

  /// The start of the case (`result` is `nil`) or its end.
  struct Entry {
    var run: String
    var time: Double
    var result: CaseResult?
  }

  /// The worst result of the latest run, or a crash if that run started the case and didn't end it.
  ///
  /// Starts and ends within a run are counted and not paired by time: the clock may have been set
  /// back between them.
  func cell(of id: CaseID) -> Matrix.Cell? {
    guard let latest = entries.max(by: { ($0.time, $0.run) < ($1.time, $1.run) }) else {
      return nil
    }
    let run = entries.filter { $0.run == latest.run }
    // Sets of times, so that a journal that was merged twice makes no difference.
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
