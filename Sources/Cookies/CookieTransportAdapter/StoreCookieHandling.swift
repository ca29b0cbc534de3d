public import CookiePort
public import TransportPort

/// Sends the cookies of a ``CookieStore`` with HTTP requests, and stores those of responses.
///
/// Every request counts as a same-site request that is not a navigation, like an app's requests to its API.
/// A URL whose host can't have cookies, such as an IPv6 address with a zone, sends and stores none.
public struct StoreCookieHandling: HTTPCookieHandling {
  /// Receives a line that the store rejected, the request's URL and the rule that rejects the line.
  public typealias RejectionHandler =
    @Sendable (
      _ line: String, _ url: String, _ reason: CookieRejection
    ) -> Void

  private let store: any CookieStore
  private let onRejection: RejectionHandler

  /// Creates a handling of cookies by a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - onRejection: Called for each line that the store rejects, for a log. Servers often send such
  ///     lines, so they don't fail the request.
  public init(
    _ store: any CookieStore, onRejection: @escaping RejectionHandler = { _, _, _ in }
  ) {
    self.store = store
    self.onRejection = onRejection
  }

  /// - Throws: `CookieStoreError.storage` if the store fails.
  public func cookieHeader(
    forURL url: String, method: HTTPRequest.Method
  ) async throws -> String? {
    guard let request = try? CookieRequest(url) else { return nil }
    return try await store.header(for: request)
  }

  /// - Throws: `CookieStoreError.storage` if the store fails; later values are not stored then.
  public func storeCookies(_ values: [String], fromURL url: String) async throws {
    guard let request = try? CookieRequest(url) else { return }
    for value in values {
      do throws(CookieStoreError) {
        try await store.store(value, from: request)
      } catch {
        guard case .rejected(let reason) = error else { throw error }
        onRejection(value, url, reason)
      }
    }
  }
}

extension HTTPTransport {
  /// Returns a transport that sends cookies from a store and stores those of responses.
  ///
  /// Apply this policy before `followingRedirects(_:)`, so that each hop sends its own cookies. If the
  /// store's storage fails, the request fails with the kind `cookieStoreFailed`.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - onRejection: Called for each `Set-Cookie` line that the store rejects.
  public func handlingCookies(
    with store: any CookieStore,
    onRejection: @escaping StoreCookieHandling.RejectionHandler = { _, _, _ in }
  ) -> some HTTPTransport {
    handlingCookies(with: StoreCookieHandling(store, onRejection: onRejection))
  }
}
