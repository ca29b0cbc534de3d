import CookiePort
import Foundation

/// What is known of all cookies together, kept in a row so that no store has to count them.
struct Tally: Equatable {
  /// How many cookies there are, expired ones included.
  var cookies: Int64

  /// The last sequence number given out.
  var lastSequence: Int64

  /// No cookie was created later.
  var latestCreation: Date?

  /// No cookie expires earlier.
  var earliestExpiry: Date?

  /// The columns, in the order in which ``init(_:)`` reads them.
  static let columns = "cookies, last_sequence, latest_creation, earliest_expiry"

  /// The numbers that a store can reach.
  private static let range = Int64(0)...(1 << 53)

  /// The row that a statement stands at, or `nil` where it holds what no store writes.
  init?(_ statement: Statement) {
    guard let cookies = statement.integer(0), Self.range.contains(cookies),
      let lastSequence = statement.integer(1), Self.range.contains(lastSequence),
      let latestCreation = statement.optionalDate(2),
      let earliestExpiry = statement.optionalDate(3)
    else { return nil }
    self.cookies = cookies
    self.lastSequence = lastSequence
    self.latestCreation = latestCreation
    self.earliestExpiry = earliestExpiry
  }

  /// Takes a cookie into account.
  mutating func include(_ cookie: Cookie) {
    latestCreation = max(latestCreation ?? cookie.creation, cookie.creation)
    if let expires = cookie.expires {
      earliestExpiry = min(earliestExpiry ?? expires, expires)
    }
  }
}
