import ContractEvidence

extension Matrix {
  /// Merges the records of one or several runs.
  ///
  /// - Parameter records: Records in any order; duplicates make no difference.
  public init(_ records: [JournalRecord]) { self.init(Journal(records: records)) }

  /// Merges journals of one or several runs.
  ///
  /// Results of different platforms are never merged. Of several results of a case on one platform,
  /// those of the commit of the latest run count. If some of them fail and others hold, the case is
  /// flaky: only a pass of a later commit replaces a failure. A run whose commit is not known counts
  /// as one of the same commit. A case that started and never ended has crashed, unless its end may be on a damaged
  /// line.
  ///
  /// Damaged and missing lines and contradictions are problems of the matrix, and ``Matrix/defects``.
  public init(_ journal: Journal) {
    let damaged = Set(journal.damage.flatMap(\.runs))
    var builder = MatrixBuilder(damagedRuns: damaged)
    var audit = JournalAudit()
    for record in journal.records {
      builder.add(record)
      audit.add(record)
    }
    self = builder.matrix()
    defects = journal.damageSentences + audit.defects(damaged: damaged)
    problems += defects
  }
}

/// Collects journal records in any order and merges them into a matrix.
struct MatrixBuilder {
  private var runs = Latest<String, RunSummary>()
  private var contracts = Latest<String, ContractSummary>()
  private var implementations: [Key: Latest<String, ImplementationSummary>] = [:]
  /// What the first fixtures have shown.
  private var described: [Key: Latest<String, ImplementationSummary>] = [:]
  private var saboteurs: [SaboteurKey: [Entry<SaboteurResult>]] = [:]
  private var digests = Latest<DigestKey, String>()
  private var histories: [CaseID: [Entry<CaseResult?>]] = [:]
  /// The runs in which a signal ended the process, and the journal says during which case.
  private var crashedRuns: Set<String> = []
  /// The runs that a damaged line may belong to.
  private let damagedRuns: Set<String>
  private var problems: [(time: Double, message: String)] = []
  /// What the only process left out. Of several, each may have run what another left out.
  private var omissions: [Matrix.Omission] = []
  /// When each process of each run began.
  private var starts: [String: Set<Double>] = [:]

  /// An implementation of a contract.
  private struct Key: Hashable {
    var contract: String
    var implementation: String
  }

  private struct SaboteurKey: Hashable {
    var saboteur: String
    var contract: String
    var clause: String
  }

  private struct DigestKey: Hashable {
    var run: String
    var contract: String
  }

  init(damagedRuns: Set<String>) { self.damagedRuns = damagedRuns }

  mutating func add(_ record: JournalRecord) {
    let time = record.time
    let run = record.run
    switch record.event {
    case .leftOut(let count, let reason):
      let omission = Matrix.Omission(count: count, reason: reason)
      if !omissions.contains(omission) { omissions.append(omission) }
    case .runFinished, .caseSlow: break
    case .runStarted(let summary):
      starts[run, default: []].insert(time)
      runs.keep(summary, for: run, at: time)
    case .problem(let message): problems.append((time, message))
    case .contract(var contract):
      contract.digest = contract.computedDigest
      contracts.keep(contract, for: contract.id, at: time)
      digests.keep(contract.digest, for: DigestKey(run: run, contract: contract.id), at: time)
    case .implementation(let one):
      let key = Key(contract: one.contract, implementation: one.id)
      implementations[key, default: .init()].keep(one, for: run, at: time)
      if one.version != nil || one.parts != nil {
        described[key, default: .init()].keep(one, for: run, at: time)
      }
    case .saboteur(let one):
      let key = SaboteurKey(saboteur: one.saboteur, contract: one.contract, clause: one.clause)
      saboteurs[key, default: []].append(Entry(run: run, time: time, value: one))
    case .caseStarted(let id):
      histories[id, default: []].append(Entry(run: run, time: time, value: nil))
    case .processCrashed(let id, let signal):
      crashedRuns.insert(run)
      let crash = CaseResult(id: id, outcome: .crashed(signal: signal), seconds: 0)
      histories[id, default: []].append(Entry(run: run, time: time, value: crash))
    case .caseFinished(let result):
      histories[result.id, default: []].append(Entry(run: run, time: time, value: result))
    }
  }

  func matrix() -> Matrix {
    let cells = self.cells()
    var matrix = Matrix(
      tables: contracts.values.sorted { $0.id < $1.id }.map { table(of: $0, cells) },
      problems: sortedProblems())
    if starts.values.map(\.count).reduce(0, +) == 1 { matrix.omissions = omissions }
    return matrix
  }

  private func platform(of run: String) -> String { runs[run]?.platform ?? "" }

  private func commit(of run: String) -> String? { runs[run]?.commit }

  /// The result of each case on each platform.
  private func cells() -> [CaseID: [String: Matrix.Cell]] {
    var cells: [CaseID: [String: Matrix.Cell]] = [:]
    for (id, entries) in histories {
      for (platform, entries) in Dictionary(grouping: entries, by: { self.platform(of: $0.run) }) {
        let history = CaseHistory(
          id: id, entries: entries, crashedRuns: crashedRuns, damagedRuns: damagedRuns,
          commit: commit)
        guard var cell = history.cell else { continue }
        let digest = digests[DigestKey(run: cell.run, contract: id.contract)]
        cell.isCurrent = digest == contracts[id.contract]?.digest
        cells[id, default: [:]][platform] = cell
      }
    }
    return cells
  }

  /// The problems by time, each message once.
  private func sortedProblems() -> [String] {
    var seen: Set<String> = []
    return problems.sorted { ($0.time, $0.message) < ($1.time, $1.message) }
      .map(\.message).filter { seen.insert($0).inserted }
  }

  // MARK: - Tables

  private func table(
    of contract: ContractSummary, _ cells: [CaseID: [String: Matrix.Cell]]
  ) -> Matrix.Table {
    var table = Matrix.Table(contract, columns(of: contract, cells))
    let saboteurs = saboteurResults(of: contract)
    table.saboteurs = saboteurs.map(\.value)
    table.strengthTime = saboteurs.map(\.time).min()
    table.latestStrengthTime = saboteurs.map(\.time).max()
    return table
  }

  private func columns(
    of contract: ContractSummary, _ cells: [CaseID: [String: Matrix.Cell]]
  ) -> [Matrix.Column.Filled] {
    implementations.keys.filter { $0.contract == contract.id }
      .flatMap { columns(of: $0, contract, cells) }
  }

  /// One column for each group of platforms with equal results.
  private func columns(
    of key: Key, _ contract: ContractSummary, _ cells: [CaseID: [String: Matrix.Cell]]
  ) -> [Matrix.Column.Filled] {
    let declared = implementations[key] ?? .init()
    var groups: [(platforms: [String], cells: [Matrix.Cell?])] = []
    for platform in Set(declared.keys.map(platform)).sorted() {
      let column = contract.clauses.map { clause in
        cells[
          CaseID(
            contract: key.contract, clause: clause.id, implementation: key.implementation)
        ]?[platform]
      }
      if let known = groups.firstIndex(where: { Self.agree($0.cells, column) }) {
        groups[known].platforms.append(platform)
        groups[known].cells = zip(groups[known].cells, column).map { one, other in
          (one?.time ?? 0) < (other?.time ?? 0) ? other : one
        }
      } else {
        groups.append(([platform], column))
      }
    }
    return groups.map { group in
      let isOfGroup = { (run: String) in group.platforms.contains(platform(of: run)) }
      var declarations: [String: ImplementationSummary] = [:]
      for name in group.platforms {
        let isHere = { (run: String) in platform(of: run) == name }
        declarations[name] = declared.latest(where: isHere)
        declarations[name]?.describe(by: described[key]?.latest(where: isHere))
      }
      let names = Set(declared.keys.filter(isOfGroup))
      var latest = declared.latest(where: isOfGroup)
      latest?.describe(by: described[key]?.latest(where: isOfGroup))
      return Matrix.Column.Filled(
        declarations,
        latest: latest
          ?? ImplementationSummary(
            contract: key.contract, id: key.implementation, kind: .fake, lacks: [:], deviations: []),
        isSplit: groups.count > 1,
        runs: Set(names.compactMap { runs[$0] }).sorted { "\($0)" < "\($1)" }, cells: group.cells)
    }
  }

  /// Whether two platforms have equal results for every clause, or both have none, and the real thing was touched on
  /// both or on neither.
  private static func agree(_ one: [Matrix.Cell?], _ other: [Matrix.Cell?]) -> Bool {
    func touches(_ cells: [Matrix.Cell?]) -> Bool? {
      let witnesses = cells.compactMap { $0?.result.witness }
      return witnesses.isEmpty ? nil : witnesses.contains(where: \.isTouched)
    }
    return touches(one) == touches(other)
      && zip(one, other).allSatisfy {
        $0?.result.outcome == $1?.result.outcome && $0?.isCurrent == $1?.isCurrent
      }
  }

  // MARK: - Saboteurs

  /// The result of each saboteur for the current revision. An escape on one platform, or in one of
  /// several runs of a commit, is an escape.
  private func saboteurResults(of contract: ContractSummary) -> [Entry<SaboteurResult>] {
    saboteurs.filter { $0.key.contract == contract.id }.compactMap { _, entries in
      let current = entries.filter { entry in
        let digest = digests[DigestKey(run: entry.run, contract: contract.id)]
        return digest == nil || digest == contract.digest
      }
      let byPlatform = Dictionary(grouping: current) { platform(of: $0.run) }
      let latest = byPlatform.values.compactMap { entries in
        entries.ofLatestCommit(commit).max { one, other in
          (one.value.isCaught ? 0 : 1, one.time, one.value.message)
            < (other.value.isCaught ? 0 : 1, other.time, other.value.message)
        }
      }
      guard
        var worst = latest.max(by: { one, other in
          (one.value.isCaught ? 0 : 1, platform(of: other.run))
            < (other.value.isCaught ? 0 : 1, platform(of: one.run))
        })
      else { return nil }
      let isCaughtElsewhere = latest.contains { $0.value.isCaught }
      if !worst.value.isCaught, isCaughtElsewhere {
        worst.value.message += " (on \(platform(of: worst.run)))"
      }
      return worst
    }
    .sorted { ($0.value.saboteur, $0.value.clause) < ($1.value.saboteur, $1.value.clause) }
  }
}

/// A value of a run at a time.
private struct Entry<Value> {
  var run: String
  var time: Double
  var value: Value
}

extension Array {
  /// The entries of the commit of the latest run. Runs whose commit is not known belong to it, for
  /// nothing shows that another commit was checked out.
  fileprivate func ofLatestCommit<Value>(_ commit: (String) -> String?) -> Self
  where Element == Entry<Value> {
    guard let latest = self.max(by: { ($0.time, $0.run) < ($1.time, $1.run) }) else { return [] }
    let current = commit(latest.run)
    return filter { entry in
      let other = commit(entry.run)
      return current == nil || other == nil || other == current
    }
  }
}

/// The latest value for each key, independent of the order in which values arrive.
private struct Latest<Key: Hashable, Value: Equatable> {
  private var entries: [Key: (time: Double, value: Value)] = [:]

  var keys: [Key] { Array(entries.keys) }

  var values: [Value] { entries.values.map(\.value) }

  /// The latest value of the keys that satisfy a condition.
  func latest(where isCounted: (Key) -> Bool) -> Value? {
    entries.filter { isCounted($0.key) }
      .max {
        $0.value.time == $1.value.time
          ? "\($0.value.value)" < "\($1.value.value)" : $0.value.time < $1.value.time
      }?
      .value.value
  }

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

/// The records of one case on one platform.
private struct CaseHistory {
  var id: CaseID
  /// The starts of the case (`value` is `nil`) and its ends.
  var entries: [Entry<CaseResult?>]
  /// The runs whose crash is another case's, unless this case has it as a result.
  var crashedRuns: Set<String>
  /// The runs in which a missing end may be on a damaged line.
  var damagedRuns: Set<String>
  var commit: (String) -> String?

  /// The result of the latest run's commit, or `nil` if there is none.
  var cell: Matrix.Cell? {
    let counted = entries.ofLatestCommit(commit)
    let byRun = Dictionary(grouping: counted, by: \.run)
    let results = byRun.flatMap { run, entries in ended(in: run, entries) }
      .sorted {
        // Any fixed order of equal times will do, or a merge would depend on the order of the files.
        ($0.time, $0.run) == ($1.time, $1.run)
          ? "\($0.result)" < "\($1.result)" : ($0.time, $0.run) < ($1.time, $1.run)
      }
    let merged = Matrix.Cell.merged(
      results, commit: results.lazy.compactMap { commit($0.run) }.first)
    guard var cell = merged else { return nil }
    if case .flaky(let reason) = cell.result.outcome, results.contains(where: \.isRetried) {
      cell.result.outcome = .flaky(reason: reason + rate(besides: results))
    }
    return cell
  }

  /// How many of all runs failed, whatever their commit, or nothing if no others did.
  private func rate(besides merged: [Matrix.Cell]) -> String {
    let isCounted = { (cell: Matrix.Cell) in
      cell.result.outcome.isFailure || cell.isEvidenceOfNoFailure
    }
    let all = Dictionary(grouping: entries, by: \.run).flatMap { run, entries in
      ended(in: run, entries)
    }.filter(isCounted)
    guard all.count > merged.count(where: isCounted) else { return "" }
    let failures = all.count(where: \.result.outcome.isFailure)
    return "; of all \(all.count) runs, \(failures) failed or were flaky"
  }

  /// The results of one run, and a crash if it started the case more often than it ended it. If the
  /// journal says which case crashed, the others that had started have no result.
  ///
  /// Starts and ends within a run are counted and not paired by time: the clock may have been set
  /// back between them.
  private func ended(in run: String, _ entries: [Entry<CaseResult?>]) -> [Matrix.Cell] {
    // By time, so that a journal that was merged twice makes no difference.
    let starts = Set(entries.filter { $0.value == nil }.map(\.time))
    var ends: [Double: [CaseResult]] = [:]
    for entry in entries {
      guard let result = entry.value, ends[entry.time]?.contains(result) != true else { continue }
      ends[entry.time, default: []].append(result)
    }
    var results = ends.flatMap { time, results in results.map { cell(run, time, $0) } }
    if starts.count > ends.count, !crashedRuns.contains(run), let time = starts.max() {
      let outcome: Outcome =
        damagedRuns.contains(run)
        ? .notRun(reason: "its result is missing, and a line of its journal is damaged")
        : .crashed(signal: 0)
      results.append(cell(run, time, CaseResult(id: id, outcome: outcome, seconds: 0)))
    }
    return results
  }

  private func cell(_ run: String, _ time: Double, _ result: CaseResult) -> Matrix.Cell {
    Matrix.Cell(result: result, run: run, time: time, isCurrent: true)
  }
}

extension ImplementationSummary {
  /// Takes what another summary knows from a fixture.
  fileprivate mutating func describe(by other: Self?) {
    version = other?.version
    parts = other?.parts
  }
}
