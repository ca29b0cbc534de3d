public import CookiePort
public import Foundation
import Testing

/// Cookie providers for several URLs over the same cookies, none of which are there at first.
public struct CookieProviderFixture: Sendable {
  private let make: @Sendable (URL) throws -> any CookieProvider

  /// Providers that a closure makes for URLs, all over the same cookies.
  public init(_ make: @escaping @Sendable (URL) throws -> any CookieProvider) {
    self.make = make
  }

  /// The URL of the API that clauses speak of where the URL doesn't matter.
  static let api = "https://api.example.com/v1/"

  func provider(_ url: String = api) throws -> any CookieProvider {
    try make(try #require(URL(string: url)))
  }

  /// Sets a cookie.
  func set(_ cookie: NamedCookie, at url: String = api) async throws {
    try await provider(url).set(cookie)
  }

  /// Checks the value of the cookie that a provider gives by name.
  func expect(
    _ value: String?, named name: String, at url: String = api,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await provider(url).cookie(named: name)
    if found.map({ Array($0.value.utf8) }) != value.map({ Array($0.utf8) }) {
      Issue.record(
        "'\(name)' at \(url) is \(shown(found?.value)), expected \(shown(value))",
        sourceLocation: sourceLocation)
    }
  }
}
