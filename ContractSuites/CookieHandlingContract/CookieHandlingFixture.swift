import ContractTesting
import Testing
public import TransportPort

/// The cookie handling under test, which has no cookies at first.
public struct CookieHandlingFixture: Sendable {
  /// The handling.
  let handling: any HTTPCookieHandling

  /// Creates a fixture.
  ///
  /// - Parameter handling: A handling without cookies.
  public init(_ handling: any HTTPCookieHandling) { self.handling = handling }

  /// The URL that clauses use if the URL doesn't matter.
  static let url = "https://example.com/"

  /// Hands over the `Set-Cookie` lines of one response.
  func receive(_ lines: String..., from url: String = url) async throws {
    try await handling.storeCookies(lines, fromURL: url)
  }

  /// Checks the cookies that a request carries, in any order.
  func expect(
    _ header: String?, at url: String = url, method: HTTPRequest.Method = .get,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await handling.cookieHeader(forURL: url, method: method)
    checkEqual(
      Self.pairs(found), Self.pairs(header), "the cookies of \(method) \(url)",
      sourceLocation: sourceLocation)
  }

  /// The pairs of a header in a fixed order; `nil` if there is no header.
  static func pairs(_ header: String?) -> [String]? {
    header?.split(separator: ";").map { String($0.drop { $0 == " " }) }.sorted()
  }
}
