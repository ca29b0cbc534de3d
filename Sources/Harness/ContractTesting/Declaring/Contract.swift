import ContractEvidence
public import Testing

/// The clauses that every implementation of a port must satisfy, with the saboteurs that prove them.
///
/// Declare one contract for each port, as a static constant in an extension:
/// `extension Contract<CookieStoreFixture> { public static let cookies = Contract("cookies", …) }`.
/// Run it with ``cases(for:)-(Implementation<Fixture>...)`` and ``saboteurs``.
public struct Contract<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What the contract is about, in words.
  public let title: String

  /// The number to raise when a clause's body changes its meaning under the same id.
  public let revision: Int

  /// The clauses, in order.
  public private(set) var clauses: [Clause<Fixture>]

  /// The deliberately broken implementations that ship with the contract.
  public let brokenImplementations: [Saboteur<Fixture>]

  /// The clauses that ``without(_:because:)`` dropped, with the reasons.
  package private(set) var dropped: [String: String] = [:]

  /// The place of the declaration.
  let sourceLocation: SourceLocation

  /// Declares a contract.
  ///
  /// - Parameters:
  ///   - id: The stable id: lower-case letters, digits, `-` and `.`.
  ///   - title: What the contract is about, in words.
  ///   - revision: The number to raise when a clause's body changes its meaning.
  ///   - sourceLocation: The place of the declaration.
  ///   - clauses: Clauses, groups of clauses and absences.
  ///   - saboteurs: Implementations broken on purpose, each naming the clauses that must catch it.
  public init(
    _ id: String, _ title: String, revision: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation,
    @ClauseBuilder<Fixture> _ clauses: () -> [Clause<Fixture>],
    @SaboteurBuilder<Fixture> saboteurs: () -> [Saboteur<Fixture>] = { [] }
  ) {
    self.id = id
    self.title = title
    self.revision = revision
    self.sourceLocation = sourceLocation
    self.clauses = clauses()
    brokenImplementations = saboteurs()
  }

  /// The contract less some clauses; the report says that they were not run.
  ///
  /// Dropping hides a clause from every implementation. To say that one implementation breaks it,
  /// declare a deviation instead: it is checked.
  /// - Parameters:
  ///   - ids: The clauses to drop.
  ///   - reason: Why they are dropped.
  public func without(_ ids: String..., because reason: String) -> Contract {
    var copy = self
    for id in ids { copy.dropped[id] = reason }
    return copy
  }

  /// The description that goes into journals.
  package var summary: ContractSummary {
    let named = Set(brokenImplementations.flatMap(\.clauses))
    return ContractSummary(
      id: id, title: title, revision: revision, clauses: clauses.map(\.summary),
      dropped: dropped,
      unproven: clauses.map(\.id).filter { !named.contains($0) })
  }
}
