public import Testing

/// An implementation broken on purpose, with the clauses that must catch it.
///
/// Saboteurs show that clauses can fail: a clause that catches none is worth nothing.
public struct Saboteur<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What is wrong with it, in words.
  public let flaw: String

  /// The ids of the clauses that must catch it.
  public let clauses: [String]

  /// A part of the message that each of the clauses must give, or `nil`.
  public let message: String?

  /// How long a clause may take; one that takes longer has caught it.
  let timeLimit: Duration

  /// The place of the declaration.
  let sourceLocation: SourceLocation

  let make: @Sendable (FixtureScope) async throws -> Fixture

  /// Declares a saboteur.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - flaw: What is wrong with it, in words.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give: a failure that nobody
  ///     understands is half a failure.
  ///   - timeLimit: How long a clause may take; one that takes longer has caught it.
  ///   - sourceLocation: The place of the declaration.
  ///   - make: Makes a fresh fixture.
  public init(
    _ id: String, _ flaw: String, caughtBy clauses: String..., saying message: String? = nil,
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

  /// Declares a saboteur whose fixture has nothing to undo.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - flaw: What is wrong with it, in words.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give.
  ///   - timeLimit: How long a clause may take; one that takes longer has caught it.
  ///   - sourceLocation: The place of the declaration.
  ///   - make: Makes a fresh fixture.
  public init(
    _ id: String, _ flaw: String, caughtBy clauses: String..., saying message: String? = nil,
    timeLimit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable () async throws -> Fixture
  ) {
    self.id = id
    self.flaw = flaw
    self.clauses = clauses
    self.message = message
    self.timeLimit = timeLimit
    self.sourceLocation = sourceLocation
    self.make = { _ in try await make() }
  }
}

/// Lists saboteurs.
@resultBuilder
public enum SaboteurBuilder<Fixture> {
  /// One saboteur.
  public static func buildExpression(_ saboteur: Saboteur<Fixture>) -> [Saboteur<Fixture>] {
    [saboteur]
  }

  /// Saboteurs from elsewhere.
  public static func buildExpression(_ saboteurs: [Saboteur<Fixture>]) -> [Saboteur<Fixture>] {
    saboteurs
  }

  /// All of the block's saboteurs.
  public static func buildBlock(_ saboteurs: [Saboteur<Fixture>]...) -> [Saboteur<Fixture>] {
    saboteurs.flatMap(\.self)
  }

  /// The saboteurs of a `for` loop.
  public static func buildArray(_ saboteurs: [[Saboteur<Fixture>]]) -> [Saboteur<Fixture>] {
    saboteurs.flatMap(\.self)
  }

  /// The saboteurs of an `if` without `else`.
  public static func buildOptional(_ saboteurs: [Saboteur<Fixture>]?) -> [Saboteur<Fixture>] {
    saboteurs ?? []
  }

  /// The saboteurs of an `if`.
  public static func buildEither(first saboteurs: [Saboteur<Fixture>]) -> [Saboteur<Fixture>] {
    saboteurs
  }

  /// The saboteurs of an `else`.
  public static func buildEither(second saboteurs: [Saboteur<Fixture>]) -> [Saboteur<Fixture>] {
    saboteurs
  }
}
