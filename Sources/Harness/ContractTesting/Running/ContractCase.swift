import ContractEvidence
public import Testing

/// One clause on one implementation: the argument of a parameterised test.
public struct ContractCase<Fixture>: Sendable {
  /// The case's stable name: `cookies/path-match@sqlite`.
  public let id: String

  let work: Work

  /// What there is to verify; boxed, since Swift Testing copies its arguments often.
  indirect enum Work: Sendable {
    case clause(Contract<Fixture>, Clause<Fixture>, Implementation<Fixture>, CaseID)
    /// Something is wrong with the declarations.
    case problem(DeclarationProblem)
  }

  /// Runs the clause on the implementation and judges what happened.
  ///
  /// Call it from the body of a `@Test`. The test fails unless the clause holds, deviates as
  /// declared or does not apply.
  /// - Throws: ``OutsideTestError`` when no test is running; never for a clause that fails, which
  ///   records issues instead.
  public func verify() async throws {
    guard let test = Test.current else { throw OutsideTestError(what: "\(id).verify()") }
    switch work {
    case .problem(let problem):
      Issue.record("\(problem.message)", sourceLocation: problem.sourceLocation)
    case .clause(_, let clause, let implementation, let id):
      await CaseRunner(clause: clause, implementation: implementation, id: id, test: test).run()
    }
  }
}

extension ContractCase: CustomTestStringConvertible {
  public var testDescription: String {
    switch work {
    case .clause(_, let clause, _, _): "\(id), \(clause.sentence)"
    case .problem: id
    }
  }
}

extension ContractCase: CustomReflectable {
  /// No children: Swift Testing reflects on the arguments of every case, and a case holds a contract.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ContractCase: CustomTestArgumentEncodable {
  public func encodeTestArgument(to encoder: some Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id)
  }
}

/// A call that needs a running test, made outside of one.
public struct OutsideTestError: Error, Sendable, CustomStringConvertible {
  /// The call.
  public let what: String

  package init(what: String) { self.what = what }

  public var description: String {
    "\(what) needs a running test: call it from the body of a function marked @Test, and not from "
      + "a detached task"
  }
}

extension Contract {
  /// The contract's cases on these implementations, as arguments of a parameterised test.
  ///
  /// The environment chooses among them: `CONTRACT="cookies/path-*@sqlite"`, `CONTRACT_KIND=live`.
  /// A mistake in the declarations becomes a case that fails and says what to do.
  public func cases(for implementations: Implementation<Fixture>...) -> [ContractCase<Fixture>] {
    cases(for: implementations)
  }

  /// The contract's cases on these implementations, as arguments of a parameterised test.
  ///
  /// The environment chooses among them: `CONTRACT="cookies/path-*@sqlite"`, `CONTRACT_KIND=live`.
  /// A mistake in the declarations becomes a case that fails and says what to do.
  public func cases(for implementations: [Implementation<Fixture>]) -> [ContractCase<Fixture>] {
    let ledger = RunLedger.current
    var mistakes: [ContractCase<Fixture>] = []
    var cases: [ContractCase<Fixture>] = []
    if !ledger.isChild {
      for (index, problem) in problems(with: implementations).enumerated() {
        mistakes.append(
          ContractCase(id: "\(id)/declaration-\(index + 1)@harness", work: .problem(problem)))
        ledger.record(.problem(problem.message))
      }
    }
    ledger.declare(summary, implementations.map { $0.summary(for: id) })
    var seen: Set<String> = []
    for implementation in implementations where seen.insert(implementation.id).inserted {
      var clauseIDs: Set<String> = []
      for clause in clauses where dropped[clause.id] == nil {
        guard clauseIDs.insert(clause.id).inserted else { continue }
        let caseID = CaseID(contract: id, clause: clause.id, implementation: implementation.id)
        guard ledger.selects(caseID, kind: implementation.kind) else { continue }
        cases.append(
          ContractCase(
            id: caseID.description, work: .clause(self, clause, implementation, caseID)))
      }
    }
    return mistakes + ledger.share(of: cases, named: id)
  }
}
