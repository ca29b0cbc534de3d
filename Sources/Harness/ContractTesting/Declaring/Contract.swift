import ContractEvidence
import Foundation
public import Testing

/// The clauses that every implementation of a port must satisfy, and the saboteurs that show that the clauses
/// can fail.
///
/// Declare one contract for each port, as a static constant in an extension:
/// `extension Contract<CookieStoreFixture> { public static let cookies = Contract("cookies", …) }`.
/// Run it with ``cases(for:)-(Implementation<Fixture>...)``. The package that declares a contract
/// also runs its ``saboteurCases``; a package that adopts it need not.
public struct Contract<Fixture>: Sendable {
  /// The stable id: lower-case letters, digits, `-` and `.`.
  public let id: String

  /// What the contract is about, for reports.
  public let title: String

  /// A number to raise when a clause's body changes its meaning under the same id.
  public let revision: Int

  /// The clauses, in order.
  public let clauses: [Clause<Fixture>]

  /// The implementations that are broken on purpose, each with the clauses that must catch it.
  public let saboteurs: [Saboteur<Fixture>]

  /// Whether mutants show the clauses that no saboteur names.
  let leavesOthersToMutants: Bool

  /// The clauses that ``without(_:because:)`` dropped, with the reasons.
  package private(set) var dropped: [String: String] = [:]

  /// Where the contract is declared.
  let sourceLocation: SourceLocation

  /// Declares a contract.
  ///
  /// - Parameters:
  ///   - id: The stable id: lower-case letters, digits, `-` and `.`.
  ///   - title: What the contract is about, for reports.
  ///   - revision: A number to raise when a clause's body changes its meaning.
  ///   - leavesOthersToMutants: Whether a clause may have no saboteur, because mutants of the implementations'
  ///     code show that it can fail: `contracts mutate` and `contracts gate --mutation-score` check them.
  ///   - sourceLocation: Where the contract is declared.
  ///   - clauses: Clauses, groups of clauses and absences.
  ///   - saboteurs: Implementations broken on purpose, each with the clauses that must catch it.
  public init(
    _ id: String, _ title: String, revision: Int = 1, leavesOthersToMutants: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation,
    @ClauseBuilder<Fixture> _ clauses: () -> [Clause<Fixture>],
    @SaboteurBuilder<Fixture> saboteurs: () -> [Saboteur<Fixture>] = { [] }
  ) {
    self.id = id
    self.title = title
    self.revision = revision
    self.leavesOthersToMutants = leavesOthersToMutants
    self.sourceLocation = sourceLocation
    self.clauses = clauses()
    self.saboteurs = saboteurs()
  }

  /// Returns the contract without some clauses. Reports list them as not run.
  ///
  /// Dropping hides a clause from every implementation. If one implementation breaks the clause,
  /// declare a deviation instead: the harness checks deviations.
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
    let named = Set(saboteurs.flatMap(\.clauses))
    let others = clauses.map(\.id).filter { !named.contains($0) }
    return ContractSummary(
      id: id, title: title, revision: revision, clauses: clauses.map(\.summary),
      dropped: dropped,
      clausesWithoutSaboteur: leavesOthersToMutants ? [] : others,
      leftToMutants: leavesOthersToMutants ? others : [],
      saboteurResults: saboteurs.map(\.clauses.count).reduce(0, +),
      isOwn: Self.isOwn(sourceLocation.filePath))
  }

  /// Whether a file belongs to the package whose tests run: it is in the working directory, and not
  /// in a checkout of a dependency, which SwiftPM puts under `.build`.
  ///
  /// The gate requires saboteurs to have run only for a package's own contracts.
  static func isOwn(
    _ path: String, in directory: String = FileManager.default.currentDirectoryPath
  ) -> Bool {
    guard path.hasPrefix(directory + "/") else { return false }
    return !path.dropFirst(directory.count).split(separator: "/").contains(".build")
  }
}
