import ContractTesting

extension CookieStoreFixture {
  /// A store with a flaw, kept in memory unless told otherwise.
  ///
  /// - Parameters:
  ///   - scope: The case's scope.
  ///   - isKept: Whether it keeps its cookies in a file.
  ///   - spoil: Makes the flaw.
  static func flawed(
    in scope: FixtureScope, isKept: Bool = false, _ spoil: @Sendable (inout Flaws) -> Void
  ) async throws -> CookieStoreFixture {
    var flaws = Flaws()
    flaws.isKept = isKept
    spoil(&flaws)
    let made = flaws
    return try await CookieStoreFixture(in: scope) { try FlawedCookieStore($0, made) }
  }
}
