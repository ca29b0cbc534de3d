import CookiePort
import Foundation
import ManualClocks

extension Date {
  /// An instant to begin tests with: 14 November 2023.
  static let start = Date(timeIntervalSince1970: 1_700_000_000)
}

extension InMemoryCookieStore {
  /// A store on a clock of the test's own.
  convenience init(clock: ManualWallClock, policy: CookiePolicy = CookiePolicy()) {
    self.init(policy: policy) { clock.now }
  }
}

extension CookieJar {
  /// Stores a line, for tests in which it must be accepted.
  @discardableResult
  mutating func set(
    _ line: String, at url: String = "https://example.com/", now: Date = .start,
    _ change: (inout CookieRequest) -> Void = { _ in }
  ) throws -> CookieChange? {
    var request = try CookieRequest(url)
    change(&request)
    return try store(line, from: request, now: now)
  }

  /// The header for a URL.
  mutating func header(
    for url: String = "https://example.com/", now: Date = .start,
    _ change: (inout CookieRequest) -> Void = { _ in }
  ) throws -> String? {
    var request = try CookieRequest(url)
    change(&request)
    return Cookie.header(for: cookies(for: request, now: now))
  }

  /// What was refused, or `nil`.
  mutating func rejection(
    of line: String, at url: String = "https://example.com/", now: Date = .start,
    _ change: (inout CookieRequest) -> Void = { _ in }
  ) throws -> CookieRejection? {
    var request = try CookieRequest(url)
    change(&request)
    let before = self
    do throws(CookieRejection) {
      try store(line, from: request, now: now)
      return nil
    } catch {
      return self == before ? error : nil
    }
  }
}

/// Numbers that look random and are the same on every run (SplitMix64).
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
