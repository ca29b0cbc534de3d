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
