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
    /// The time that the file held when this one was noted.
    var stored: Date
    var time: Date
  }

  private var accesses = SequenceTable<Access>()

  /// Whether no time waits.
  var isEmpty: Bool { accesses.isEmpty }

  /// When the buffer was last empty.
  private var start = Date.distantPast

  /// The last access of a cookie: the one noted here, unless another handle has stored a later one.
  func lastAccess(of row: CookieRow) -> Date {
    guard !accesses.isEmpty, let access = accesses[row.sequence] else { return row.storedAccess }
    // Whoever changed it since has noted an access of its own.
    return row.storedAccess == access.stored ? access.time : max(row.storedAccess, access.time)
  }

  mutating func note(_ sequence: Int64, stored: Date, at now: Date) {
    if accesses.isEmpty { start = now }
    accesses[sequence] = Access(stored: stored, time: now)
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

  mutating func removeAll() { accesses.removeAll() }
}
