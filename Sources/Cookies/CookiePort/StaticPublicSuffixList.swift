/// Public suffixes from rules given in the code, by the algorithm of publicsuffix.org.
///
/// A rule is a domain of A-labels (`co.uk`), may begin with a wildcard label (`*.ck`) or be an
/// exception to one (`!www.ck`). Where no rule matches, top-level domains are suffixes.
public struct StaticPublicSuffixList: PublicSuffixList, Hashable {
  /// The rules, lower-case.
  private let rules: Set<String>

  /// Whether a single label that no rule names is a suffix.
  private let countsUnlistedTopLevel: Bool

  /// The list of these rules.
  ///
  /// - Parameter rules: Lines of a public-suffix list; upper case, surrounding white space and a
  ///   leading dot are forgiven, empty lines and `//` comments passed over.
  public init(rules: some Sequence<String>) {
    self.init(rules: rules, countsUnlistedTopLevel: true)
  }

  private init(rules: some Sequence<String>, countsUnlistedTopLevel: Bool) {
    self.rules = Set(rules.compactMap(Self.normalized))
    self.countsUnlistedTopLevel = countsUnlistedTopLevel
  }

  /// A rule in its canonical form, or `nil` for a line without one.
  ///
  /// A rule ends at the first white space.
  private static func normalized(_ line: String) -> String? {
    var rule = line.utf8.drop { $0.isCookieSpace }.prefix { $0 > 0x20 }
    guard !rule.starts(with: "//".utf8) else { return nil }
    if rule.first == UInt8(ascii: ".") { rule = rule.dropFirst() }
    guard !rule.isEmpty else { return nil }
    return String(decoding: rule.map(\.lowercased), as: UTF8.self)
  }

  /// Whether the prevailing rule for `domain` has as many labels as `domain` itself, or a wildcard
  /// stands directly under it.
  public func isPublicSuffix(_ domain: String) -> Bool {
    guard !rules.isEmpty else {
      return countsUnlistedTopLevel && !domain.isEmpty && !domain.utf8.contains(UInt8(ascii: "."))
    }
    if rules.contains("!" + domain) { return false }
    // What a wildcard stands under belongs to nobody either: so libpsl has it, and so it is safe.
    if rules.contains(domain) || rules.contains("*." + domain) { return true }
    guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else {
      return countsUnlistedTopLevel && !domain.isEmpty
    }
    return rules.contains("*" + domain[dot...])
  }
}

extension PublicSuffixList where Self == StaticPublicSuffixList {
  /// Every top-level domain, and nothing below: `com` is a suffix, `co.uk` passes for a domain.
  public static var topLevelDomains: StaticPublicSuffixList { StaticPublicSuffixList(rules: []) }

  /// No domain at all: for tests, and for hosts of a closed network.
  public static var noSuffixes: StaticPublicSuffixList { .empty }
}

extension StaticPublicSuffixList {
  /// The list on which not even a top-level domain stands.
  fileprivate static let empty = StaticPublicSuffixList(rules: [], countsUnlistedTopLevel: false)
}
