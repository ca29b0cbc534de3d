import ContractEvidence
public import Testing

/// One behaviour that a port promises: an id, a sentence, its source and a body that checks it.
///
/// The body receives a fixture that no other case uses, and checks it with `#expect`, `#require`,
/// ``check(_:_:sourceLocation:)`` and ``checkEqual(_:_:_:sourceLocation:)``. An error that the body
/// throws is a failure.
public struct Clause<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// The behaviour, in one sentence of the specification.
  public let sentence: String

  /// Where the behaviour is specified: an RFC section, a manual page, an issue.
  public let source: String?

  /// The capabilities that an implementation needs for the clause to apply.
  public let requires: [Capability]

  /// The capability whose absence the clause checks, or `nil`.
  public let absenceOf: Capability?

  /// The title of the clause's group.
  package var group: String?

  /// The time limit, or `nil` for the implementation's limit.
  let timeLimit: Duration?

  /// Where the clause is declared.
  let sourceLocation: SourceLocation

  let body: @Sendable (Fixture) async throws -> Void

  /// Declares a clause.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sentence: The behaviour, in one sentence.
  ///   - source: Where the behaviour is specified.
  ///   - capabilities: The capabilities that an implementation needs for the clause to apply.
  ///   - timeLimit: The time limit; by default the implementation's limit.
  ///   - sourceLocation: Where the clause is declared.
  ///   - body: The check.
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
    absenceOf capability: Capability, sentence: String, source: String?,
    sourceLocation: SourceLocation, body: @escaping @Sendable (Fixture) async throws -> Void
  ) {
    id = "lacks-\(capability.id)"
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

/// A clause for implementations that lack a capability. It checks that they do lack it.
///
/// Clauses that require the capability catch an implementation that claims too much; the absence
/// catches one that claims too little.
public struct Absence<Fixture>: Sendable {
  let clause: Clause<Fixture>

  /// Declares what an implementation without the capability does instead.
  ///
  /// - Parameters:
  ///   - capability: The capability. The clause's id is `lacks-` and the capability's id.
  ///   - sentence: What happens instead, in one sentence.
  ///   - source: Where that is specified.
  ///   - sourceLocation: Where the absence is declared.
  ///   - body: The check.
  public init(
    of capability: Capability, _ sentence: String, from source: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (Fixture) async throws -> Void
  ) {
    clause = Clause(
      absenceOf: capability, sentence: sentence, source: source, sourceLocation: sourceLocation,
      body: body)
  }
}

/// Clauses about one topic, which reports show under a title.
public struct ClauseGroup<Fixture>: Sendable {
  /// The clauses, in order.
  public let clauses: [Clause<Fixture>]

  /// Groups clauses.
  ///
  /// - Parameters:
  ///   - title: The topic. The title of a group inside another follows the outer title.
  ///   - clauses: The clauses.
  public init(_ title: String, @ClauseBuilder<Fixture> _ clauses: () -> [Clause<Fixture>]) {
    self.clauses = clauses().map { clause in
      var clause = clause
      clause.group = clause.group.map { "\(title), \($0)" } ?? title
      return clause
    }
  }
}

/// An ability that some implementations of a port have and others lack.
///
/// An implementation has every capability except those that it excludes with
/// ``Implementation/lacking(_:because:)``.
public struct Capability: Hashable, Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What an implementation with the capability can do, in one sentence.
  public let sentence: String

  /// The capabilities that this one depends on.
  public let implied: [Capability]

  /// Declares a capability.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - sentence: What an implementation with the capability can do.
  ///   - implied: The capabilities that this one depends on. An implementation that lacks one of
  ///     them lacks this one too.
  public init(_ id: String, _ sentence: String, implying implied: Capability...) {
    self.id = id
    self.sentence = sentence
    self.implied = implied
  }

  public static func == (a: Capability, b: Capability) -> Bool { a.id == b.id }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Whether the capability is `other` or depends on it.
  func needs(_ other: Capability) -> Bool {
    self == other || implied.contains { $0.needs(other) }
  }
}
