import CookiePort
import Foundation
import Testing

/// Who is asking, in a clause's words.
enum Caller: String {
  /// An HTTP request from the same site.
  case http
  /// A script on a page of the same site.
  case script
  /// A cross-site subresource.
  case crossSite = "cross-site"
  /// A cross-site `GET` that navigates the top-level page.
  case crossSiteLink = "cross-site navigation"
  /// A cross-site `POST` that navigates the top-level page.
  case crossSiteForm = "cross-site unsafe navigation"
  /// A script in a frame of another site.
  case crossSiteScript = "cross-site script"
  /// A script in a frame of another site, on a page that was navigated to.
  case crossSiteScriptAfterLink = "cross-site script after navigation"
}

extension CookieStoreFixture {
  /// The present by the fixture's clock.
  var now: Date { clock.now }

  /// The URL at which clauses set and get where the URL doesn't matter.
  static let origin = "https://example.com/"

  func request(_ url: String, by caller: Caller = .http) throws -> CookieRequest {
    switch caller {
    case .http: try CookieRequest(url)
    case .script: try CookieRequest(url, access: .script)
    case .crossSite: try CookieRequest(url, isSameSite: false)
    case .crossSiteLink: try CookieRequest(url, isSameSite: false, isTopLevelNavigation: true)
    case .crossSiteForm:
      try CookieRequest(
        url, isSameSite: false, isTopLevelNavigation: true, isSafeMethod: false)
    case .crossSiteScript: try CookieRequest(url, access: .script, isSameSite: false)
    case .crossSiteScriptAfterLink:
      try CookieRequest(
        url, access: .script, isSameSite: false, isTopLevelNavigation: true)
    }
  }

  /// Sets a cookie that has to be stored, and gives it back as the store says it stored it.
  @discardableResult
  func set(
    _ line: String, at url: String = origin, by caller: Caller = .http,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Cookie {
    let request = try request(url, by: caller)
    let answer: String
    do {
      let change = try await store.store(line, from: request)
      if case .stored(let cookie, _)? = change { return cookie }
      answer = shown(change)
    } catch {
      answer = "the error '\(error)'"
    }
    let none: Cookie? = nil
    return try #require(
      none, "\(shown(line)) from \(url) (\(caller.rawValue)): expected it stored, got \(answer)",
      sourceLocation: sourceLocation)
  }

  /// Sets a cookie that has to be refused, for a reason and with nothing changed.
  func refuse(
    _ line: String, at url: String = origin, by caller: Caller = .http, as reason: CookieRejection,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let request = try request(url, by: caller)
    let before = try await store.all()
    let what = "\(shown(line)) from \(url) (\(caller.rawValue))"
    do {
      let change = try await store.store(line, from: request)
      Issue.record(
        "\(what): expected it refused as \(reason.rawValue), got \(shown(change))",
        sourceLocation: sourceLocation)
    } catch .rejected(let rejection) {
      check(
        rejection == reason,
        "\(what): expected it refused as \(reason.rawValue), got \(rejection.rawValue)",
        sourceLocation)
    } catch {
      Issue.record(
        "\(what): expected it refused as \(reason.rawValue), got the error '\(error)'",
        sourceLocation: sourceLocation)
    }
    let after = try await store.all()
    check(
      after == before,
      "\(what): a refused cookie changed the store from \(shown(before)) to \(shown(after))",
      sourceLocation)
  }

  /// Sets a cookie that has expired, so that it deletes what is there and stores nothing.
  ///
  /// - Returns: What the store says it did.
  @discardableResult
  func setExpired(
    _ line: String, at url: String = origin, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> CookieChange? {
    let change = try await store.store(line, from: try request(url))
    if case .stored? = change {
      Issue.record(
        "\(shown(line)) from \(url): expected nothing stored, got \(shown(change))",
        sourceLocation: sourceLocation)
    }
    return change
  }

  /// Checks which cookies a request carries, in whatever order.
  ///
  /// - Parameter header: What the `Cookie` header holds; `nil` for none.
  func expect(
    _ header: String?, at url: String = origin, by caller: Caller = .http,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.header(for: try request(url, by: caller))
    check(
      sortedOctets(found) == sortedOctets(header),
      "\(url) (\(caller.rawValue)) carries \(shown(found)), expected \(shown(header))",
      sourceLocation)
  }

  /// Checks which cookies a request carries, in order.
  func expectOrder(
    _ header: String, at url: String = origin, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.header(for: try request(url))
    check(
      octets(found) == octets(header),
      "\(url) carries \(shown(found)), expected \(shown(header)) in this order", sourceLocation)
  }

  /// Checks which cookies the store lists, as `name=value`, in whatever order.
  func expectAll(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.all().map(\.serialized)
    check(
      sortedOctets(found.joined(separator: "; ")) == sortedOctets(expected.joined(separator: "; ")),
      "the store lists \(found), expected \(expected)", sourceLocation)
  }

  /// Checks which cookies the store lists, as `name=value`, in order.
  func expectAllInOrder(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.all().map(\.serialized)
    check(
      found.map(octets) == expected.map(octets),
      "the store lists \(found), expected \(expected) in this order", sourceLocation)
  }

  /// The cookie of that name in the list of all: there has to be one, and only one.
  func listed(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Cookie {
    let all = try await store.all()
    let found = all.filter { octets($0.name) == octets(name) }
    let only = found.count == 1 ? found.first : nil
    return try #require(
      only, "expected one cookie named '\(name)' in the list, got \(shown(all))",
      sourceLocation: sourceLocation)
  }
}

/// Records an issue that says no more than its message, where something doesn't hold.
private func check(_ holds: Bool, _ message: @autoclosure () -> String, _ place: SourceLocation) {
  if !holds { Issue.record("\(message())", sourceLocation: place) }
}

/// Checks one thing, with words for both sides.
func expectEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  check(
    found == expected,
    "\(what()) is \(shown(found)), expected \(shown(expected))", sourceLocation)
}

/// Checks text octet by octet: `==` would take canonically equivalent text for equal.
func expectText(
  _ found: String, _ expected: String, _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  check(
    octets(found) == octets(expected),
    "\(what()) is \(shown(found)), expected \(shown(expected))", sourceLocation)
}

/// Checks an expiry to within two seconds, for stores that read the system's clock.
func expectExpiry(
  of cookie: Cookie, near expected: Date, _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let distance = cookie.expires.map { abs($0.timeIntervalSince(expected)) }
  check(
    distance.map { $0 <= 2 } == true,
    "\(what()): it expires at \(shown(cookie.expires)), expected \(shown(expected))", sourceLocation
  )
}

private func octets(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

/// The cookies of a header, sorted, so that they can be compared whatever their order.
private func sortedOctets(_ header: String?) -> [[UInt8]]? {
  header.map { header in
    header.components(separatedBy: "; ").map { Array($0.utf8) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }
}

/// A value for a message: text in quotes, shortened where it is long.
func shown(_ value: Any?) -> String {
  switch value {
  case nil: return "nothing"
  case let text as String:
    let visible = text.unicodeScalars.prefix(80).map { $0.escaped(asASCII: false) }.joined()
    return text.utf8.count > 100
      ? "'\(visible)…' (\(text.utf8.count) octets)" : "'\(visible)'"
  case let date as Date: return "\(date.formatted(.iso8601)) (\(date.timeIntervalSince1970) s)"
  case let cookie as Cookie: return shown(cookie)
  case let cookies as [Cookie]: return "[" + cookies.map { shown($0) }.joined(separator: ", ") + "]"
  case let changes as [CookieChange]:
    return "[" + changes.map { shown($0) }.joined(separator: ", ") + "]"
  case .stored(let cookie, nil) as CookieChange: return "stored \(shown(cookie))"
  case .stored(let cookie, let old?) as CookieChange:
    return "stored \(shown(cookie)) in place of \(shown(old))"
  case .removed(let cookie, let cause) as CookieChange:
    return "removed \(shown(cookie)) (\(cause.rawValue))"
  case let value?: return "\(value)"
  }
}

/// A cookie with all its fields, each attribute where it is given.
private func shown(_ cookie: Cookie) -> String {
  var text = "\(shown(cookie.serialized)) of \(cookie.isHostOnly ? "" : ".")\(cookie.domain)"
  text += shown(cookie.path).dropFirst().dropLast()
  if cookie.isSecure { text += " Secure" }
  if cookie.isHTTPOnly { text += " HttpOnly" }
  if cookie.sameSite != .unspecified { text += " SameSite=\(cookie.sameSite.rawValue)" }
  if let expires = cookie.expires { text += " until \(expires.timeIntervalSince1970)" }
  return text + " made \(cookie.creation.timeIntervalSince1970)"
    + " used \(cookie.lastAccess.timeIntervalSince1970)"
}
