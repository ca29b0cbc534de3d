import ContractEvidence

/// Finds what makes journals unfit as evidence: missing lines, results that nothing declares, and contradictions.
///
/// The harness writes no such journal, so a part of it is missing, or someone has changed it.
struct JournalAudit {
  private var runs: [String: Run] = [:]
  private var declarations = Declarations()
  /// The clauses with results of saboteurs, by contract.
  private var saboteurs: [String: Set<String>] = [:]
  /// Defects of single records.
  private var others: [String] = []

  private struct Key: Hashable {
    var contract: String
    var implementation: String

    init(_ id: CaseID) { (contract, implementation) = (id.contract, id.implementation) }
    init(_ one: ImplementationSummary) { (contract, implementation) = (one.contract, one.id) }
  }

  /// What one run declares, or all of them.
  private struct Declarations {
    /// The clauses of each contract, by id.
    var clauses: [String: [String: ClauseSummary]] = [:]
    var implementations: [Key: Declared] = [:]

    struct Declared {
      /// How often the implementation is declared.
      var count = 0
      /// By clause, with an element for each declaration that has one.
      var deviations: [String: [DeviationSummary]] = [:]
      /// The capabilities that every declaration says it lacks.
      var lacks: Set<String>?
    }

    mutating func add(_ contract: ContractSummary) {
      clauses[contract.id, default: [:]].merge(contract.clauses.map { ($0.id, $0) }) { $1 }
    }

    mutating func add(_ one: ImplementationSummary) {
      implementations[Key(one), default: Declared()].count += 1
      let lacks = Set(one.lacks.keys)
      let known = implementations[Key(one)]?.lacks
      implementations[Key(one)]?.lacks = known?.intersection(lacks) ?? lacks
      for deviation in one.deviations {
        implementations[Key(one)]?.deviations[deviation.clause, default: []].append(deviation)
      }
    }
  }

  private struct Run {
    var platforms: Set<String> = []
    var commits: Set<String> = []
    /// The times of the first and last lines. Several processes can share a run.
    var starts: Set<Double> = []
    var ends: Set<Double> = []
    var declarations = Declarations()
    var cases: [CaseID: Case] = [:]
    /// Whether a signal ended a process, during a case that the journal names.
    var hasCrashed = false
  }

  private struct Case {
    /// Times and not counts, so that a journal that was merged twice makes no difference.
    var starts: Set<Double> = []
    var ends: Set<End> = []
  }

  private struct End: Hashable {
    var time: Double
    var outcome: Outcome
    var expectations: Int?
  }

  mutating func add(_ record: JournalRecord) {
    let time = record.time
    switch record.event {
    case .runStarted(let summary):
      runs[record.run, default: Run()].platforms.insert(summary.platform)
      if let commit = summary.commit { runs[record.run]?.commits.insert(commit) }
      runs[record.run, default: Run()].starts.insert(time)
    case .runFinished: runs[record.run, default: Run()].ends.insert(time)
    case .contract(let one):
      declarations.add(one)
      runs[record.run, default: Run()].declarations.add(one)
      let digest = one.computedDigest
      let ids = one.clauses.map(\.id)
      for id in Set(ids) where ids.count(where: { $0 == id }) > 1 {
        others.append("\(one.id) lists the clause \(id) more than once")
      }
      if one.digest != digest {
        others.append(
          "the digest of \(one.id), \(one.digest), is not that of its clauses, "
            + "\(digest): the journal has been changed")
      }
    case .implementation(let one):
      declarations.add(one)
      runs[record.run, default: Run()].declarations.add(one)
    case .caseStarted(let id):
      runs[record.run, default: Run()].cases[id, default: Case()].starts.insert(time)
    case .caseFinished(let result):
      runs[record.run, default: Run()].cases[result.id, default: Case()].ends
        .insert(End(time: time, outcome: result.outcome, expectations: result.expectations))
    case .processCrashed: runs[record.run, default: Run()].hasCrashed = true
    case .saboteur(let one): saboteurs[one.contract, default: []].insert(one.clause)
    case .problem, .caseSlow, .leftOut: break
    }
  }

  /// The defects as sentences, each once.
  ///
  /// - Parameter damaged: The runs that a damaged line may belong to. Of these, what is missing is on that line.
  func defects(damaged: Set<String>) -> [String] {
    let sentences = runs.sorted { $0.key < $1.key }.flatMap { id, run in
      (damaged.contains(id) ? [] : Self.missingLines(of: run, id))
        + Self.mixtures(in: run, id)
        + run.cases.sorted { $0.key < $1.key }.flatMap { defects(of: $0.key, $0.value, in: run) }
    }
    var seen: Set<String> = []
    return (sentences + others + unlistedSaboteurs + undeclaredResults).filter {
      seen.insert($0).inserted
    }
  }

  private static func missingLines(of run: Run, _ id: String) -> [String] {
    let platform = run.platforms.sorted().joined(separator: " and ")
    let name = "run \(id)" + (platform.isEmpty ? "" : " on \(platform)")
    if run.starts.isEmpty, !run.ends.isEmpty {
      return ["\(name) has no first line: part of its journal is missing"]
    }
    // A case without an end shows a crash.
    let isCrash = run.hasCrashed || run.cases.values.contains { $0.starts.count > $0.ends.count }
    if run.starts.count <= run.ends.count || isCrash { return [] }
    return [
      "\(name) has no last line: its process was ended before its end, or part of its journal is missing"
    ]
  }

  /// Results of several machines or commits under one id, which nothing can tell apart.
  private static func mixtures(in run: Run, _ id: String) -> [String] {
    [run.platforms, run.commits].filter { $0.count > 1 }.map { names in
      "run \(id) is of \(names.sorted().joined(separator: " and ")): set CONTRACT_RUN to another value "
        + "for each platform and commit"
    }
  }

  private func defects(of id: CaseID, _ one: Case, in run: Run) -> [String] {
    var defects: [String] = []
    let clauses = run.declarations.clauses[id.contract] ?? declarations.clauses[id.contract]
    let clause = clauses?[id.clause]
    if clauses != nil, clause == nil {
      defects.append("\(id) has a result, and the contract lists no such clause")
    }
    let outcomes = Set(one.ends.map(\.outcome))
    if one.ends.contains(where: { $0.outcome == .passed && $0.expectations == 0 }) {
      defects.append("\(id) passed, and evaluated no expectation")
    }
    if let clause, let lacks = run.declarations.implementations[Key(id)]?.lacks {
      defects += Self.defects(of: id, clause, lacking: lacks, outcomes)
    }
    if one.ends.count > max(one.starts.count, 1), outcomes.count > 1 {
      let names = Set(outcomes.map(\.name)).sorted().joined(separator: " and ")
      defects.append("\(id) has contradictory results of one start: \(names)")
    }
    let key = Key(id)
    guard
      let declared = run.declarations.implementations[key] ?? declarations.implementations[key]
    else { return defects }
    let deviations = declared.deviations[id.clause] ?? []
    if outcomes.contains(where: { if case .deviates = $0 { true } else { false } }),
      deviations.isEmpty
    {
      defects.append("\(id) deviates, and no deviation declares that")
    }
    if outcomes.contains(.passed), deviations.count == declared.count,
      !deviations.contains(where: \.isIntermittent)
    {
      defects.append("\(id) passed, and a deviation declares that it fails")
    }
    return defects
  }

  /// Results that do not fit what an implementation says it lacks.
  private static func defects(
    of id: CaseID, _ clause: ClauseSummary, lacking lacks: Set<String>, _ outcomes: Set<Outcome>
  ) -> [String] {
    outcomes.compactMap { outcome in
      switch outcome {
      case .notApplicable where clause.absenceOf == nil && lacks.isEmpty:
        "\(id) does not apply, and its implementation lacks nothing"
      case .passed where !lacks.isDisjoint(with: clause.requires):
        "\(id) passed, and its implementation lacks what the clause requires"
      default: nil
      }
    }
  }

  private var unlistedSaboteurs: [String] {
    saboteurs.sorted { $0.key < $1.key }.flatMap { contract, clauses in
      guard let listed = declarations.clauses[contract] else { return [String]() }
      return clauses.subtracting(listed.keys).sorted().map {
        "\(contract)/\($0) has the result of a saboteur, and the contract lists no such clause"
      }
    }
  }

  /// Results without a declaration have no column, so no table shows them.
  private var undeclaredResults: [String] {
    let cases = Set(runs.values.flatMap(\.cases.keys)).filter {
      declarations.clauses[$0.contract] == nil || declarations.implementations[Key($0)] == nil
    }
    let names = cases.map { "\($0.contract)@\($0.implementation)" }
    return Set(names + saboteurs.keys.filter { declarations.clauses[$0] == nil }).sorted().map {
      "the journals have results of \($0) and no record that declares it; part of a journal is "
        + "missing"
    }
  }
}

extension Journal {
  /// The damaged lines as sentences; lines of one file with the same reason share one.
  var damageSentences: [String] {
    var groups: [(first: Damage, lines: [Int])] = []
    var known: [[String]: Int] = [:]
    for one in damage {
      let key = [one.path ?? "", one.reason]
      if let index = known[key] {
        groups[index].lines.append(one.line)
      } else {
        known[key] = groups.count
        groups.append((one, [one.line]))
      }
    }
    return groups.map { first, lines in
      let place = "\(first.path ?? "journal"):\(first.line): this line"
      let what = first.reason.hasPrefix(JournalLineError.newerFormat) ? "unreadable" : "damaged"
      if lines.count == 1 { return "\(place) is \(what), \(first.reason)" }
      let others = lines.dropFirst().prefix(4).map(String.init) + (lines.count > 5 ? ["…"] : [])
      return "\(place) and \(lines.count - 1) more are \(what), \(first.reason) "
        + "(\(others.joined(separator: ", ")))"
    }
  }
}
