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
  /// Clauses that the saboteur does not name, and that apply to every implementation.
  var others: [Clause<Fixture>]
  var test: Test

  func run() async {
    let recorder = RunRecorder.current
    var verdicts: [Verdict] = []
    for clause in clauses { verdicts.append(judge(clause, await run(clause))) }
    let coarseness = verdicts.contains { $0.escape == nil } ? await coarseness() : nil
    for (clause, verdict) in zip(clauses, verdicts) {
      let escape = verdict.escape ?? coarseness
      recorder.record(
        .saboteur(
          SaboteurResult(
            contract: contract, saboteur: saboteur.id, clause: clause.id, isCaught: escape == nil,
            message: escape ?? verdict.message)))
      guard let escape = verdict.escape else { continue }
      complain(escape, at: clause.sourceLocation)
    }
    if let coarseness { complain(coarseness, at: saboteur.sourceLocation) }
  }

  private func complain(_ predicate: String, at location: SourceLocation) {
    Issue.record(
      "\(contract): the saboteur '\(saboteur.id)' (\(saboteur.flaw)) \(predicate)",
      sourceLocation: location)
  }

  // MARK: - Running

  private struct Result {
    var isEnded: Bool
    var issues: [IssueSummary]
    /// The message of the first expectation of the clause that failed.
    var failedExpectation: String?
  }

  private func run(_ clause: Clause<Fixture>) async -> Result {
    await RunRecorder.current.semaphore.withPermit {
      let collector = IssueCollector()
      let lifecycle = FixtureLifecycle(clause: clause, make: saboteur.make)
      let id = CaseID(
        contract: contract, clause: clause.id, implementation: "saboteur.\(saboteur.id)")
      let running = RunningCase(id)
      let limit = TimeLimit(
        saboteur.timeLimit, expired: { _ = collector.close() },
        starved: { RunRecorder.current.endStarvedRun(during: id, after: saboteur.timeLimit) })
      let isEnded = await limit.run {
        await running.run {
          try? await collector.collect(in: test) {
            await lifecycle.run(collector, madeAt: saboteur.sourceLocation)
          }
        }
      }
      return Result(
        isEnded: isEnded, issues: collector.close(), failedExpectation: collector.failedExpectation)
    }
  }

  // MARK: - Judging

  private struct Verdict {
    /// How the saboteur escaped, as the rest of a sentence about it, or `nil` if it was caught.
    var escape: String?
    /// The message with which the clause caught the saboteur.
    var message = ""
  }

  /// Judges the result of a clause that must catch the saboteur.
  ///
  /// The clause's own expectation must have failed. A call that throws or hangs fails every clause that makes
  /// it, and says nothing about what the clause expects; unless it promises to end, by a time limit of its own.
  private func judge(_ clause: Clause<Fixture>, _ result: Result) -> Verdict {
    if let broken = result.issues.first(where: \.isFixture) {
      return Verdict(escape: "can't be used: \(broken.message)")
    }
    if !result.isEnded, clause.timeLimit != nil {
      return Verdict(message: "did not end within \(saboteur.timeLimit)")
    }
    guard let message = result.failedExpectation else {
      let clause = "the clause '\(clause.id)'"
      if !result.isEnded {
        return Verdict(
          escape:
            "hangs in \(clause), and no expectation fails; narrow its flaw, or give the clause a "
            + "timeLimit: of its own if it promises to end")
      }
      if let thrown = result.issues.first {
        return Verdict(
          escape:
            "makes \(clause) throw before an expectation fails, which shows nothing about what it "
            + "expects; narrow its flaw, or let the clause expect that the call doesn't throw, with "
            + "#expect(throws: Never.self) { … }. The error: \(thrown.message)")
      }
      return Verdict(
        escape:
          "escaped \(clause), which can't tell it from a correct implementation; strengthen the "
          + "clause, or let caughtBy: name another one")
    }
    if let part = saboteur.message, !result.issues.contains(where: { $0.message.contains(part) }) {
      return Verdict(
        escape: "is caught by the clause '\(clause.id)' with the message '\(message)', which "
          + "does not contain '\(part)'; make the clause say what is wrong, or change the text of saying:",
        message: message)
    }
    return Verdict(message: message)
  }

  // MARK: - Coarseness

  /// The number of other clauses that tell a narrow flaw from a broken implementation.
  private static var sampleSize: Int { 8 }

  /// The number of clauses that a contract needs before most of them can be told from a few.
  private static var leastClauses: Int { 6 }

  /// What is wrong if the saboteur fails most clauses of the contract, as the rest of a sentence about it, or
  /// else `nil`.
  ///
  /// A saboteur with one flaw fails the clauses about that flaw. One that is broken altogether shows that the
  /// clauses run, and not that each notices its flaw. If at most half of a sample fails, the other clauses don't
  /// run, and neither do they after one that did not end within the saboteur's time limit, which counts for nothing.
  private func coarseness() async -> String? {
    guard clauses.count + others.count >= Self.leastClauses else { return nil }
    let step = max(1, others.count / Self.sampleSize)
    let order = (0..<step).flatMap { Array(stride(from: $0, to: others.count, by: step)) }
    var failed = 0
    var ran = 0
    for index in order {
      if ran == Self.sampleSize, failed * 2 <= ran { return nil }
      let result = await run(others[index])
      // It may only be slow, which is no failure, and it may still block a thread.
      guard result.isEnded else { break }
      ran += 1
      if !result.issues.isEmpty { failed += 1 }
    }
    failed += clauses.count
    ran += clauses.count
    guard ran >= Self.leastClauses, failed * 2 > ran else { return nil }
    return
      "fails \(failed) of \(ran) clauses, which is too coarse to show that any of them notices a flaw of its "
      + "own; narrow it"
  }
}
