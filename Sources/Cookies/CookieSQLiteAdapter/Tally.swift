import CookiePort
import Foundation

/// Counts and bounds over all cookies, kept in one row so that no operation has to scan the table.
struct Tally: Equatable {
  /// The number of cookies, including expired ones.
  var cookies: Int64

  /// The last sequence number that was assigned.
  var lastSequence: Int64

  /// An upper bound of all creations; removals may leave it too high.
  var latestCreation: Date?

  /// A lower bound of all expiries; removals may leave it too low.
  var earliestExpiry: Date?

  /// The columns, in the order in which ``init(_:)`` reads them.
  static let columns = "cookies, last_sequence, latest_creation, earliest_expiry"

  /// The valid range of counts and sequence numbers, far beyond what a store can reach.
  static var range: ClosedRange<Int64> { 0...(1 << 53) }

  /// The sequence numbers that leave room for new cookies.
  static var usableSequences: PartialRangeUpTo<Int64> { ..<(1 << 52) }

  /// Reads the current row of a statement, or returns `nil` if a field is invalid.
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

  /// Extends the bounds for a cookie.
  mutating func include(_ cookie: Cookie) {
    latestCreation = max(latestCreation ?? cookie.creation, cookie.creation)
    if let expires = cookie.expires {
      earliestExpiry = min(earliestExpiry ?? expires, expires)
    }
  }
}
