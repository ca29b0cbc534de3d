public import ContractTesting
import Testing

extension Contract<CookieStoreFixture> {
  /// The behaviour of every cookie store.
  ///
  /// The clauses cover RFC 6265bis, RFC 6265 for stores with a configurable policy, and this
  /// project's rules on persistence, order and changes.
  public static let cookies: Self = Contract("cookies", "Cookie store", leavesOthersToMutants: true)
  {
    ClauseGroup<CookieStoreFixture>.parsing
    ClauseGroup<CookieStoreFixture>.dates
    ClauseGroup<CookieStoreFixture>.lifetime
    ClauseGroup<CookieStoreFixture>.domain
    ClauseGroup<CookieStoreFixture>.path
    ClauseGroup<CookieStoreFixture>.secure
    ClauseGroup<CookieStoreFixture>.sameSite
    ClauseGroup<CookieStoreFixture>.identity
    ClauseGroup<CookieStoreFixture>.limits
    ClauseGroup<CookieStoreFixture>.store
    ClauseGroup<CookieStoreFixture>.persistence
  } saboteurs: {
    Saboteur.cookies
  }
}
