import CookiePort
import Foundation

/// Sorts the cookies of a header: longer paths first, then earlier creations
/// (RFC 6265bis §5.8.3, step 2).
struct HeaderOrder {
  private var cookies: [Cookie] = []
  private var keys: [Key] = []

  init() {
    cookies.reserveCapacity(16)
    keys.reserveCapacity(16)
  }

  /// A cookie's sort key. Sorting keys moves no strings.
  private struct Key {
    var length: Int
    var creation: Date
    var sequence: Int64
    /// The cookie's index before sorting.
    var index: Int
    var storedAccess: Date
  }

  @inline(__always)
  mutating func append(
    _ domain: String, _ terms: consuming CookieRow.Terms, _ content: consuming CookieRow.Content,
    accessed now: Date
  ) {
    keys.append(
      Key(
        length: terms.path.utf8.count, creation: content.creation, sequence: content.sequence,
        index: keys.count, storedAccess: content.lastAccess))
    cookies.append(Cookie(domain, terms, content, lastAccess: now))
  }

  /// Buffers an access of each cookie.
  func addAccesses(to buffer: inout AccessBuffer, at now: Date) {
    for key in keys { buffer.add(key.sequence, stored: key.storedAccess, at: now) }
  }

  /// Sorts and returns the cookies; it may be called only once.
  mutating func sorted() -> [Cookie] {
    keys.sort {
      if $0.length != $1.length { return $0.length > $1.length }
      if $0.creation != $1.creation { return $0.creation < $1.creation }
      // not mutated (comparison): no two cookies have one sequence number.
      return $0.sequence < $1.sequence
    }
    // Applies the permutation in place. Each swap puts one cookie at its target. A source index
    // below the target was swapped away earlier; `keys` leads to where its cookie went.
    cookies.withUnsafeMutableBufferPointer { cookies in
      for target in keys.indices {
        var source = keys[target].index
        while source < target { source = keys[source].index }
        // Unlike an array's `swapAt`, the buffer's moves the values without copying them.
        cookies.swapAt(target, source)
      }
    }
    return cookies
  }
}
