import CookiePort
import Testing

@Suite("Hosts, domains and paths")
struct CanonicalHostTests {
  @Test(
    "a host is lower-case A-labels, or an address in its shortest form",
    arguments: [
      ("WWW.Example.COM.", "www.example.com."), ("WWW.BÜCHER.Example", "www.xn--bcher-kva.example"),
      ("%41.b", "a.b"), ("0x7f.1", "127.0.0.1"), ("[::0001]", "::1"), ("1::0", "1::"),
    ])
  func canonical(_ text: String, _ name: String) {
    #expect(CanonicalHost(text)?.name == name)
    #expect(CanonicalHost.isCanonical(name))
  }

  @Test(
    "other text is no host",
    arguments: [
      "", ".", "a..b", "[a.example]", "[]", "[::1", "::1]", "1::1]", "[1::1", "ü/x", "ü#a", "ü@a",
      "a b",
      "a_\u{7F}", "999.1.1.1", "%FF",
    ])
  func noHost(_ text: String) {
    #expect(CanonicalHost(text) == nil)
    #expect(!CanonicalHost.isCanonical(text))
  }

  @Test("the parents of a name cover it, and an address has none")
  func domains() {
    #expect(DomainMatch.domains(covering: "a.b.c") == ["a.b.c", "b.c", "c"])
    #expect(DomainMatch.domains(covering: "a.b.") == ["a.b.", "b."])
    #expect(DomainMatch.domains(covering: "1.2.3.4") == ["1.2.3.4"])
    #expect(!DomainMatch.matches(host: "a.", domain: ""))
    #expect(DomainMatch.matches(host: "a.b.c", domain: "b.c"))
    #expect(!DomainMatch.matches(host: "1.2.3.4", domain: "3.4"))
  }

  @Test("a path without a slash at its beginning has the default path")
  func paths() {
    #expect(PathMatch.defaultPath(request: "a/b") == "/")
    #expect(PathMatch.defaultPath(request: "/a/b") == "/a")
  }
}
