/// A place that keeps cookies: takes `Set-Cookie` lines in, gives `Cookie` headers out.
///
/// Every implementation promises the clauses of `CookieContract`. Strings are compared by their
/// UTF-8 octets, never by canonical equivalence. Instants come from the clock that the
/// implementation was made with.
///
/// Source: RFC 6265 and draft-ietf-httpbis-rfc6265bis-22.
public protocol CookieStore: Sendable {
  /// Takes the value of one `Set-Cookie` header field, as RFC 6265bis §5.6 and §5.7 say.
  ///
  /// - Parameters:
  ///   - setCookie: The field's value: one cookie, whatever commas it holds.
  ///   - request: The request whose response carried the field, or the script's page.
  /// - Returns: What changed, or `nil` when a cookie that had already expired met nothing to delete.
  /// - Throws: ``CookieStoreError/rejected(_:)`` when the cookie is refused, with nothing changed;
  ///   ``CookieStoreError/storage(_:)`` when the medium fails, with nothing changed either.
  @discardableResult
  func store(
    _ setCookie: String, from request: CookieRequest
  ) async throws(CookieStoreError) -> CookieChange?

  /// The cookies that the request carries, in the order of the header (RFC 6265bis §5.8.3).
  ///
  /// Each cookie given back has its ``Cookie/lastAccess`` set to now.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func cookies(for request: CookieRequest) async throws(CookieStoreError) -> [Cookie]

  /// Every cookie that has not expired, earliest creation first; last-access times stay as they are.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func all() async throws(CookieStoreError) -> [Cookie]

  /// Puts cookies back as they are, all or none: the way in for an import.
  ///
  /// Fields are kept, except that a creation or last-access in the future becomes now and an expiry
  /// beyond the profile's limit becomes the limit. A cookie replaces one of the same ``Cookie/ID``;
  /// one that has expired is left out.
  ///
  /// - Throws: ``CookieStoreError/rejected(_:)`` for a cookie that no `Set-Cookie` line could make
  ///   (a control character, a domain that is not canonical, …); ``CookieStoreError/storage(_:)``.
  func restore(_ cookies: [Cookie]) async throws(CookieStoreError)

  /// Deletes one cookie.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  @discardableResult
  func delete(_ id: Cookie.ID) async throws(CookieStoreError) -> Bool

  /// Deletes every cookie.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func clear() async throws(CookieStoreError)

  /// Deletes the cookies whose expiry has come.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  @discardableResult
  func removeExpired() async throws(CookieStoreError) -> Int

  /// Deletes the session cookies, those without an expiry (RFC 6265bis §5.7).
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func endSession() async throws(CookieStoreError)

  /// Returns once everything acknowledged so far, last-access times included, is on the medium.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func flush() async throws(CookieStoreError)

  /// The changes made through this handle from now on, in order.
  ///
  /// Each call starts a stream of its own; nothing is dropped while it is being read.
  func changes() -> AsyncStream<CookieChange>
}

extension CookieStore {
  /// The value of the `Cookie` header field for a request, or `nil` when it carries none.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  public func header(for request: CookieRequest) async throws(CookieStoreError) -> String? {
    Cookie.header(for: try await cookies(for: request))
  }
}
