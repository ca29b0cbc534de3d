public import CookiePort
import Testing

/// Creates the public-suffix list under test from a clause's rules.
public struct PublicSuffixListFixture: Sendable {
  private let make: @Sendable ([String]) throws -> any PublicSuffixList

  /// Creates a fixture.
  ///
  /// - Parameter make: Creates a list from rules in the format of publicsuffix.org, in
  ///   A-labels or U-labels.
  public init(_ make: @escaping @Sendable (_ rules: [String]) throws -> any PublicSuffixList) {
    self.make = make
  }

  /// Checks which domains are public suffixes under a set of rules.
  func expect(
    rules: [String], suffixes: [String], others: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let list = try make(rules)
    for (domains, isExpected) in [(suffixes, true), (others, false)] {
      for domain in domains where list.isPublicSuffix(domain) != isExpected {
        Issue.record(
          """
          with the rules \(rules), '\(domain)' is \(isExpected ? "no" : "a") public suffix, \
          expected the opposite
          """,
          sourceLocation: sourceLocation)
      }
    }
  }
}
