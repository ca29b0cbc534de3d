import CookiePort
import Testing

@Suite("DomainMatch")
struct DomainMatchTests {
  @Test(
    "a domain covers itself and its subdomains, never an IP address",
    arguments: [
      ("example.com", "example.com", true), ("a.example.com", "example.com", true),
      ("a.b.example.com", "example.com", true), ("notexample.com", "example.com", false),
      ("example.com", "a.example.com", false), ("example.com", "xample.com", false),
      ("b.example.com", "a.example.com", false), ("1.2.3.4", "3.4", false), ("1.2.3.4", "4", false),
      ("1.2.3.4", "1.2.3.4", true), ("::1", "::1", true), ("a.example.com", "", false),
      ("example.com.", "example.com", false), ("a.example.com.", "example.com.", true),
      ("a.example.com", ".example.com", false),
    ])
  func matches(_ host: String, _ domain: String, _ isMatch: Bool) {
    #expect(DomainMatch.matches(host: host, domain: domain) == isMatch)
  }

  @Test("the domains that cover a host are itself and its parents")
  func covering() {
    #expect(
      DomainMatch.domains(covering: "a.b.example.com") == [
        "a.b.example.com", "b.example.com", "example.com", "com",
      ])
    #expect(DomainMatch.domains(covering: "b.com.") == ["b.com.", "com."])
    #expect(DomainMatch.domains(covering: "1.2.3.4") == ["1.2.3.4"])
    #expect(DomainMatch.domains(covering: "::1") == ["::1"])
  }
}

@Suite("PathMatch")
struct PathMatchTests {
  @Test(
    "a path covers itself and the paths below it, compared by bytes",
    arguments: [
      ("/", "/", true), ("/a", "/", true), ("/foo", "/foo", true), ("/foo/", "/foo", true),
      ("/foo/bar", "/foo", true), ("/foo/bar", "/foo/", true), ("/foobar", "/foo", false),
      ("/foo", "/foo/", false), ("/", "/foo", false), ("/Foo", "/foo", false),
      ("/%66oo", "/foo", false), ("/e\u{301}", "/e", false), ("/e\u{301}", "/\u{E9}", false),
    ])
  func matches(_ request: String, _ cookie: String, _ isMatch: Bool) {
    #expect(PathMatch.matches(request: request, cookie: cookie) == isMatch)
  }

  @Test(
    "the default path ends before the last slash",
    arguments: [
      ("/", "/"), ("", "/"), ("x/y", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"),
      ("/a/b/c.html", "/a/b"), ("//", "/"), ("/a/\u{301}", "/a"),
    ])
  func defaults(_ request: String, _ path: String) {
    #expect(PathMatch.defaultPath(request: request) == path)
  }
}
