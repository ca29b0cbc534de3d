/// A public-suffix list from given rules, with the algorithm of publicsuffix.org.
///
/// A rule is a domain in A-labels or U-labels (`co.uk`, `рф`), a wildcard (`*.ck`) or an exception to a
/// wildcard (`!www.ck`). If no rule matches, top-level domains are suffixes.
public struct StaticPublicSuffixList: PublicSuffixList, Hashable {
  /// The rules in lower-case A-labels.
  private let rules: Set<String>

  /// Whether a single label that no rule names is a suffix.
  private let countsUnlistedTopLevel: Bool

  /// Creates a list of rules.
  ///
  /// - Parameter rules: The lines of a public-suffix list. Case, surrounding white space, a leading
  ///   dot, empty lines and `//` comments are ignored, as are U-labels that no host name can have
  ///   (UTS 46).
  public init(rules: some Sequence<String>) {
    self.init(rules: rules, countsUnlistedTopLevel: true)
  }

  private init(rules: some Sequence<String>, countsUnlistedTopLevel: Bool) {
    self.rules = Set(rules.compactMap(Self.normalized))
    self.countsUnlistedTopLevel = countsUnlistedTopLevel
  }

  /// Returns the canonical form of a line's rule, which ends at white space; `nil` if there is
  /// none.
  private static func normalized(_ line: String) -> String? {
    var rule = line.utf8.drop { $0.isCookieSpace }.prefix { $0 > 0x20 }
    guard !rule.starts(with: "//".utf8) else { return nil }
    if rule.first == UInt8(ascii: ".") { rule = rule.dropFirst() }
    guard !rule.isEmpty else { return nil }
    guard !rule.allSatisfy(UTF8.isASCII) else {
      return String(decoding: rule.map(\.lowercased), as: UTF8.self)
    }
    let prefix = ["!", "*."].first { rule.starts(with: $0.utf8) } ?? ""
    return String(rule.dropFirst(prefix.utf8.count)).flatMap(CanonicalHost.init).map {
      prefix + $0.name
    }
  }

  /// Whether the prevailing rule has as many labels as `domain`, or `domain` is a wildcard's
  /// parent.
  public func isPublicSuffix(_ domain: String) -> Bool {
    let dot = domain.utf8.firstIndex(of: UInt8(ascii: "."))
    if !rules.isEmpty {
      if rules.contains("!" + domain) { return false }
      // The algorithm doesn't cover a wildcard's parent. It counts as a suffix, as in libpsl, because
      // that is the safe choice.
      if rules.contains(domain) || rules.contains("*." + domain) { return true }
      if let dot { return rules.contains("*" + domain[dot...]) }
    }
    return dot == nil && countsUnlistedTopLevel && !domain.isEmpty
  }
}

extension PublicSuffixList where Self == StaticPublicSuffixList {
  /// A list of all top-level domains only: `com` is a suffix, `co.uk` is not.
  public static var topLevelDomains: StaticPublicSuffixList { StaticPublicSuffixList(rules: []) }

  /// An empty list, for tests and for closed networks.
  public static var noSuffixes: StaticPublicSuffixList { .empty }
}

extension StaticPublicSuffixList {
  /// The list without any suffix, not even top-level domains.
  fileprivate static let empty = StaticPublicSuffixList(rules: [], countsUnlistedTopLevel: false)
}
