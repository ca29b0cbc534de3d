import CookiePort
import Foundation

/// Cookies that go into a header: longer paths first, then earlier creations
/// (RFC 6265bis §5.8.3, step 2).
struct HeaderOrder {
  private var cookies: [Cookie] = []
  private var places: [Place] = []

  init() {
    cookies.reserveCapacity(16)
    places.reserveCapacity(16)
  }

  /// What decides where a cookie stands. Sorting these moves no strings.
  private struct Place {
    var length: Int
    var creation: Date
    var sequence: Int64
    var index: Int
    var storedAccess: Date
  }

  @inline(__always)
  mutating func append(
    _ domain: String, _ terms: consuming CookieRow.Terms, _ content: consuming CookieRow.Content,
    accessed now: Date
  ) {
    places.append(
      Place(
        length: terms.path.utf8.count, creation: content.creation, sequence: content.sequence,
        index: places.count, storedAccess: content.lastAccess))
    cookies.append(Cookie(domain, terms, content, lastAccess: now))
  }

  /// Notes that each of the cookies is accessed.
  func noteAccesses(in buffer: inout AccessBuffer, at now: Date) {
    for place in places { buffer.note(place.sequence, stored: place.storedAccess, at: now) }
  }

  /// The cookies in their order; to be asked for once.
  mutating func sorted() -> [Cookie] {
    places.sort {
      if $0.length != $1.length { return $0.length > $1.length }
      if $0.creation != $1.creation { return $0.creation < $1.creation }
      return $0.sequence < $1.sequence
    }
    // Each swap brings one cookie home; where a place's cookie has been moved, its trail is
    // followed.
    cookies.withUnsafeMutableBufferPointer { cookies in
      for home in places.indices {
        var place = places[home].index
        while place < home { place = places[place].index }
        // Unlike an array's, this swap moves.
        if place != home { cookies.swapAt(home, place) }
      }
    }
    return cookies
  }
}
