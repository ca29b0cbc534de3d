public import ContractTesting
import Testing

extension Contract<CookieStoreFixture> {
  /// The behaviour of every cookie store.
  ///
  /// The clauses cover RFC 6265bis, RFC 6265 for stores with a configurable policy, and this
  /// project's rules on persistence, order and changes.
  public static let cookies: Self = Contract("cookies", "Cookie store", leavesOthersToMutants: true)
  {
    ClauseGroup("Parsing") { CookieClauses.parsing }
    ClauseGroup("Dates") { CookieClauses.dates }
    ClauseGroup("Lifetime") { CookieClauses.lifetime }
    ClauseGroup("Domain") { CookieClauses.domain }
    ClauseGroup("Path") { CookieClauses.path }
    ClauseGroup("Secure and prefixes") { CookieClauses.secure }
    ClauseGroup("HttpOnly and SameSite") { CookieClauses.sameSite }
    ClauseGroup("Identity and order") { CookieClauses.identity }
    ClauseGroup("Limits") { CookieClauses.limits }
    ClauseGroup("Listing, deleting and reporting") { CookieClauses.store }
    ClauseGroup("Persistence") { CookieClauses.persistence }
  } saboteurs: {
    Saboteur.cookies
  }
}

/// The clauses of each group.
///
/// They are computed. The initial value of a constant is compiled twice, for its file and for the module.
enum CookieClauses {}
