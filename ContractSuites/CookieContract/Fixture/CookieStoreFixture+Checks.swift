import ContractTesting
import CookiePort
import Foundation
import Testing

/// The kind of caller that sets or reads cookies.
enum Caller: String {
  /// An HTTP request from the same site.
  case http
  /// A script on a page of the same site.
  case script
  /// A cross-site subresource request.
  case crossSite = "cross-site"
  /// A cross-site `GET` that navigates the top-level page.
  case crossSiteLink = "cross-site navigation"
  /// A cross-site `POST` that navigates the top-level page.
  case crossSiteForm = "cross-site unsafe navigation"
  /// A script in a frame of another site.
  case crossSiteScript = "cross-site script"
  /// A script in a frame of another site, on a page that the user navigated to.
  case crossSiteScriptAfterLink = "cross-site script after navigation"
}

extension CookieStoreFixture {
  /// The time that the fixture's clock shows.
  var now: Date { clock.now }

  /// The URL that clauses use if the URL doesn't matter.
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

  /// Sets a cookie that must be stored.
  ///
  /// - Returns: The cookie that the store says it stored.
  @discardableResult
  func set(
    _ line: String, at url: String = origin, by caller: Caller = .http,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Cookie {
    let request = try request(url, by: caller)
    let outcome: String
    do {
      let change = try await store.store(line, from: request)
      if case .stored(let cookie, _)? = change { return cookie }
      outcome = describe(change)
    } catch {
      outcome = "the error '\(error)'"
    }
    let none: Cookie? = nil
    return try #require(
      none,
      "\(describe(line)) from \(url) (\(caller.rawValue)): expected it stored, got \(outcome)",
      sourceLocation: sourceLocation)
  }

  /// Sets a cookie that must be rejected for a reason, without a change to the store.
  func expectRejection(
    _ line: String, at url: String = origin, by caller: Caller = .http, as reason: CookieRejection,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let request = try request(url, by: caller)
    let before = try await store.all()
    func subject() -> String { "\(describe(line)) from \(url) (\(caller.rawValue))" }
    do {
      let change = try await store.store(line, from: request)
      Issue.record(
        "\(subject()): expected it rejected as \(reason.rawValue), got \(describe(change))",
        sourceLocation: sourceLocation)
    } catch .rejected(let rejection) {
      check(
        rejection == reason,
        "\(subject()): expected it rejected as \(reason.rawValue), got \(rejection.rawValue)",
        sourceLocation: sourceLocation)
    } catch {
      Issue.record(
        "\(subject()): expected it rejected as \(reason.rawValue), got the error '\(error)'",
        sourceLocation: sourceLocation)
    }
    let after = try await store.all()
    check(
      after == before,
      "\(subject()): a rejected cookie changed the store from \(describe(before)) "
        + "to \(describe(after))",
      sourceLocation: sourceLocation)
  }

  /// Sets a cookie that has expired, which must not be stored.
  ///
  /// - Returns: The change that the store reports.
  @discardableResult
  func setExpired(
    _ line: String, at url: String = origin, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> CookieChange? {
    let change = try await store.store(line, from: try request(url))
    if case .stored? = change {
      Issue.record(
        "\(describe(line)) from \(url): expected nothing stored, got \(describe(change))",
        sourceLocation: sourceLocation)
    }
    return change
  }

  /// Checks which cookies a request carries, in any order.
  ///
  /// - Parameter header: The expected `Cookie` header, or `nil` for none.
  func expect(
    _ header: String?, at url: String = origin, by caller: Caller = .http,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.header(for: try request(url, by: caller))
    check(
      sortedBytes(found) == sortedBytes(header),
      "\(url) (\(caller.rawValue)) carries \(contrast(found, header))",
      sourceLocation: sourceLocation)
  }

  /// Checks which cookies a request carries, in order.
  func expectOrder(
    _ header: String, at url: String = origin, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.header(for: try request(url))
    check(
      bytes(found) == bytes(header),
      "\(url) carries \(contrast(found, header)) in this order",
      sourceLocation: sourceLocation)
  }

  /// Checks which cookies the store lists, as `name=value`, in any order.
  func expectAll(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.all().map(\.serialized)
    check(
      sortedBytes(found.joined(separator: "; ")) == sortedBytes(expected.joined(separator: "; ")),
      "the store lists \(contrast(found, expected))",
      sourceLocation: sourceLocation)
  }

  /// Checks which cookies the store lists, as `name=value`, in order.
  func expectAllInOrder(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.all().map(\.serialized)
    check(
      found.map(bytes) == expected.map(bytes),
      "the store lists \(contrast(found, expected)) in this order",
      sourceLocation: sourceLocation)
  }

  /// Returns the changes that the store reports of an operation.
  func changes(
    sourceLocation: SourceLocation = #_sourceLocation,
    reportedBy operation: () async throws -> Void
  ) async throws -> [CookieChange] {
    let changes = store.changes()
    try await operation()
    let last = try await set("last=1", at: "https://last.example/", sourceLocation: sourceLocation)
    let reported = await changes.upTo(last)
    checkEqual(
      reported.last, .stored(last, replacing: nil), "the last change reported",
      sourceLocation: sourceLocation)
    return reported.dropLast()
  }

  /// Returns the only cookie of a name in the store's list; fails if there is not exactly one.
  func listed(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Cookie {
    let all = try await store.all()
    let found = all.filter { bytes($0.name) == bytes(name) }
    let only = found.count == 1 ? found.first : nil
    return try #require(
      only, "expected one cookie named '\(name)' in the list, got \(describe(all))",
      sourceLocation: sourceLocation)
  }
}

/// Checks text byte by byte, because `==` treats canonically equivalent text as equal.
func checkSameBytes(
  _ actual: String, _ expected: String, _ subject: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  check(
    bytes(actual) == bytes(expected),
    "\(subject()) is \(contrast(actual, expected))",
    sourceLocation: sourceLocation)
}

/// Describes a value and the one that was expected in its place.
///
/// Text outside ASCII is escaped if the two would look alike, such as 'é' of one scalar and of two.
func contrast(_ actual: Any?, _ expected: Any?) -> String {
  var texts = [describe(actual), describe(expected)]
  // `==` compares canonical equivalence.
  if texts[0] == texts[1] {
    texts = texts.map { text in
      text.unicodeScalars.map { $0.isASCII ? "\($0)" : $0.escaped(asASCII: true) }.joined()
    }
  }
  return "\(texts[0]), expected \(texts[1])"
}

/// Checks an expiry with a tolerance of 2 s, for stores that read the system clock.
func checkExpiry(
  of cookie: Cookie, near expected: Date, _ subject: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let distance = cookie.expires.map { abs($0.timeIntervalSince(expected)) }
  check(
    distance.map { $0 <= 2 } == true,
    "\(subject()): it expires at \(describe(cookie.expires)), expected \(describe(expected))",
    sourceLocation: sourceLocation)
}

private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

/// The cookies of a header in a fixed order, for comparisons that ignore the order.
private func sortedBytes(_ header: String?) -> [[UInt8]]? {
  header.map { header in
    header.components(separatedBy: "; ").map { Array($0.utf8) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }
}
