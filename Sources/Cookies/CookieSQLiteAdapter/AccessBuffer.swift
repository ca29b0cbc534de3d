import CookiePort
import Foundation

/// Buffers the last-access times that a handle hasn't written yet, by sequence number.
///
/// Without the buffer, every lookup would be a write transaction.
struct AccessBuffer {
  /// The maximum age of a buffered time, in seconds.
  static let maximumAge: TimeInterval = 30

  /// The last access of one cookie.
  struct Access {
    /// The last access in the file when this one was buffered.
    var stored: Date
    /// The buffered last access.
    var time: Date
  }

  private var accesses: [Sequence: Access] = [:]

  /// A sequence number that is its own hash value. The cookies of a site often have adjacent numbers, so that a
  /// lookup finds their accesses in few cache lines.
  private struct Sequence: Hashable {
    let number: Int64

    func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: number) }
  }

  /// Whether no time is buffered.
  var isEmpty: Bool { accesses.isEmpty }

  /// When the oldest buffered time was added.
  private var start = Date.distantPast

  /// Returns a cookie's last access: the buffered one, unless another handle has stored a later
  /// one.
  func lastAccess(of row: CookieRow) -> Date {
    guard let access = accesses[Sequence(number: row.sequence)] else { return row.storedAccess }
    // If the stored time differs, another handle has written its own access since: the later
    // counts.
    return row.storedAccess == access.stored ? access.time : max(row.storedAccess, access.time)
  }

  /// Buffers an access; `stored` is the last access in the file.
  mutating func add(_ sequence: Int64, stored: Date, at now: Date) {
    if accesses.isEmpty { start = now }
    accesses[Sequence(number: sequence)] = Access(stored: stored, time: now)
  }

  /// Whether the oldest time has reached the maximum age, or the clock went backwards.
  func isDue(now: Date) -> Bool {
    !accesses.isEmpty && !(start <= now && now < start + Self.maximumAge)
  }

  /// Restarts the maximum age after a failed write.
  mutating func postpone(now: Date) { start = now }

  /// Removes the time of a cookie that was replaced.
  mutating func remove(_ sequence: Int64) { accesses[Sequence(number: sequence)] = nil }

  mutating func removeAll() { accesses = [:] }
}
