import ContractEvidence
public import Testing

/// One clause on one implementation, or one saboteur: the argument of a parameterised test.
public struct ContractCase<Fixture>: Sendable {
  /// The case's stable id: `cookies/path-match@sqlite`, or `cookies@saboteur.ignores-path`.
  public let id: String

  /// What the case's contract and implementations declare, for the journal.
  let declaration: CaseDeclaration

  let work: Work

  /// What to verify. It is boxed because Swift Testing copies arguments often.
  indirect enum Work: Sendable {
    case clause(Clause<Fixture>, Implementation<Fixture>, CaseID)
    /// `others` are clauses that the saboteur does not name, to tell whether it fails most of the contract.
    case saboteur(Saboteur<Fixture>, clauses: [Clause<Fixture>], others: [Clause<Fixture>])
    /// A mistake in the declarations.
    case problem(DeclarationProblem)
    /// Stands for all cases, because the environment selects none of them.
    case nothingSelected
  }

  /// Runs the case and judges what happened.
  ///
  /// Call it once from the body of a parameterised `@Test`. The test case
  /// - passes if the clause holds, or if the clauses that a saboteur names catch it;
  /// - records a known issue if the clause deviates as declared;
  /// - is cancelled if the clause does not apply or the implementation is unavailable;
  /// - fails otherwise.
  ///
  /// - Throws: ``OutsideTestError`` if no test is running, and Swift Testing's error when it cancels
  ///   the test case. A clause that fails throws nothing; it records issues.
  public func verify() async throws {
    guard let test = Test.current else { throw OutsideTestError(what: "\(id).verify()") }
    if let server = CaseServer.current { return await server.serve(in: test) }
    try await verify(in: test)
  }

  func verify(in test: Test) async throws {
    let recorder = RunRecorder.current
    recorder.declare(declaration)
    recorder.didVerify(id)
    switch work {
    case .clause(let clause, let implementation, let id):
      try await CaseRunner(
        clause: clause, implementation: implementation, id: id, test: test
      ).run()
    case .saboteur(let saboteur, let clauses, let others):
      await SaboteurRunner(
        contract: declaration.contract.id, saboteur: saboteur, clauses: clauses, others: others,
        test: test
      ).run()
    case .problem(let problem):
      recorder.record(.problem(problem.message))
      Issue.record("\(problem.message)", sourceLocation: problem.sourceLocation)
    case .nothingSelected:
      try cancelTestCase("CONTRACT and CONTRACT_KIND select no case here")
    }
  }
}

/// Cancels the current test case with a reason.
///
/// Does nothing in a test without parameters: cancelling would end the whole test, and skip the cases
/// that its body has not reached.
func cancelTestCase(
  _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  guard Test.Case.current?.isParameterized == true else { return }
  try Test.cancel("\(reason)", sourceLocation: sourceLocation)
}

extension ContractCase: CustomTestStringConvertible {
  public var testDescription: String {
    switch work {
    case .clause(let clause, _, _): "\(id), \(clause.sentence)"
    case .saboteur(let saboteur, _, _): "\(id), \(saboteur.flaw)"
    case .problem, .nothingSelected: id
    }
  }
}

extension ContractCase: CustomReflectable {
  /// A mirror without children. Swift Testing reflects on the arguments of each case, and a case holds
  /// a contract.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ContractCase: CustomTestArgumentEncodable {
  public func encodeTestArgument(to encoder: some Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id)
  }
}

/// A function that needs a running test was called outside of one.
public struct OutsideTestError: Error, Sendable, CustomStringConvertible {
  /// The call.
  public let what: String

  package init(what: String) { self.what = what }

  public var description: String {
    "\(what) needs a running test; call it from the body of a function marked @Test, and not from a "
      + "detached task"
  }
}

/// What the journal says of the contract and the implementations behind some cases.
///
/// All cases that one call returns share one object, so that the recorder can tell by its identity
/// whether it has recorded the declaration.
final class CaseDeclaration: Sendable {
  let contract: ContractSummary
  let implementations: [ImplementationSummary]

  init(_ contract: ContractSummary, _ implementations: [ImplementationSummary] = []) {
    self.contract = contract
    self.implementations = implementations
  }
}
