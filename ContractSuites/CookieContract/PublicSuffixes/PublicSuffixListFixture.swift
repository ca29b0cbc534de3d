public import CookiePort
import Testing

/// A way to make public-suffix lists of given rules.
public struct PublicSuffixListFixture: Sendable {
  private let make: @Sendable ([String]) throws -> any PublicSuffixList

  /// Lists that a closure makes of rules in the format of publicsuffix.org, A-labels throughout.
  public init(_ make: @escaping @Sendable (_ rules: [String]) throws -> any PublicSuffixList) {
    self.make = make
  }

  /// Checks which of some domains are public suffixes by some rules.
  func expect(
    rules: [String], suffixes: [String], others: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let list = try make(rules)
    for (domains, isExpected) in [(suffixes, true), (others, false)] {
      for domain in domains where list.isPublicSuffix(domain) != isExpected {
        Issue.record(
          "by the rules \(rules), '\(domain)' is \(isExpected ? "no" : "a") public suffix, expected the contrary",
          sourceLocation: sourceLocation)
      }
    }
  }
}
