import ContractEvidence

extension Contract {
  /// Returns the contract's cases on some implementations, as arguments of a parameterised test.
  ///
  /// ```swift
  /// @Test(arguments: Contract.cookies.cases(for: .inMemory, .sqlite))
  /// func holds(_ contractCase: ContractCase<CookieStoreFixture>) async throws {
  ///   try await contractCase.verify()
  /// }
  /// ```
  ///
  /// The environment selects cases: `CONTRACT="cookies/path-*@sqlite"`, `CONTRACT_KIND=live`. A mistake
  /// in the declarations becomes a case that fails and says how to correct it. The call itself has no
  /// effect outside the process: a case that runs opens the journal.
  ///
  /// - Parameter implementations: The implementations, each with a different id.
  public func cases(for implementations: Implementation<Fixture>...) -> [ContractCase<Fixture>] {
    cases(for: implementations)
  }

  /// Returns the contract's cases on some implementations, as arguments of a parameterised test.
  ///
  /// - Parameter implementations: The implementations, each with a different id.
  public func cases(for implementations: [Implementation<Fixture>]) -> [ContractCase<Fixture>] {
    let recorder = RunRecorder.current
    let declaration = CaseDeclaration(summary, implementations.map { $0.summary(for: id) })
    var cases: [ContractCase<Fixture>] = []
    var seen: Set<String> = []
    for implementation in implementations where seen.insert(implementation.id).inserted {
      var clauseIDs: Set<String> = []
      for clause in clauses where dropped[clause.id] == nil {
        guard clauseIDs.insert(clause.id).inserted else { continue }
        let caseID = CaseID(contract: id, clause: clause.id, implementation: implementation.id)
        guard recorder.selects(caseID, kind: implementation.kind) else { continue }
        cases.append(
          ContractCase(
            id: caseID.description, declaration: declaration,
            work: .clause(clause, implementation, caseID)))
      }
    }
    if let server = CaseServer.current { return standIns(for: cases, in: server, declaration) }
    let mistakes = problems(with: implementations).enumerated().map { index, problem in
      ContractCase<Fixture>(
        id: "\(id)/declaration-\(index + 1)@harness", declaration: declaration,
        work: .problem(problem))
    }
    let part = shard(of: cases, named: id, declaration)
    for terms in implementations.compactMap(\.liveTerms) { recorder.adopt(terms) }
    if let rules = recorder.liveRules {
      for case .clause(let clause, let implementation, let id) in part.map(\.work) {
        let one = LiveCase(id, clause, implementation)
        if let one { rules.register(one) }
      }
    }
    recorder.didTake(mistakes + part, of: declaration)
    return mistakes + part
  }

  /// The contract's saboteurs, as arguments of a parameterised test that shows its strength.
  ///
  /// Each saboteur must be caught by the clauses that it names, and each clause must be named by a
  /// saboteur, unless the contract leaves the others to mutants. A clause that is not becomes a case that
  /// fails and says so. The package that declares the contract runs them, in the test that runs the other
  /// cases or in a separate one:
  /// `Contract.cookies.cases(for: .inMemory, .sqlite) + Contract.cookies.saboteurCases`.
  ///
  /// The environment selects among them, as in `CONTRACT="cookies/path-*@saboteur.ignores-path"`.
  public var saboteurCases: [ContractCase<Fixture>] {
    let recorder = RunRecorder.current
    guard !recorder.role.isServer else { return [] }
    let declaration = CaseDeclaration(summary)
    var mistakes: [ContractCase<Fixture>] = []
    if !recorder.isSelective {
      mistakes = saboteurProblems.enumerated().map { index, problem in
        ContractCase(
          id: "\(id)@saboteur-declaration-\(index + 1)", declaration: declaration,
          work: .problem(problem))
      }
    }
    let cases = saboteurs.compactMap { saboteur -> ContractCase<Fixture>? in
      let name = "saboteur.\(saboteur.id)"
      let selected = clauses.filter { clause in
        saboteur.clauses.contains(clause.id)
          && recorder.selects(
            CaseID(contract: id, clause: clause.id, implementation: name), kind: nil)
      }
      guard !selected.isEmpty else { return nil }
      // A saboteur does not say which capabilities it has.
      let others = clauses.filter {
        !saboteur.clauses.contains($0.id) && $0.requires.isEmpty && $0.absenceOf == nil
      }
      return ContractCase(
        id: "\(id)@\(name)", declaration: declaration,
        work: .saboteur(saboteur, clauses: selected, others: others))
    }
    let part = shard(of: cases, named: "\(id)@saboteurs", declaration)
    recorder.didTake(mistakes + part, of: declaration)
    return mistakes + part
  }

  /// Registers the selected cases with the process's server.
  ///
  /// - Returns: Cases of which any can stand for all: for a child process all of them, because its test may
  ///   run a part of them, and for `contracts mutate` one, because each costs Swift Testing some 280 µs.
  private func standIns(
    for cases: [ContractCase<Fixture>], in server: CaseServer, _ declaration: CaseDeclaration
  ) -> [ContractCase<Fixture>] {
    for one in cases {
      guard case .clause(let clause, let implementation, let id) = one.work else { continue }
      server.register(one, clause, implementation, id)
    }
    if ProcessRole.current.isChild { return cases }
    let nothing = ContractCase<Fixture>(
      id: "\(id)@nothing-selected", declaration: declaration, work: .nothingSelected)
    return [cases.first ?? nothing]
  }

  /// This process's shard of the cases.
  ///
  /// If the environment selects no case, one case stands for them. Without it a selection that matches
  /// nothing anywhere would run nothing, and nothing could fail the run.
  private func shard(
    of cases: [ContractCase<Fixture>], named name: String, _ declaration: CaseDeclaration
  ) -> [ContractCase<Fixture>] {
    let recorder = RunRecorder.current
    guard cases.isEmpty, recorder.isSelective else {
      return recorder.shard(of: cases, named: name)
    }
    return [
      ContractCase(
        id: "\(name)@nothing-selected", declaration: declaration, work: .nothingSelected)
    ]
  }
}
