public import CookiePort
import CookieTransportAdapter
import Foundation
public import TransportPort

/// A client of the shop's API. The API keeps the session in a cookie, which the client stores.
public struct NetworkClient: Sendable {
  /// The name of the cookie that holds the session.
  public static let sessionCookie = "session"

  private let api: String
  private let http: HTTPClient
  private let cookies: StoreCookieProvider

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - api: The API's URL, without a trailing slash.
  ///   - transport: Sends the requests.
  ///   - store: Stores the cookies of responses, which are sent with later requests.
  /// - Throws: `CookieRequestError` if the URL has no scheme or no valid host.
  public init(
    api: String, transport: some HTTPTransport, store: any CookieStore
  ) throws(CookieRequestError) {
    guard let url = URL(string: api) else { throw .invalidURL(api) }
    self.api = api
    cookies = try StoreCookieProvider(store, for: url)
    http = HTTPClient(transport: transport.handlingCookies(with: store).followingRedirects())
  }

  /// Signs in; the response's cookie holds the session.
  ///
  /// - Throws: ``NetworkClientError/signInRefused(user:status:)``; `TransportError`;
  ///   `CookieProviderError`.
  public func signIn(user: String, password: String) async throws {
    let answer = try await http.post(
      .text("\(user)\n\(password)"), to: "\(api)/session", contentType: "text/plain")
    let isSignedIn = try await cookies.cookie(named: Self.sessionCookie) != nil
    guard answer.response.status.code == 200, isSignedIn else {
      throw NetworkClientError.signInRefused(user: user, status: answer.response.status.code)
    }
  }

  /// Deletes the session cookie. The server is not told.
  public func signOut() async throws {
    try await cookies.deleteCookie(named: Self.sessionCookie)
  }

  /// Gets a text from the API for the signed-in user.
  ///
  /// If the API answers 401, the session has expired and its cookie is deleted.
  ///
  /// - Throws: ``NetworkClientError/notSignedIn``; `TransportError`; `CookieProviderError`.
  public func text(at path: String) async throws -> String {
    guard try await cookies.cookie(named: Self.sessionCookie) != nil else {
      throw NetworkClientError.notSignedIn
    }
    let answer = try await http.get(api + path)
    if answer.response.status.code == 401 {
      try await signOut()
      throw NetworkClientError.notSignedIn
    }
    return answer.text
  }
}

/// A failed call of the API.
public enum NetworkClientError: Error, Hashable, Sendable {
  /// The API refused to sign in this user, with this status.
  case signInRefused(user: String, status: Int)

  /// There is no session, or the session has expired.
  case notSignedIn
}
