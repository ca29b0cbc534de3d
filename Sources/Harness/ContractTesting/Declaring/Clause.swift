import ContractEvidence
public import Testing

/// One behaviour that a port promises: a stable id, a sentence, its source and a body that checks it.
///
/// The body gets a fresh fixture and uses plain `#expect` and `#require`. It may throw: an error is a
/// failure.
public struct Clause<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// The behaviour, in a sentence that reads as part of the specification.
  public let sentence: String

  /// Where the behaviour is laid down: an RFC section, a manual page, an issue.
  public let source: String?

  /// The capabilities without which the clause does not apply.
  public let requires: [Capability]

  /// The capability whose absence the clause probes, or `nil`.
  public let absenceOf: Capability?

  /// The title of the group that the clause is in.
  package var group: String?

  /// How long the clause may take, or `nil` for the implementation's limit.
  let timeLimit: Duration?

  /// The place of the declaration.
  let sourceLocation: SourceLocation

  let body: @Sendable (Fixture) async throws -> Void

  /// Declares a clause.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sentence: The behaviour, in a sentence.
  ///   - source: Where the behaviour is laid down.
  ///   - capabilities: The capabilities without which the clause does not apply.
  ///   - timeLimit: How long the clause may take; the implementation's limit by default.
  ///   - sourceLocation: The place of the declaration.
  ///   - body: The check, on a fixture of its own.
  public init(
    _ id: String, _ sentence: String, from source: String? = nil,
    requires capabilities: Capability..., timeLimit: Duration? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (Fixture) async throws -> Void
  ) {
    self.id = id
    self.sentence = sentence
    self.source = source
    requires = capabilities
    absenceOf = nil
    self.timeLimit = timeLimit
    self.sourceLocation = sourceLocation
    self.body = body
  }

  fileprivate init(
    absenceOf capability: Capability, id: String, sentence: String, source: String?,
    sourceLocation: SourceLocation, body: @escaping @Sendable (Fixture) async throws -> Void
  ) {
    self.id = id
    self.sentence = sentence
    self.source = source
    requires = []
    absenceOf = capability
    timeLimit = nil
    self.sourceLocation = sourceLocation
    self.body = body
  }

  package var summary: ClauseSummary {
    ClauseSummary(
      id: id, sentence: sentence, source: source, group: group, requires: requires.map(\.id),
      absenceOf: absenceOf?.id, file: sourceLocation.fileID,
      path: sourceLocation.filePath, line: sourceLocation.line)
  }
}

/// A clause for the implementations that lack a capability: it shows that they really do.
///
/// With it, claiming too little is caught as surely as claiming too much.
public struct Absence<Fixture>: Sendable {
  let clause: Clause<Fixture>

  /// Declares what an implementation without the capability does instead.
  ///
  /// - Parameters:
  ///   - capability: The capability that is lacking.
  ///   - sentence: What happens instead, in a sentence.
  ///   - source: Where that is laid down.
  ///   - sourceLocation: The place of the declaration.
  ///   - body: The check; its id is `lacks-` and the capability's.
  public init(
    of capability: Capability, _ sentence: String, from source: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (Fixture) async throws -> Void
  ) {
    clause = Clause(
      absenceOf: capability, id: "lacks-\(capability.id)", sentence: sentence, source: source,
      sourceLocation: sourceLocation, body: body)
  }
}

/// Clauses about one topic, under a title in the report.
public struct ClauseGroup<Fixture>: Sendable {
  let clauses: [Clause<Fixture>]

  /// Groups clauses.
  ///
  /// - Parameters:
  ///   - title: The topic.
  ///   - clauses: The clauses.
  public init(_ title: String, @ClauseBuilder<Fixture> _ clauses: () -> [Clause<Fixture>]) {
    self.clauses = clauses().map { clause in
      var clause = clause
      clause.group = clause.group.map { "\(title), \($0)" } ?? title
      return clause
    }
  }
}

/// Lists clauses, absences and groups.
@resultBuilder
public enum ClauseBuilder<Fixture> {
  /// One clause.
  public static func buildExpression(_ clause: Clause<Fixture>) -> [Clause<Fixture>] { [clause] }

  /// One absence.
  public static func buildExpression(_ absence: Absence<Fixture>) -> [Clause<Fixture>] {
    [absence.clause]
  }

  /// One group.
  public static func buildExpression(_ group: ClauseGroup<Fixture>) -> [Clause<Fixture>] {
    group.clauses
  }

  /// Clauses from elsewhere.
  public static func buildExpression(_ clauses: [Clause<Fixture>]) -> [Clause<Fixture>] { clauses }

  /// All of the block's clauses.
  public static func buildBlock(_ clauses: [Clause<Fixture>]...) -> [Clause<Fixture>] {
    clauses.flatMap(\.self)
  }

  /// The clauses of a `for` loop.
  public static func buildArray(_ clauses: [[Clause<Fixture>]]) -> [Clause<Fixture>] {
    clauses.flatMap(\.self)
  }

  /// The clauses of an `if` without `else`.
  public static func buildOptional(_ clauses: [Clause<Fixture>]?) -> [Clause<Fixture>] {
    clauses ?? []
  }

  /// The clauses of an `if`.
  public static func buildEither(first clauses: [Clause<Fixture>]) -> [Clause<Fixture>] { clauses }

  /// The clauses of an `else`.
  public static func buildEither(second clauses: [Clause<Fixture>]) -> [Clause<Fixture>] { clauses }

  /// The clauses behind `#available`.
  public static func buildLimitedAvailability(
    _ clauses: [Clause<Fixture>]
  ) -> [Clause<Fixture>] { clauses }
}
