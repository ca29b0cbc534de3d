public import CookiePort
public import TransportPort

/// A client of the shop's API. It keeps the session in a cookie.
public struct NetworkClient: Sendable {
  /// The name of the cookie that holds the session.
  public static let sessionCookie = "session"

  private let api: String
  private let http: HTTPClient
  private let cookies: any CookieProvider

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - api: The API's URL, without a trailing slash.
  ///   - http: Sends the requests.
  ///   - cookies: Stores the session cookie.
  public init(api: String, http: HTTPClient, cookies: any CookieProvider) {
    self.api = api
    self.http = http
    self.cookies = cookies
  }

  /// Signs in and stores the session in a cookie.
  ///
  /// - Throws: ``NetworkClientError/signInRefused(user:status:)``; `TransportError`;
  ///   `CookieProviderError`.
  public func signIn(user: String, password: String) async throws {
    let answer = try await http.post(
      .text("\(user)\n\(password)"), to: "\(api)/session", contentType: "text/plain")
    guard answer.response.status.code == 200 else {
      throw NetworkClientError.signInRefused(user: user, status: answer.response.status.code)
    }
    try await cookies.set(
      NamedCookie(
        name: Self.sessionCookie, value: answer.text, isSecure: true, isHTTPOnly: true))
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
    guard let session = try await cookies.cookie(named: Self.sessionCookie) else {
      throw NetworkClientError.notSignedIn
    }
    let request = HTTPRequest(
      url: api + path, headerFields: [.cookie: "\(session.name)=\(session.value)"])
    let answer = try await http.data(for: request)
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
