import CookiePort
import CookiePublicSuffixAdapter
import CookieTestSupport
import Foundation
import Testing

@Suite("LibPSLPublicSuffixList")
struct LibPSLPublicSuffixListTests {
  @Test(
    "the built-in and the latest list contain the well-known suffixes", arguments: [true, false])
  func wellKnown(_ isLatest: Bool) throws {
    let list = isLatest ? try LibPSLPublicSuffixList.latest() : try LibPSLPublicSuffixList.builtIn()
    for domain in ["com", "co.uk", "github.io", "ck", "any.ck", "xn--p1ai", "unlisted-top-level"] {
      #expect(list.isPublicSuffix(domain), "\(domain)")
    }
    for domain in ["example.com", "a.co.uk", "me.github.io", "www.ck", "a.xn--p1ai", ""] {
      #expect(!list.isPublicSuffix(domain), "\(domain)")
    }
  }

  @Test("a store applies the list")
  func store() throws {
    let policy = CookiePolicy(publicSuffixes: try LibPSLPublicSuffixList.latest())
    let store = InMemoryCookieStore(policy: policy)
    #expect(throws: CookieStoreError.rejected(.publicSuffix)) {
      try store.store("a=1; Domain=co.uk", from: CookieRequest("https://example.co.uk/"))
    }
  }

  @Test("a missing file throws a typed error")
  func noFile() {
    let path = "/nowhere/list.dat"
    #expect(throws: PublicSuffixListError.unreadable(path: path)) {
      try LibPSLPublicSuffixList.file(at: path)
    }
    #expect(PublicSuffixListError.unreadable(path: path).description.contains(path))
    #expect(!PublicSuffixListError.noBuiltInList.description.isEmpty)
  }

  @Test(
    "the static list and libpsl agree on every rule of the operating system's list, in U-labels",
    .enabled(if: FileManager.default.fileExists(atPath: systemList), "install publicsuffix"))
  func systemRules() throws {
    let lines = try String(contentsOfFile: Self.systemList, encoding: .utf8).split(separator: "\n")
      .map(String.init)
    let expected = try LibPSLPublicSuffixList.file(at: Self.systemList)
    let list = StaticPublicSuffixList(rules: lines)
    var asked = 0
    for line in lines where !line.hasPrefix("//") {
      let name = line.drop { "!*.".contains($0) }
      guard let host = try? CookieRequest(isSecure: true, host: String(name)).host else {
        Issue.record("'\(line)' is no host")
        continue
      }
      for domain in [host, "a.\(host)", "b.a.\(host)"] {
        asked += 1
        #expect(list.isPublicSuffix(domain) == expected.isPublicSuffix(domain), "\(domain)")
      }
    }
    #expect(asked > 20_000)
  }

  /// The list of Debian's package publicsuffix, in U-labels.
  private static let systemList = "/usr/share/publicsuffix/public_suffix_list.dat"

  @Test("the static list and libpsl agree on random rules and domains")
  func agreement() throws {
    var random = SystemRandomNumberGenerator()
    let labels = ["a", "b", "c", "d"]
    func domain() -> String {
      (0..<Int.random(in: 1...4, using: &random)).map { _ in labels.randomElement()! }
        .joined(separator: ".")
    }
    let directory = try TemporaryDirectory()
    for round in 0..<50 {
      // libpsl drops one of a plain and a wildcard rule of the same name, so no such pair is made.
      let names = Set((0..<6).map { _ in domain() })
      let rules = names.flatMap { Bool.random() ? [$0] : ["*.\($0)", "!x.\($0)"] }
      let text = (["// ===BEGIN ICANN DOMAINS==="] + rules + ["// ===END ICANN DOMAINS==="])
        .joined(separator: "\n")
      let file = directory.url.appending(path: "\(round).dat")
      try Data((text + "\n").utf8).write(to: file)
      let live = try LibPSLPublicSuffixList.file(at: file.path)
      let expected = StaticPublicSuffixList(rules: rules)
      for _ in 0..<200 {
        let name = Bool.random() ? domain() : "x." + domain()
        #expect(expected.isPublicSuffix(name) == live.isPublicSuffix(name), "\(name) by \(rules)")
      }
    }
  }
}
