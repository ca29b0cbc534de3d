import ContractTesting
import Testing

extension Saboteur<CookieStoreFixture> {
  /// Declares a saboteur: a ``FlawedCookieStore`` with one wrong decision.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - text: What is wrong with the store, as a predicate: `sends Secure cookies over http`.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give, or `nil`.
  ///   - timeLimit: How long a clause may take; a clause that takes longer has caught the saboteur.
  ///   - sourceLocation: The source location of the declaration.
  ///   - change: Changes the correct decisions into wrong ones.
  static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    timeLimit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @Sendable (inout CookieStoreFlaws) -> Void
  ) -> Saboteur {
    var flaws = CookieStoreFlaws()
    change(&flaws)
    return Saboteur(
      id, text, caughtBy: clauses, saying: message, timeLimit: timeLimit,
      sourceLocation: sourceLocation
    ) { [flaws] scope in
      try await CookieStoreFixture(in: scope) { try FlawedCookieStore($0, flaws) }
    }
  }
}
