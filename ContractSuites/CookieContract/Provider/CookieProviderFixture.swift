import ContractTesting
public import CookiePort
public import Foundation
import Testing

/// Creates cookie providers for several URLs over the same cookies, initially none.
public struct CookieProviderFixture: Sendable {
  private let make: @Sendable (URL) throws -> any CookieProvider

  /// Creates a fixture.
  ///
  /// - Parameter make: Creates a provider for a URL; all providers share their cookies.
  public init(_ make: @escaping @Sendable (URL) throws -> any CookieProvider) {
    self.make = make
  }

  /// The API's URL that clauses use if the URL doesn't matter.
  static let api = "https://api.example.com/v1/"

  func provider(_ url: String = api) throws -> any CookieProvider {
    try make(try #require(URL(string: url)))
  }

  /// Sets a cookie.
  func set(_ cookie: NamedCookie, at url: String = api) async throws {
    try await provider(url).set(cookie)
  }

  /// Checks the value of the cookie that a provider returns for a name.
  func expect(
    _ value: String?, named name: String, at url: String = api,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await provider(url).cookie(named: name)
    if found.map({ Array($0.value.utf8) }) != value.map({ Array($0.utf8) }) {
      Issue.record(
        "'\(name)' at \(url) is \(contrast(found?.value, value))",
        sourceLocation: sourceLocation)
    }
  }
}
