import CookiePort
import Foundation
import Testing

@Suite("CookieRequest")
struct CookieRequestTests {
  @Test(
    "hosts are converted to canonical form",
    arguments: [
      ("https://EXAMPLE.com:8443/", "example.com"), ("http://user:pw@example.com", "example.com"),
      ("https://bücher.example/", "xn--bcher-kva.example"),
      ("https://BU\u{308}CHER.example/", "xn--bcher-kva.example"),
      ("https://XN--Bcher-KVA.example/", "xn--bcher-kva.example"),
      ("http://ex%41mple.com/", "example.com"), ("http://ＥＸＡＭＰＬＥ.com/", "example.com"),
      ("http://a。b.com/", "a.b.com"), ("http://example.com./", "example.com."),
      ("http://[::1]:80/", "::1"), ("http://[0:0:0:0:0:0:0:1]/", "::1"),
      ("http://[::1:80]/", "::1:80"), ("http://[::ffff:1.2.3.4]/", "::ffff:102:304"),
      ("http://[0:0:1:2:0:0:3:4]/", "::1:2:0:0:3:4"), ("http://[1:0:0:2:0:0:0:3]/", "1:0:0:2::3"),
      ("http://[1:0:2:3:4:5:6:7]/", "1:0:2:3:4:5:6:7"), ("http://[01::]/", "1::"),
      ("http://[0::0]/", "::"),
      ("http://[2001:DB8::A]/", "2001:db8::a"), ("http://1.2.3.4/", "1.2.3.4"),
      ("http://0x7f.1/", "127.0.0.1"), ("http://1.2.3.4./", "1.2.3.4"),
      ("http://a_b.example/", "a_b.example"), ("http://localhost/", "localhost"),
    ])
  func hosts(_ url: String, _ host: String) throws {
    #expect(try CookieRequest(url).host == host)
  }

  @Test(
    "an invalid host is rejected",
    arguments: [
      "", ".", "..", ".example.com", "a..b", "a b", "a/b", "a:80", "[example.com]", "[::1",
      "fe80::1%eth0", "1.2.3.4.5", "256.1.1.1", "0xg.0x1g2.0x", "a\u{0}b", "a%00b", "a%zz",
      "user@host",
      String(repeating: "a", count: 255), "é/x", "é:80",
    ])
  func noHosts(_ host: String) {
    #expect(throws: CookieRequestError.invalidHost(host)) {
      try CookieRequest(isSecure: true, host: host)
    }
  }

  @Test("a host name may have 253 bytes, not counting a trailing dot", arguments: ["", "."])
  func longest(_ dot: String) throws {
    let host = String(repeating: "a", count: 253) + dot
    #expect(try CookieRequest(isSecure: true, host: host).host == host)
    #expect(throws: CookieRequestError.invalidHost("a" + host)) {
      try CookieRequest(isSecure: true, host: "a" + host)
    }
  }

  @Test(
    "paths are unchanged except for query and fragment",
    arguments: [
      ("https://example.com", "/"), ("https://example.com?x=/y", "/"),
      ("https://example.com/a%2Fb;p=1/c?q#f", "/a%2Fb;p=1/c"), ("https://example.com/é", "/%C3%A9"),
      ("https://example.com/A/%7e", "/A/%7e"), ("https://example.com//", "//"),
    ])
  func paths(_ url: String, _ path: String) throws {
    #expect(try CookieRequest(url).path == path)
  }

  @Test(
    "a path given separately is converted to its form in a URL",
    arguments: [
      ("", "/"), ("x", "/"), ("/a?b/c", "/a"), ("/a#b", "/a"), ("/é \u{7}", "/%C3%A9%20%07"),
      ("/a%20b", "/a%20b"), ("/~!$&'()*+,;=:@", "/~!$&'()*+,;=:@"),
    ])
  func parts(_ path: String, _ canonical: String) throws {
    #expect(try CookieRequest(isSecure: true, host: "example.com", path: path).path == canonical)
  }

  @Test(
    "https and wss are secure in any case",
    arguments: [
      ("https://a.b", true), ("WSS://a.b", true), ("http://a.b", false), ("ws://a.b", false),
      ("ftp://a.b", false),
    ])
  func schemes(_ url: String, _ isSecure: Bool) throws {
    #expect(try CookieRequest(url).isSecure == isSecure)
  }

  @Test("a URL without scheme or host, or an invalid one, throws a typed error")
  func errors() {
    #expect(throws: CookieRequestError.missingScheme("//example.com/")) {
      try CookieRequest("//example.com/")
    }
    #expect(throws: CookieRequestError.missingHost("file:///etc")) {
      try CookieRequest("file:///etc")
    }
    #expect(throws: CookieRequestError.invalidURL("http://a b/")) {
      try CookieRequest("http://a b/")
    }
    #expect(CookieRequestError.invalidHost("a b").description.contains("'a b'"))
  }

  @Test("the default is HTTP access with a safe method from the same site")
  func defaults() throws {
    let request = try CookieRequest("https://example.com")
    #expect(request.access == .http && request.isSameSite && request.isSafeMethod)
    #expect(!request.isTopLevelNavigation)
    let other = try CookieRequest(
      "https://example.com", access: .script, isSameSite: false, isTopLevelNavigation: true,
      isSafeMethod: false)
    #expect(other.access == .script && !other.isSameSite && !other.isSafeMethod)
    #expect(other.isTopLevelNavigation)
  }
}

@Suite("CanonicalHost")
struct CanonicalHostTests {
  @Test(
    "a host whose last label is a number is an address",
    arguments: [
      ("1.2.3.4", true), ("::1", true), ("a.1", true), ("a.0x1f.", true), ("a.0x", true),
      ("example.com", false), ("1.2.3.a", false), ("a.0xg", false), ("localhost", false),
      ("", false),
    ])
  func addresses(_ host: String, _ isAddress: Bool) {
    #expect(CanonicalHost.isAddress(host) == isAddress)
  }

  @Test(
    "localhost, names below it and loopback addresses are loopback hosts",
    arguments: [
      ("localhost", true), ("localhost.", true), ("a.localhost", true), ("127.0.0.1", true),
      ("127.9.9.9", true), ("::1", true), ("notlocalhost", false), ("localhost.example", false),
      ("127.example", false), ("128.0.0.1", false), ("::2", false),
    ])
  func loopback(_ host: String, _ isLoopback: Bool) {
    #expect(CanonicalHost.isLoopback(host) == isLoopback)
  }
}
