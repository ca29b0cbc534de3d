import ContractEvidence
public import Testing

/// An implementation that is broken on purpose, with the clauses that must catch it.
///
/// A saboteur is a hand-written mutant: it shows that a clause can fail.
public struct Saboteur<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What is wrong with the implementation, for reports.
  public let flaw: String

  /// The ids of the clauses that must catch the saboteur.
  public let clauses: [String]

  /// A part of the message that each of the clauses must give, or `nil`.
  public let message: String?

  /// How long a clause may run. A clause that runs longer has caught the saboteur.
  let timeLimit: Duration

  /// Where the saboteur is declared.
  let sourceLocation: SourceLocation

  let make: @Sendable (FixtureScope) async throws -> Fixture

  /// Declares a saboteur.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - flaw: What is wrong with the implementation.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give. A failure with a message
  ///     that nobody understands is half a failure.
  ///   - timeLimit: How long a clause may run. A clause that runs longer has caught the saboteur.
  ///   - sourceLocation: Where the saboteur is declared.
  ///   - make: Makes a new fixture, and registers teardown actions with the scope.
  public init(
    _ id: String, _ flaw: String, caughtBy clauses: String..., saying message: String? = nil,
    timeLimit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) {
    self.init(
      id, flaw, caughtBy: clauses, saying: message, timeLimit: timeLimit,
      sourceLocation: sourceLocation, make)
  }

  /// Declares a saboteur whose fixture needs no teardown.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - flaw: What is wrong with the implementation.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give.
  ///   - timeLimit: How long a clause may run. A clause that runs longer has caught the saboteur.
  ///   - sourceLocation: Where the saboteur is declared.
  ///   - make: Makes a new fixture.
  public init(
    _ id: String, _ flaw: String, caughtBy clauses: String..., saying message: String? = nil,
    timeLimit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable () async throws -> Fixture
  ) {
    self.init(
      id, flaw, caughtBy: clauses, saying: message, timeLimit: timeLimit,
      sourceLocation: sourceLocation
    ) { _ in try await make() }
  }

  /// Declares a saboteur with its clauses in an array, for a function that forwards a list of them.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - flaw: What is wrong with the implementation.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give, or `nil`.
  ///   - timeLimit: How long a clause may run. A clause that runs longer has caught the saboteur.
  ///   - sourceLocation: Where the saboteur is declared.
  ///   - make: Makes a new fixture, and registers teardown actions with the scope.
  public init(
    _ id: String, _ flaw: String, caughtBy clauses: [String], saying message: String? = nil,
    timeLimit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (FixtureScope) async throws -> Fixture
  ) {
    self.id = id
    self.flaw = flaw
    self.clauses = clauses
    self.message = message
    self.timeLimit = timeLimit
    self.sourceLocation = sourceLocation
    self.make = make
  }
}

/// Runs the clauses that a saboteur names on the saboteur, and fails the test if one lets it pass.
struct SaboteurRunner<Fixture>: Sendable {
  var contract: String
  var saboteur: Saboteur<Fixture>
  var clauses: [Clause<Fixture>]
  /// Clauses that the saboteur does not name. If it fails most of them, its flaw is not narrow.
  var others: [Clause<Fixture>]
  var test: Test

  func run() async {
    let recorder = RunRecorder.current
    for clause in clauses {
      let verdict = await recorder.semaphore.withPermit { await judge(clause) }
      let result = SaboteurResult(
        contract: contract, saboteur: saboteur.id, clause: clause.id,
        isCaught: verdict.escape == nil, message: verdict.escape ?? verdict.message)
      recorder.record(.saboteur(result))
      guard let escape = verdict.escape else { continue }
      Issue.record(
        "\(contract): the saboteur '\(saboteur.id)' (\(saboteur.flaw)) \(escape)",
        sourceLocation: clause.sourceLocation)
    }
    if !others.isEmpty { await measureBreadth(in: recorder) }
  }

  private func measureBreadth(in recorder: RunRecorder) async {
    var failed: [String] = []
    for clause in others {
      let result = await recorder.semaphore.withPermit { await run(clause) }
      if !result.isEnded || !result.issues.isEmpty { failed.append(clause.id) }
    }
    recorder.record(
      .breadth(
        SaboteurBreadth(
          contract: contract, saboteur: saboteur.id, failed: failed, ran: others.count,
          hasMessage: saboteur.message != nil)))
  }

  private struct Verdict {
    /// How the saboteur escaped, as the rest of a sentence about it, or `nil` if it was caught.
    var escape: String?
    /// The message with which the clause caught the saboteur.
    var message = ""
  }

  private func run(
    _ clause: Clause<Fixture>
  ) async -> (isEnded: Bool, issues: [IssueSummary]) {
    let collector = IssueCollector()
    let lifecycle = FixtureLifecycle(clause: clause, make: saboteur.make)
    let isEnded = await TimeLimit(saboteur.timeLimit, expired: { _ = collector.close() }).run {
      try? await collector.collect(in: test) {
        await lifecycle.run(collector, madeAt: saboteur.sourceLocation)
      }
    }
    return (isEnded, collector.close())
  }

  private func judge(_ clause: Clause<Fixture>) async -> Verdict {
    let (isEnded, issues) = await run(clause)
    if let broken = issues.first(where: \.isFixture) {
      return Verdict(escape: "can't be used: \(broken.message)")
    }
    guard isEnded else { return Verdict(message: "did not end within \(saboteur.timeLimit)") }
    guard let first = issues.first else {
      return Verdict(
        escape: "escaped the clause '\(clause.id)', which can't tell it from a correct "
          + "implementation; strengthen the clause, or let caughtBy: name another one")
    }
    if let message = saboteur.message, !issues.contains(where: { $0.message.contains(message) }) {
      return Verdict(
        escape: "is caught by the clause '\(clause.id)' with the message '\(first.message)', which "
          + "does not contain '\(message)'; make the clause say what is wrong, or change the text of saying:",
        message: first.message)
    }
    return Verdict(message: first.message)
  }
}
