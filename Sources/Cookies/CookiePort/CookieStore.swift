/// A store for cookies: it stores `Set-Cookie` lines and returns `Cookie` headers.
///
/// Every implementation satisfies `CookieContract`. Strings are compared by their UTF-8 bytes, not
/// by canonical equivalence. The current time comes from the implementation's clock. All methods
/// may be called concurrently from any thread.
///
/// Source: RFC 6265 and draft-ietf-httpbis-rfc6265bis-22.
public protocol CookieStore: Sendable {
  /// Stores the cookie of one `Set-Cookie` header field (RFC 6265bis §5.6 and §5.7).
  ///
  /// - Parameters:
  ///   - setCookie: The field's value. It is one cookie: commas don't separate cookies.
  ///   - request: The request whose response carried the field, or the script's page.
  /// - Returns: The change, or `nil` if the cookie had already expired and there was none to
  ///   delete.
  /// - Throws: ``CookieStoreError/rejected(_:)`` if a rule rejects the cookie, or
  ///   ``CookieStoreError/storage(_:)`` if the storage fails; the store is unchanged.
  @discardableResult
  func store(
    _ setCookie: String, from request: CookieRequest
  ) async throws(CookieStoreError) -> CookieChange?

  /// Returns the cookies that a request carries, in the order of the header (RFC 6265bis §5.8.3).
  ///
  /// It sets the ``Cookie/lastAccess`` of each of these cookies to the current time.
  /// - Parameter request: The request.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func cookies(for request: CookieRequest) async throws(CookieStoreError) -> [Cookie]

  /// Returns every cookie that has not expired, earliest creation first, without accessing them.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func all() async throws(CookieStoreError) -> [Cookie]

  /// Restores saved or imported cookies with all their fields, all or none.
  ///
  /// A creation or last access in the future becomes the current time; an expiry beyond the
  /// profile's limit becomes the limit. A cookie replaces one of the same ``Cookie/ID``. Expired
  /// cookies are skipped.
  ///
  /// - Parameter cookies: The cookies.
  /// - Throws: ``CookieStoreError/rejected(_:)`` if no `Set-Cookie` line can produce one of the
  ///   cookies (control characters, a domain that isn't canonical, …), or
  ///   ``CookieStoreError/storage(_:)``; the store is unchanged.
  func restore(_ cookies: [Cookie]) async throws(CookieStoreError)

  /// Deletes one cookie.
  ///
  /// - Parameter id: The cookie's identity.
  /// - Returns: Whether the cookie existed.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  @discardableResult
  func delete(_ id: Cookie.ID) async throws(CookieStoreError) -> Bool

  /// Deletes the cookies of a domain and its subdomains, such as all data of one site.
  ///
  /// Stores without their own implementation delete them one by one.
  /// - Parameter domain: A domain in A-labels or U-labels, in any case, with or without a leading dot;
  ///   or an IP address. A text that is not a host has no cookies.
  /// - Returns: The number of cookies deleted.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  @discardableResult
  func deleteAll(under domain: String) async throws(CookieStoreError) -> Int

  /// Deletes every cookie, even if some of them can't be read any more.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func clear() async throws(CookieStoreError)

  /// Deletes the expired cookies.
  ///
  /// - Returns: The number of cookies deleted.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  @discardableResult
  func removeExpired() async throws(CookieStoreError) -> Int

  /// Deletes the session cookies, those without an expiry (RFC 6265bis §5.7).
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func endSession() async throws(CookieStoreError)

  /// Writes everything acknowledged so far to the storage, including last-access times.
  ///
  /// - Throws: ``CookieStoreError/storage(_:)``.
  func flush() async throws(CookieStoreError)

  /// Returns a stream of the changes made through this handle from now on, in order.
  ///
  /// Each call starts a separate stream. The buffer is unbounded, so no change is dropped; read the
  /// stream, or release it.
  func changes() -> AsyncStream<CookieChange>
}

extension CookieStore {
  @discardableResult
  public func deleteAll(under domain: String) async throws(CookieStoreError) -> Int {
    var count = 0
    for cookie in try await all(under: domain) where try await delete(cookie.id) { count += 1 }
    return count
  }

  /// Returns the cookies of a domain and its subdomains, earliest creation first, without accessing
  /// them.
  ///
  /// - Parameter domain: A domain, as for ``deleteAll(under:)``.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  public func all(under domain: String) async throws(CookieStoreError) -> [Cookie] {
    guard let scope = CookieScope(domain) else { return [] }
    return try await all().filter(scope.contains)
  }

  /// Returns the value of the `Cookie` header field for a request, or `nil` if it carries no
  /// cookie.
  ///
  /// - Parameter request: The request.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  public func header(for request: CookieRequest) async throws(CookieStoreError) -> String? {
    Cookie.header(for: try await cookies(for: request))
  }
}
