extension Matrix {
  /// The matrix of one run, for its test process, which prints it at its end.
  ///
  /// ContractReports merges journals of several runs and platforms.
  /// - Parameter records: The records of the run, in order.
  package init(run records: [JournalRecord]) {
    var run = RunMatrix()
    for record in records { run.add(record) }
    self.init(tables: run.tables, problems: run.problems)
    omissions = run.omissions
  }
}

/// Collects the records of one run.
private struct RunMatrix {
  private var summary: RunSummary?
  private var contracts: [String: ContractSummary] = [:]
  /// The implementations and their results, by contract and implementation.
  private var implementations: [String: [String: ImplementationSummary]] = [:]
  private var results: [CaseID: [Matrix.Cell]] = [:]
  /// The results by contract, saboteur and clause; an escape stays.
  private var saboteurs: [String: [String: SaboteurResult]] = [:]
  private(set) var problems: [String] = []
  private(set) var omissions: [Matrix.Omission] = []

  mutating func add(_ record: JournalRecord) {
    switch record.event {
    case .runStarted(let run): summary = run
    case .contract(let contract): contracts[contract.id] = contract
    case .implementation(var one):
      one.version = one.version ?? implementations[one.contract]?[one.id]?.version
      one.parts = one.parts ?? implementations[one.contract]?[one.id]?.parts
      implementations[one.contract, default: [:]][one.id] = one
    case .caseFinished(let result):
      let cell = Matrix.Cell(result: result, run: record.run, time: record.time, isCurrent: true)
      results[result.id, default: []].append(cell)
    case .saboteur(let one):
      let key = "\(one.saboteur) \(one.clause)"
      if saboteurs[one.contract]?[key]?.isCaught == false, one.isCaught { return }
      saboteurs[one.contract, default: [:]][key] = one
    case .leftOut(let count, let reason): omissions.append(.init(count: count, reason: reason))
    case .problem(let message): if !problems.contains(message) { problems.append(message) }
    case .caseStarted, .caseSlow, .processCrashed, .runFinished: break
    }
  }

  var tables: [Matrix.Table] {
    contracts.values.sorted { $0.id < $1.id }.map { contract in
      let columns = (implementations[contract.id] ?? [:]).values.map { one in
        Matrix.Column.Filled(
          [summary?.platform ?? "": one], latest: one, runs: summary.map { [$0] } ?? [],
          cells: contract.clauses.map { clause in
            let id = CaseID(contract: contract.id, clause: clause.id, implementation: one.id)
            return Matrix.Cell.merged(results[id] ?? [], commit: summary?.commit)
          })
      }
      var table = Matrix.Table(contract, columns)
      table.saboteurs = (saboteurs[contract.id] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
      return table
    }
  }
}

// MARK: - Tables from results

extension Matrix.Column {
  /// A column with its cells, one for each clause.
  package struct Filled {
    package var column: Matrix.Column
    package var cells: [Matrix.Cell?]

    /// Creates a column, which says what its cases' witnesses observed.
    ///
    /// - Parameters:
    ///   - declarations: The implementation as it is declared on each platform.
    ///   - latest: The latest of these.
    package init(
      _ declarations: [String: ImplementationSummary], latest: ImplementationSummary,
      isSplit: Bool = false, runs: [RunSummary], cells: [Matrix.Cell?]
    ) {
      column = Matrix.Column(
        implementation: latest, declarations: declarations, platforms: declarations.keys.sorted(),
        isSplit: isSplit, runs: runs)
      if Set(declarations.values.map(\.version)).count > 1 {
        column.implementation.version = column.platforms.map {
          "\(declarations[$0]?.version ?? "version not recorded") (\($0))"
        }.joined(separator: ", ")
      }
      self.cells = cells
      column.hasRun = cells.contains { cell in
        switch cell?.result.outcome {
        case .passed, .failed, .deviates, .flaky, .crashed, .timedOut: true
        case .notApplicable, .unavailable, .notRun, nil: false
        }
      }
      var sampled = 0
      var touching = 0
      var name: String?
      var kinds: Set<WitnessKind> = []
      for index in cells.indices {
        self.cells[index]?.suffix = column.suffix
        guard let witness = cells[index]?.result.witness else { continue }
        name = name ?? witness.name
        kinds.formUnion(witness.kinds)
        sampled += 1
        if witness.isTouched { touching += 1 }
      }
      if let name {
        column.witness = Witness(
          name: name, kinds: WitnessKind.allCases.filter(kinds.contains), sampledCases: sampled,
          touchingCases: touching)
      }
    }

    /// Fakes come first, then recordings, then live implementations.
    fileprivate var order: (Int, String, String) {
      let rank =
        switch column.implementation.kind {
        case .fake: 0
        case .recorded: 1
        case .live: 2
        }
      return (rank, column.implementation.id, column.platforms[0])
    }
  }
}

extension Matrix.Column {
  /// What a fake is made of, if the fixtures of this column have all of it.
  fileprivate func likeness(to fake: Self) -> String? {
    let parts = fake.implementation.parts ?? []
    guard !parts.isEmpty, Set(implementation.parts ?? []).isSuperset(of: parts) else { return nil }
    return "\(fake.name) (\(parts.joined(separator: ", ")))"
  }
}

extension Matrix.Table {
  /// Creates a table, and judges its rows.
  ///
  /// - Parameters:
  ///   - contract: The contract.
  ///   - columns: The columns in any order.
  package init(_ contract: ContractSummary, _ columns: [Matrix.Column.Filled]) {
    self.contract = contract
    let columns = columns.sorted { $0.order < $1.order }
    self.columns = columns.map(\.column)
    let fakes = self.columns.filter { $0.implementation.kind == .fake }
    for index in self.columns.indices where self.columns[index].implementation.kind == .live {
      self.columns[index].likeFake = fakes.lazy.compactMap(self.columns[index].likeness).first
    }
    rows = []
    for (index, clause) in contract.clauses.enumerated() {
      let cells = columns.map { $0.cells[index] }
      rows.append(Matrix.Row(clause: clause, cells: cells, verdict: verdict(of: cells)))
    }
  }

  private func verdict(of cells: [Matrix.Cell?]) -> Verdict? {
    var hasRun = false
    var evidence: [(kind: ImplementationKind, outcome: Outcome)] = []
    for (column, cell) in zip(columns, cells) {
      guard let cell else { continue }
      if case .notApplicable = cell.result.outcome {} else { hasRun = true }
      // A failed fixture, a result for another revision, or one of a live implementation that may be a
      // fake, is no evidence about the clause.
      if cell.isCurrent, column.untouched == nil, !cell.result.issues.contains(where: \.isFixture) {
        evidence.append((column.implementation.kind, cell.result.outcome))
      }
    }
    return hasRun ? Verdict(evidence) : nil
  }
}

extension Matrix.Cell {
  /// One cell from several results of a case on one platform and commit: the worst failure, or the latest
  /// result that is evidence. If some fail and others hold, the case is flaky.
  ///
  /// - Parameters:
  ///   - cells: The results, the earliest first.
  ///   - commit: The commit, if it is known.
  package static func merged(_ cells: [Self], commit: String?) -> Self? {
    guard let last = cells.last else { return nil }
    let failed = cells.filter { $0.result.outcome.isFailure }
    let held = cells.filter(\.isEvidenceOfNoFailure)
    var chosen = last
    if let worst = Self.worst(failed) {
      chosen = worst
      if let reason = reasonForFlaky(failed, held, of: commit) {
        chosen.result.outcome = .flaky(reason: reason)
      }
    } else {
      chosen = Self.worst(cells) ?? last
      switch chosen.result.outcome {
      // An implementation that is unavailable elsewhere takes no evidence away.
      case .unavailable, .notRun: chosen = held.last ?? chosen
      default: break
      }
    }
    for cell in cells {
      if case .deviates = cell.result.outcome { chosen.deviatedRuns += 1 }
      if cell.result.outcome == .passed { chosen.heldRuns += 1 }
    }
    return chosen
  }

  /// The reason if some results fail and others hold, also within one run that tried the case again.
  private static func reasonForFlaky(
    _ failed: [Self], _ held: [Self], of commit: String?
  ) -> String? {
    let retried = failed.filter(\.isRetried)
    if retried.isEmpty, held.isEmpty { return nil }
    let count = failed.count + held.count
    if count == 1 { return failed[0].result.outcome.reason }
    var reason = "failed in \(failed.count) of \(count) runs"
    if let commit { reason += " of commit \(commit.prefix(12))" }
    if !retried.isEmpty { reason += ", and passed when tried again in \(retried.count)" }
    return reason
  }

  /// The worst of the results of the latest run among some.
  private static func worst(_ cells: [Self]) -> Self? {
    guard let run = cells.last?.run else { return nil }
    return cells.filter { $0.run == run }.max { one, other in
      (one.result.outcome.severity, one.time, one.result.seconds)
        < (other.result.outcome.severity, other.time, other.result.seconds)
    }
  }

  /// Whether the case failed, and held when it was tried again.
  package var isRetried: Bool { if case .flaky = result.outcome { true } else { false } }

  /// Whether the clause held, or deviated as declared.
  package var isEvidenceOfNoFailure: Bool {
    switch result.outcome {
    case .passed, .deviates: true
    default: false
    }
  }
}
