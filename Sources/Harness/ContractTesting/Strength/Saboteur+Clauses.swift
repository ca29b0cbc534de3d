public import Testing

extension Saboteur {
  /// Declares a saboteur with its clauses in an array, for functions that forward a list of them.
  ///
  /// - Parameters:
  ///   - id: The stable id: lower-case letters, digits, `-` and `.`.
  ///   - flaw: What is wrong with the implementation.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give, or `nil`.
  ///   - timeLimit: How long a clause may take; a clause that takes longer has caught the saboteur.
  ///   - sourceLocation: The source location of the declaration.
  ///   - make: Creates a fixture.
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
