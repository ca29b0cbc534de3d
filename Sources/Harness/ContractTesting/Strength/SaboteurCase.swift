import ContractEvidence
public import Testing

/// One saboteur, or one mistake in the declarations: the argument of a parameterised test.
public struct SaboteurCase<Fixture>: Sendable {
  /// The case's stable name: `cookies@saboteur.ignores-path`.
  public let id: String

  let work: Work

  indirect enum Work: Sendable {
    case saboteur(Contract<Fixture>, Saboteur<Fixture>, clauses: [Clause<Fixture>])
    case problem(DeclarationProblem)
  }

  /// Runs each clause that the saboteur names on it; the test fails unless every one catches it.
  ///
  /// Call it from the body of a `@Test`.
  /// - Throws: ``OutsideTestError`` when no test is running.
  public func verify() async throws {
    guard let test = Test.current else { throw OutsideTestError(what: "\(id).verify()") }
    switch work {
    case .problem(let problem):
      Issue.record("\(problem.message)", sourceLocation: problem.sourceLocation)
    case .saboteur(let contract, let saboteur, let clauses):
      let ledger = RunLedger.current
      for clause in clauses {
        let escape = await ledger.slots.holding {
          await Self.escape(of: saboteur, from: clause, in: test)
        }
        let result = SaboteurResult(
          contract: contract.id, saboteur: saboteur.id, clause: clause.id,
          isCaught: escape.reason == nil, message: escape.reason ?? escape.said)
        ledger.record(.saboteur(result))
        guard let reason = escape.reason else { continue }
        Issue.record(
          "\(contract.id): the saboteur '\(saboteur.id)' (\(saboteur.flaw)) \(reason)",
          sourceLocation: clause.sourceLocation)
      }
    }
  }

  /// How a saboteur got past a clause, or `nil`, and what the clause said of it.
  private static func escape(
    of saboteur: Saboteur<Fixture>, from clause: Clause<Fixture>, in test: Test
  ) async -> (reason: String?, said: String) {
    let collector = IssueCollector()
    let life = FixtureLife(clause: clause, make: saboteur.make)
    let isEnded = await TimeLimit(saboteur.timeLimit, expired: { _ = collector.close() }).run {
      try? await collector.collect(in: test) {
        await life.run(collector, madeAt: saboteur.sourceLocation)
      }
    }
    let issues = collector.close()
    if let broken = issues.first(where: \.isFixture) {
      return ("is no use: \(broken.message)", "")
    }
    guard isEnded else { return (nil, "did not end within \(saboteur.timeLimit)") }
    guard let first = issues.first else {
      return (
        "escaped the clause '\(clause.id)': the clause can't tell it from a sound implementation, "
          + "so strengthen the clause or correct caughtBy:", ""
      )
    }
    if let message = saboteur.message, !issues.contains(where: { $0.message.contains(message) }) {
      return (
        "is caught by the clause '\(clause.id)', which says '\(first.message)' and not "
          + "'\(message)': make the clause say what is wrong, or correct saying:", first.message
      )
    }
    return (nil, first.message)
  }
}

extension SaboteurCase: CustomTestStringConvertible {
  public var testDescription: String {
    if case .saboteur(_, let saboteur, _) = work { "\(id), \(saboteur.flaw)" } else { id }
  }
}

extension SaboteurCase: CustomReflectable {
  /// No children, as in ``ContractCase``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SaboteurCase: CustomTestArgumentEncodable {
  public func encodeTestArgument(to encoder: some Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id)
  }
}

extension Contract {
  /// The contract's saboteurs, as arguments of a parameterised test that shows its strength.
  ///
  /// Each saboteur must be caught by the clauses that it names, and each clause must be named by a
  /// saboteur; a clause that is not becomes a case that fails and says so. The environment chooses
  /// among them, as `CONTRACT="cookies/path-*@saboteur.ignores-path"`.
  public var saboteurs: [SaboteurCase<Fixture>] {
    let ledger = RunLedger.current
    guard !ledger.isChild else { return [] }
    var mistakes: [SaboteurCase<Fixture>] = []
    var cases: [SaboteurCase<Fixture>] = []
    if !ledger.isSelective {
      for (index, problem) in saboteurProblems.enumerated() {
        mistakes.append(
          SaboteurCase(id: "\(id)@saboteur-declaration-\(index + 1)", work: .problem(problem)))
        ledger.record(.problem(problem.message))
      }
    }
    ledger.declare(summary, [])
    for saboteur in brokenImplementations {
      let name = "saboteur.\(saboteur.id)"
      let chosen = clauses.filter { clause in
        saboteur.clauses.contains(clause.id)
          && ledger.selects(
            CaseID(contract: id, clause: clause.id, implementation: name), kind: nil)
      }
      guard !chosen.isEmpty else { continue }
      cases.append(
        SaboteurCase(id: "\(id)@\(name)", work: .saboteur(self, saboteur, clauses: chosen)))
    }
    return mistakes + ledger.share(of: cases, named: "\(id)@saboteurs")
  }
}
