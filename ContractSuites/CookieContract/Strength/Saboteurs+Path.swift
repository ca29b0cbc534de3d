import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var path: [Saboteur] {
    flawed(
      "default-path-with-slash", "keeps the last slash of a default path",
      caughtBy: "default-path", "path-query", saying: "the path set at"
    ) {
      $0.admitted = { cookie, received in
        let path = received.request.path
        guard received.values(of: "Path").isEmpty, let slash = path.lastIndex(of: "/") else {
          return
        }
        cookie.path = String(path[...slash])
      }
    }
    flawed(
      "default-path-root", "uses / as every default path", caughtBy: "default-path", "no-path",
      saying: "is '/'"
    ) {
      $0.admitted = { cookie, received in
        if !received.values(of: "Path").contains(where: { $0.hasPrefix("/") }) {
          cookie.path = "/"
        }
      }
    }
    flawed(
      "adds-slash", "adds a slash to a Path that has none", caughtBy: "no-path",
      saying: "the path of Path=docs"
    ) { $0.line = { line, _ in line.rewriting("Path") { $0 == "docs" ? "/docs" : $0 } } }
    flawed(
      "empty-path-root", "treats an empty Path as /", caughtBy: "no-path", saying: "Path= is '/'"
    ) { $0.line = { line, _ in line.rewriting("Path") { $0.isEmpty ? "/" : $0 } } }
    flawed(
      "only-below", "sends to paths below a cookie's path but not to the path itself",
      caughtBy: "path-itself", "path-match", saying: "carries nothing"
    ) {
      $0.sends = {
        $2.sends($0, with: $1) && ($0.path.hasSuffix("/") || $0.path != $1.path)
      }
    }
    flawed(
      "path-slash-optional", "sends a cookie of /docs/ to /docs", caughtBy: "path-slash",
      saying: "https://example.com/docs (http) carries"
    ) {
      $0.changeBeforeMatching { cookie, _ in
        if cookie.path.count > 1, cookie.path.hasSuffix("/") { cookie.path.removeLast() }
      }
    }
    flawed(
      "path-two-slashes", "requires a slash after a path that ends in one", caughtBy: "path-slash",
      saying: "https://example.com/docs/page (http) carries"
    ) {
      $0.changeBeforeMatching { cookie, request in
        if cookie.path.count > 1, cookie.path.hasSuffix("/"), request.path != cookie.path {
          cookie.path += "/"
        }
      }
    }
    flawed(
      "path-prefix", "compares paths as string prefixes", caughtBy: "path-match",
      saying: "https://example.com/docsets (http) carries"
    ) {
      $0.changeBeforeMatching { cookie, request in
        if request.path.hasPrefix(cookie.path) { cookie.path = "/" }
      }
    }
    flawed(
      "path-case-ignored", "compares paths case-insensitively", caughtBy: "path-case",
      saying: "https://example.com/docs/page (http) carries"
    ) {
      $0.changeBeforeMatching { cookie, request in
        if request.path.lowercased().hasPrefix(cookie.path.lowercased() + "/") {
          cookie.path = "/"
        }
      }
    }
    flawed(
      "path-decoded", "percent-decodes paths before it compares them", caughtBy: "path-percent",
      saying: "https://example.com/%61 (http) carries"
    ) {
      $0.changeBeforeMatching { cookie, request in
        if request.path.removingPercentEncoding == cookie.path { cookie.path = "/" }
      }
    }
    flawed(
      "path-of-letters", "compares paths without their percent-encoded characters",
      caughtBy: "path-unencoded", saying: "the header for"
    ) {
      $0.changeBeforeMatching { cookie, _ in cookie.path.replace(/%[0-9A-F]{2}/, with: "") }
    }
  }
}
