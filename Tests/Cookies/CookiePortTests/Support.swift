import CookiePort
import Foundation
import ManualClocks

extension Date {
  /// The time at which tests start: 2023-11-14 22:13:20 UTC.
  static let start = Date(timeIntervalSince1970: 1_700_000_000)
}

extension InMemoryCookieStore {
  /// Creates a store that reads a manual clock.
  convenience init(clock: ManualWallClock, policy: CookiePolicy = CookiePolicy()) {
    self.init(policy: policy) { clock.now }
  }
}

extension CookieJar {
  /// Stores a line that must be accepted.
  @discardableResult
  mutating func set(
    _ line: String, at url: String = "https://example.com/", now: Date = .start,
    _ change: (inout CookieRequest) -> Void = { _ in }
  ) throws -> CookieChange? {
    var request = try CookieRequest(url)
    change(&request)
    return try store(line, from: request, now: now)
  }

  /// Returns the header for a URL.
  mutating func header(
    for url: String = "https://example.com/", now: Date = .start,
    _ change: (inout CookieRequest) -> Void = { _ in }
  ) throws -> String? {
    var request = try CookieRequest(url)
    change(&request)
    return Cookie.header(for: cookies(for: request, now: now))
  }
}
