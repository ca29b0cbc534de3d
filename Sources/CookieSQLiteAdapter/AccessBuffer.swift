import CookiePort
import Foundation

/// The last-access times that a handle has noted and not written yet, by sequence number.
///
/// Writing each one as it happens would turn every lookup into a transaction.
struct AccessBuffer {
  /// How long a time may wait, in seconds.
  static let patience: TimeInterval = 30

  /// One cookie's access.
  struct Access {
    var id: Cookie.ID
    /// The time that the file held when this one was noted.
    var stored: Date
    var time: Date
  }

  private(set) var accesses: [Int64: Access] = [:]

  /// When the buffer was last empty.
  private var start = Date.distantPast

  /// The last access of a cookie: the one noted here, unless another handle has stored a later one.
  func lastAccess(of row: CookieRow) -> Date {
    guard !accesses.isEmpty, let access = accesses[row.sequence] else { return row.storedAccess }
    return row.storedAccess == access.stored ? access.time : max(row.storedAccess, access.time)
  }

  mutating func note(_ row: CookieRow, at now: Date) {
    if accesses.isEmpty { start = now }
    accesses[row.sequence] = Access(id: row.cookie.id, stored: row.storedAccess, time: now)
  }

  /// Whether the first time has waited long enough; so it has when the clock went backwards.
  func isDue(now: Date) -> Bool {
    !accesses.isEmpty && !(start <= now && now < start + Self.patience)
  }

  /// Lets the times wait once more, as they could not be written.
  mutating func postpone(now: Date) { start = now }

  mutating func forget(_ sequence: Int64) {
    if !accesses.isEmpty { accesses[sequence] = nil }
  }

  mutating func removeAll() { accesses.removeAll(keepingCapacity: true) }
}
