import ContractTesting
import CookiePort
import Testing
import TransportPort

/// A handling by a correct store, with decisions that a saboteur replaces with wrong ones.
private struct FlawedCookieHandling: HTTPCookieHandling {
  let store = InMemoryCookieStore()

  /// Changes the lines of a response.
  var lines: @Sendable ([String]) -> [String] = { $0 }

  /// Changes the URL of a request or response.
  var url: @Sendable (String) -> String = { $0 }

  /// Whether the requests come from the same site.
  var isSameSite: @Sendable (HTTPRequest.Method) -> Bool = { _ in true }

  /// Changes the header.
  var header: @Sendable (String?) -> String? = { $0 }

  /// Whether a rejected line is an error.
  var throwsRejections = false

  /// Whether a URL without a host for cookies is an error.
  var throwsURLs = false

  func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String? {
    guard let request = try request(url, isSameSite: isSameSite(method)) else { return nil }
    return header(Cookie.header(for: store.cookies(for: request)))
  }

  func storeCookies(_ values: [String], fromURL url: String) async throws {
    guard let request = try request(url, isSameSite: true) else { return }
    for line in lines(values) {
      do { try store.store(line, from: request) } catch { if throwsRejections { throw error } }
    }
  }

  private func request(_ url: String, isSameSite: Bool) throws -> CookieRequest? {
    do {
      return try CookieRequest(
        self.url(url), isSameSite: isSameSite, isSafeMethod: isSameSite)
    } catch {
      if throwsURLs { throw error }
      return nil
    }
  }
}

extension Saboteur<CookieHandlingFixture> {
  /// Declares a saboteur: a ``FlawedCookieHandling`` with one wrong decision.
  fileprivate static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping @Sendable (inout FlawedCookieHandling) -> Void
  ) -> Saboteur {
    Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) { _ in
      var handling = FlawedCookieHandling()
      change(&handling)
      return CookieHandlingFixture(handling)
    }
  }

  @SaboteurBuilder<CookieHandlingFixture>
  static var handling: [Saboteur] {
    flawed(
      "empty-field", "sends an empty Cookie field without cookies", caughtBy: "none",
      saying: "is [], expected nothing"
    ) { $0.header = { $0 ?? "" } }
    flawed(
      "one-host", "sends every cookie to every host", caughtBy: "own-host", "redirects"
    ) {
      $0.url = { url in
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return "\(parts[0])//example.com/" + parts[2].drop { $0 != "/" }.dropFirst()
      }
    }
    flawed("first-line", "stores the first line only", caughtBy: "every-line") {
      $0.lines = { Array($0.prefix(1)) }
    }
    flawed("splits-commas", "splits lines at commas", caughtBy: "every-line") {
      $0.lines = { $0.flatMap { Cookie.lines(ofJoined: $0) } }
    }
    flawed("host-alone", "ignores the path", caughtBy: "path") {
      $0.url = { $0.split(separator: "/").prefix(2).joined(separator: "//") }
    }
    flawed("all-secure", "treats http as https", caughtBy: "secure") {
      $0.url = { $0.replacing("http:", with: "https:") }
    }
    flawed("never-deletes", "drops lines that delete a cookie", caughtBy: "deletion") {
      $0.lines = { $0.filter { !$0.contains("1970") } }
    }
    flawed("strict", "fails for a rejected line", caughtBy: "rejected", saying: "cookie") {
      $0.throwsRejections = true
    }
    flawed(
      "cross-site-post", "treats unsafe requests as cross-site", caughtBy: "same-site",
      saying: "the cookies of POST"
    ) { $0.isSameSite = { $0 == .get } }
    flawed("with-port", "treats each port as a host of its own", caughtBy: "url-forms") {
      $0.url = { $0.replacing(":8443", with: ".port") }
    }
    flawed(
      "no-host-fails", "fails for a host that can't have cookies", caughtBy: "no-cookie-host",
      saying: "is neither a host name nor an IP address"
    ) { $0.throwsURLs = true }
    flawed("nothing-kept", "forgets the cookies of redirects", caughtBy: "redirects") {
      $0.lines = { $0.filter { !$0.hasPrefix("sid") } }
    }
  }
}
