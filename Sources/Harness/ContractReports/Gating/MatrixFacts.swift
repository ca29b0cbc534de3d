import ContractEvidence

/// What a matrix shows and declares, by subject, so that two of them can be compared and merged.
struct MatrixFacts {
  private var contracts: [String: ContractFacts] = [:]
  private var members: [Member: [String: MemberFacts]] = [:]
  private var problems: [String] = []
  private var defects: [String] = []
  private var hasResults = false

  /// An implementation of a contract.
  private struct Member: Hashable {
    var contract: String
    var implementation: String
  }

  private struct ContractFacts {
    var isOwn: Bool?
    var revision: Int
    var digest: String
    /// The clauses that were not left out, by id.
    var clauses: [String: ClauseFacts] = [:]
    var dropped: [String: String]
    /// Whether each saboteur is caught, by clause and saboteur.
    var saboteurs: [String: [String: Bool]] = [:]

    /// Whether a clause was seen to fail.
    func shows(_ clause: String) -> Bool {
      saboteurs[clause]?.values.contains(true) == true
    }
  }

  private struct ClauseFacts {
    var summary: ClauseSummary
    var verdict: Verdict?
    var hasLiveEvidence = false
  }

  /// What an implementation showed and declared on one platform.
  private struct MemberFacts {
    var kind: ImplementationKind
    var version: String?
    /// The results by clause; those that are no evidence about the current revision are in ``stale``.
    var outcomes: [String: Outcome] = [:]
    var stale: Set<String> = []
    /// The deviations by clause.
    var deviations: [String: DeviationSummary]

    /// Whether a case ended on its own terms, so that its result says something about the clause.
    func hasResult(_ clause: String) -> Bool {
      switch outcomes[clause] {
      case .passed: !stale.contains(clause)
      case .deviates, .failed, .crashed, .timedOut, .flaky: true
      case .notApplicable, .unavailable, .notRun, nil: false
      }
    }
  }

  init(_ matrix: Matrix) {
    problems = matrix.problems
    defects = matrix.defects
    hasResults = !matrix.results.isEmpty
    for table in matrix.tables {
      let id = table.contract.id
      var contract = ContractFacts(
        isOwn: table.contract.isOwn, revision: table.contract.revision,
        digest: table.contract.digest,
        dropped: table.contract.dropped)
      for row in table.rows where table.contract.dropped[row.clause.id] == nil {
        contract.clauses[row.clause.id] = ClauseFacts(summary: row.clause, verdict: row.verdict)
      }
      for result in table.saboteurs {
        contract.saboteurs[result.clause, default: [:]][result.saboteur] = result.isCaught
      }
      for (index, column) in table.columns.enumerated() {
        let one = column.implementation
        var outcomes: [String: Outcome] = [:]
        var stale: Set<String> = []
        for row in table.rows {
          guard let cell = row.cells[index] else { continue }
          outcomes[row.clause.id] = cell.result.outcome
          if !cell.isCurrent || column.untouched != nil {
            stale.insert(row.clause.id)
          } else if one.kind == .live, cell.result.outcome.holds {
            contract.clauses[row.clause.id]?.hasLiveEvidence = true
          }
        }
        for (platform, declared) in column.declarations {
          members[Member(contract: id, implementation: one.id), default: [:]][platform] =
            MemberFacts(
              kind: declared.kind, version: declared.version, outcomes: outcomes, stale: stale,
              deviations: Dictionary(
                declared.deviations.map { ($0.clause, $0) }, uniquingKeysWith: { $1 }))
        }
      }
      contracts[id] = contract
    }
  }

  /// Adds what a later matrix shows, which may be of a part of the cases.
  mutating func overlay(_ later: Self) {
    contracts.merge(later.contracts) { $1 }
    for (member, platforms) in later.members {
      members[member, default: [:]].merge(platforms) { old, new in
        var facts = new
        facts.outcomes = old.outcomes.merging(new.outcomes) { $1 }
        facts.version = new.version ?? old.version
        return facts
      }
    }
    hasResults = hasResults || later.hasResults
  }

  // MARK: - Comparison

  /// The changes from these facts to later ones, sorted.
  func changes(to head: Self) -> [MatrixDifference.Change] {
    var changes = problemChanges(to: head) + clauseChanges(to: head)
    let unproven = Set(changes.filter { $0.kind == .newlyUnproven }.map(\.name))
    changes += memberChanges(to: head, unproven: unproven)
    let order = Dictionary(
      uniqueKeysWithValues: MatrixDifference.Kind.allCases.enumerated().map { ($1, $0) })
    return changes.sorted { one, other in
      (order[one.kind] ?? 0, one.name, one.detail ?? "")
        < (order[other.kind] ?? 0, other.name, other.detail ?? "")
    }
  }

  /// Whether what is missing here was missing when the journal was written.
  private var isSound: Bool { defects.isEmpty && hasResults }

  private func problemChanges(to head: Self) -> [MatrixDifference.Change] {
    let own = Set(problems)
    let others = Set(head.problems)
    func change(_ kind: MatrixDifference.Kind, _ text: String) -> MatrixDifference.Change {
      MatrixDifference.Change(kind: kind, detail: text)
    }
    let gone = problems.filter { !others.contains($0) && !defects.contains($0) }
    return head.problems.filter { !own.contains($0) }.map { change(.newProblem, $0) }
      + (hasResults ? defects : defects + ["it contains no result"]).map {
        change(.baseProblem, $0)
      }
      + gone.map { change(.problemGone, $0) }
  }

  private func clauseChanges(to head: Self) -> [MatrixDifference.Change] {
    var changes: [MatrixDifference.Change] = []
    for (id, contract) in contracts {
      let now = head.contracts[id]
      let known = changes.count
      for (clause, facts) in contract.clauses {
        func add(_ kind: MatrixDifference.Kind, _ detail: String? = nil) {
          changes.append(.init(kind: kind, contract: id, clause: clause, detail: detail))
        }
        guard let later = now?.clauses[clause] else {
          add(.dropped, now?.dropped[clause].map { "not run: \($0)" })
          continue
        }
        if facts.hasLiveEvidence, later.verdict == nil || later.verdict == .unproven {
          add(.newlyUnproven)
        }
        for text in later.summary.differences(from: facts.summary) { add(.changedClause, text) }
      }
      guard let now else { continue }
      changes += added(in: now, to: contract, id)
      if contract.isOwn == true, now.isOwn == false {
        changes.append(
          .init(
            kind: .changedKind, contract: id,
            detail: "was of this package, is of another, which has to show its strength"))
      }
      if contract.revision != now.revision {
        changes.append(
          .init(
            kind: .changedClause, contract: id,
            detail: "the revision was \(contract.revision), is \(now.revision)"))
      } else if contract.digest != now.digest, changes.count == known {
        changes.append(
          .init(
            kind: .changedClause, contract: id,
            detail: "the digest was \(contract.digest), is \(now.digest)"))
      }
      changes += saboteurChanges(from: contract, to: now, id)
    }
    for (id, contract) in head.contracts where contracts[id] == nil && isSound {
      changes += added(in: contract, to: nil, id)
    }
    return changes
  }

  private func added(
    in now: ContractFacts, to contract: ContractFacts?, _ id: String
  ) -> [MatrixDifference.Change] {
    now.clauses.keys.filter { contract?.clauses[$0] == nil }.map {
      MatrixDifference.Change(kind: .added, contract: id, clause: $0)
    }
  }

  private func saboteurChanges(
    from contract: ContractFacts, to now: ContractFacts, _ id: String
  ) -> [MatrixDifference.Change] {
    var changes: [MatrixDifference.Change] = []
    for clause in Set(contract.saboteurs.keys).union(now.saboteurs.keys) {
      var escapes = false
      for (saboteur, isCaught) in now.saboteurs[clause] ?? [:] {
        let before = contract.saboteurs[clause]?[saboteur]
        if !isCaught { escapes = true }
        guard isCaught ? before == false : before != false else { continue }
        changes.append(
          .init(
            kind: isCaught ? .newlyPassing : .newlyFailing, contract: id, clause: clause,
            implementation: "saboteur.\(saboteur)"))
      }
      guard contract.clauses[clause] != nil, now.clauses[clause] != nil, !escapes else { continue }
      let (was, isShown) = (contract.shows(clause), now.shows(clause))
      guard was != isShown else { continue }
      changes.append(
        .init(kind: was ? .strengthLost : .strengthGained, contract: id, clause: clause))
    }
    return changes
  }

  private func memberChanges(
    to head: Self, unproven: Set<String>
  ) -> [MatrixDifference.Change] {
    var changes: [MatrixDifference.Change] = []
    func change(
      _ kind: MatrixDifference.Kind, _ member: Member, _ platform: String? = nil
    ) -> MatrixDifference.Change {
      .init(
        kind: kind, contract: member.contract, implementation: member.implementation,
        platform: platform)
    }
    // If the whole contract is gone, its clauses are listed already.
    for (member, platforms) in members where head.contracts[member.contract] != nil {
      guard let now = head.members[member] else {
        changes.append(change(.dropped, member))
        continue
      }
      // A matrix of one system can be compared with that of another. The platform of a run without a first line is
      // not known.
      guard !Set(platforms.keys).isDisjoint(with: now.keys) else { continue }
      for platform in platforms.keys where now[platform] == nil && !platform.isEmpty {
        changes.append(change(.dropped, member, platform))
      }
    }
    for (member, platforms) in head.members {
      let before = members[member] ?? [:]
      if before.isEmpty, isSound, contracts[member.contract] != nil {
        changes.append(change(.added, member))
      }
      let isMoved = Set(platforms.keys).isDisjoint(with: before.keys)
      let known = before.sorted { $0.key < $1.key }.map(\.value)
      var found: [MatrixDifference.Change] = []
      for (platform, facts) in platforms {
        let old = before[platform] ?? (isMoved ? known.first : before[""])
        if old == nil, !before.isEmpty, !platform.isEmpty {
          found.append(change(.added, member, platform))
        }
        found += comparison(from: old, known: known, to: facts, member, head, unproven).map {
          var change = $0
          change.platform = platform
          return change
        }
      }
      let isSplit = Set(platforms.keys).union(before.keys).count > 1
      changes += Self.collapsed(found, platforms: isSplit ? platforms.count : nil)
    }
    return changes
  }

  /// The changes with those in one that are equal on every platform.
  ///
  /// - Parameter platforms: The number of platforms, or `nil` if there is only one in both matrices.
  private static func collapsed(
    _ changes: [MatrixDifference.Change], platforms: Int?
  ) -> [MatrixDifference.Change] {
    let groups = Dictionary(grouping: changes) { change in
      var change = change
      change.platform = nil
      return change
    }
    return groups.flatMap { common, group in
      guard let platforms else { return [common] }
      return platforms > 1 && group.count == platforms ? [common] : group
    }
  }

  /// Compares an implementation on one platform with what is known of it, on this platform and on others.
  private func comparison(
    from old: MemberFacts?, known: [MemberFacts], to new: MemberFacts, _ member: Member,
    _ head: Self, _ unproven: Set<String>
  ) -> [MatrixDifference.Change] {
    var changes: [MatrixDifference.Change] = []
    func add(_ kind: MatrixDifference.Kind, _ clause: String? = nil, _ detail: String? = nil) {
      changes.append(
        .init(
          kind: kind, contract: member.contract, clause: clause,
          implementation: member.implementation, detail: detail))
    }
    for (clause, outcome) in new.outcomes {
      let was = old?.outcomes[clause]
      if outcome.isFailure, was?.isFailure != true { add(.newlyFailing, clause) }
      if outcome.holds, was?.isFailure == true { add(.newlyPassing, clause) }
    }
    if let old {
      let clauses = head.contracts[member.contract]?.clauses ?? [:]
      for clause in clauses.keys where old.hasResult(clause) && !new.hasResult(clause) {
        if case .notApplicable(_, let reason) = new.outcomes[clause] {
          add(.notApplicable, clause, reason)
        } else if new.kind != .live || !unproven.contains("\(member.contract)/\(clause)") {
          add(.resultLost, clause, new.outcomes[clause]?.reason)
        }
      }
      if old.kind != new.kind {
        add(.changedKind, nil, "was \(old.kind.rawValue), is \(new.kind.rawValue)")
      }
      if old.version != new.version {
        let texts = [old.version, new.version].map { $0 ?? "not recorded" }
        add(.changedVersion, nil, "was \(texts[0]), is \(texts[1])")
      }
    }
    // Of an implementation that a damaged base lacks, nobody knows what it declared.
    guard !known.isEmpty || isSound else { return changes }
    for (clause, deviation) in new.deviations {
      let before =
        old.map { $0.deviations[clause] }
        ?? known.lazy.compactMap { $0.deviations[clause] }.first
      if let before {
        if before != deviation {
          add(.changedDeviation, clause, "was \(before.text), is \(deviation.text)")
        }
      } else {
        add(.newDeviation, clause, deviation.text)
      }
    }
    for (clause, deviation) in old?.deviations ?? [:] where new.deviations[clause] == nil {
      add(.deviationGone, clause, deviation.text)
    }
    return changes
  }
}

extension ClauseSummary {
  /// The differences that concern what the clause requires, in words.
  fileprivate func differences(from old: Self) -> [String] {
    let texts: [(String, String, String)] = [
      ("the sentence", old.sentence, sentence),
      ("the source", old.source ?? "none", source ?? "none"),
      (
        "the required capabilities", old.requires.joined(separator: ", "),
        requires.joined(separator: ", ")
      ), ("the absent capability", old.absenceOf ?? "none", absenceOf ?? "none"),
    ]
    return texts.filter { $0.1 != $0.2 }.map { name, old, new in
      let verb = name.hasSuffix("s") ? "were" : "was"
      let texts = [old, new].map { $0.isEmpty ? "none" : $0.clipped(to: 200) }
      return "\(name) \(verb) '\(texts[0])', now '\(texts[1])'"
    }
  }
}

extension DeviationSummary {
  /// The deviation in words, without the case.
  fileprivate var text: String {
    var words = [kind]
    if isIntermittent { words.append("intermittent") }
    if let until { words.append("until \(until)") }
    return "\(words.joined(separator: ", ")): \(reason)" + (link.map { " (\($0))" } ?? "")
  }
}
