import ContractTesting
import CookiePort
import Foundation
import Testing

private func url(_ path: String) -> String { "https://example.com" + path }

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var path: [Clause<CookieStoreFixture>] {
    Clause(
      "default-path", "a cookie without Path gets the request's path up to its last slash",
      from: "RFC 6265bis §5.1.4"
    ) { fixture in
      for (request, path) in [
        ("/docs/page", "/docs"), ("/docs/", "/docs"), ("/docs/web/page.html", "/docs/web"),
        ("/docs", "/"), ("/", "/"), ("", "/"), ("/docs//page", "/docs/"),
        ("/docs/web/", "/docs/web"),
      ] {
        checkSameBytes(
          try await fixture.set("a=1", at: url(request)).path, path, "the path set at \(request)")
      }
    }
    Clause(
      "no-path", "a Path that is empty or doesn't begin with a slash is ignored",
      from: "RFC 6265bis §5.6.4"
    ) { fixture in
      for attribute in ["Path=", "Path", "Path=docs", "Path=./", "Path=\"/\"", "Path= \t"] {
        checkSameBytes(
          try await fixture.set("a=1; \(attribute)", at: url("/web/page")).path, "/web",
          "the path of \(attribute)")
      }
      checkSameBytes(
        try await fixture.set("a=1; Path=/x y/", at: url("/docs/page")).path, "/x y/",
        "the path of Path=/x y/")
    }
    Clause(
      "path-itself", "a cookie goes to its own path", from: "RFC 6265bis §5.1.4"
    ) { fixture in
      for (name, path) in [("a", "/docs"), ("b", "/docs/"), ("c", "/docs/a"), ("d", "/web")] {
        try await fixture.set("\(name)=1; Path=\(path)")
      }
      try await fixture.expect("c=1; b=1; a=1", at: url("/docs/a"))
      try await fixture.expect("a=1", at: url("/docs"))
      try await fixture.expect("d=1", at: url("/web"))
    }
    Clause(
      "path-slash", "a Path that ends in a slash covers the paths that begin with it",
      from: "RFC 6265bis §5.1.4"
    ) { fixture in
      try await fixture.set("a=1; Path=/docs/")
      try await fixture.set("r=1; Path=/")
      for path in ["/docs/", "/docs/page", "/docs/web/page", "/docs//"] {
        try await fixture.expect("a=1; r=1", at: url(path))
      }
      for path in ["/docs", "/docsets/", "/", "/web"] {
        try await fixture.expect("r=1", at: url(path))
      }
    }
    Clause(
      "path-match", "a cookie goes only to its own path and to paths under it",
      from: "RFC 6265bis §5.1.4"
    ) { fixture in
      try await fixture.set("a=1; Path=/docs")
      for path in ["/docs", "/docs/", "/docs/web/page"] {
        try await fixture.expect("a=1", at: url(path))
      }
      for path in [
        "/docsets", "/docs.html", "/doc", "/", "/web/docs", "/docs%2Fweb", "//docs", "/web",
      ] {
        try await fixture.expect(nil, at: url(path))
      }
    }
    Clause("path-case", "paths are case-sensitive", from: "RFC 6265bis §5.1.4") { fixture in
      try await fixture.set("a=1; Path=/Docs")
      try await fixture.expect("a=1", at: url("/Docs/page"))
      try await fixture.expect(nil, at: url("/docs/page"))
      try await fixture.set("a=2; Path=/docs")
      try await fixture.expectAll(["a=1", "a=2"])
    }
    Clause(
      "path-query", "query and fragment are not part of the path", from: "RFC 6265bis §5.1.4"
    ) { fixture in
      checkSameBytes(
        try await fixture.set("a=1", at: url("/docs?next=/x/y")).path, "/",
        "the path set at /docs?next=/x/y")
      checkSameBytes(
        try await fixture.set("b=1", at: url("/docs/page#/x/y")).path, "/docs",
        "the path set at /docs/page#/x/y")
      try await fixture.expect("b=1; a=1", at: url("/docs?x=1"))
      try await fixture.expect("b=1; a=1", at: url("/docs#part"))
      try await fixture.expect("a=1", at: url("/?/docs"))
    }
    Clause(
      "path-percent", "percent-encoded characters in paths are not decoded",
      from: "RFC 6265bis §5.1.4"
    ) { fixture in
      try await fixture.set("a=1; Path=/a%2Fb")
      try await fixture.set("b=1; Path=/a")
      try await fixture.expect("a=1", at: url("/a%2Fb/c"))
      try await fixture.expect(nil, at: url("/a%2fb"))
      try await fixture.expect("b=1", at: url("/a/b"))
      try await fixture.expect(nil, at: url("/%61"))
      checkSameBytes(
        try await fixture.set("c=1", at: url("/%64ocs/page")).path, "/%64ocs",
        "the path set at /%64ocs/page")
    }
    Clause(
      "path-unencoded",
      "a path is compared without query and fragment, and with other bytes percent-encoded",
      from: "RFC 6265bis §5.1.4"
    ) { fixture in
      for (raw, path) in [
        ("/é", "/%C3%A9"), ("/a b", "/a%20b"), ("/a\u{7F}b", "/a%7Fb"), ("/!~", "/!~"),
        ("/docs?x", "/docs"), ("/docs#x", "/docs"), ("docs", "/"),
      ] {
        let request = try CookieRequest(isSecure: true, host: "example.com", path: raw + "/page")
        try await fixture.set("a=1; Path=\(path)")
        let header = try await fixture.store.header(for: request)
        checkEqual(header, "a=1", "the header for \(describe(raw)) with the path \(path)")
        try await fixture.store.clear()
      }
    }
  }
}
