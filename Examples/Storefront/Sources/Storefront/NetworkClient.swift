public import CookiePort
public import TransportPort

/// The shop's API, whose sessions are cookies.
public struct NetworkClient: Sendable {
  /// The name of the cookie that holds the session.
  public static let sessionCookie = "session"

  private let api: String
  private let http: HTTPClient
  private let cookies: any CookieProvider

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - api: The API's URL, without a slash at the end.
  ///   - http: What sends the requests.
  ///   - cookies: The API's cookies.
  public init(api: String, http: HTTPClient, cookies: any CookieProvider) {
    self.api = api
    self.http = http
    self.cookies = cookies
  }

  /// Signs in, and keeps the session in a cookie.
  ///
  /// - Throws: ``NetworkClientError/signInRefused(user:status:)``; `TransportError`; `CookieProviderError`.
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

  /// Ends the session on this side.
  public func signOut() async throws {
    try await cookies.deleteCookie(named: Self.sessionCookie)
  }

  /// Gets a text from the API in the name of who signed in.
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

/// Why the API did not do what it was asked to.
public enum NetworkClientError: Error, Hashable, Sendable {
  /// It did not let this user in, and answered with this status.
  case signInRefused(user: String, status: Int)

  /// The request needs a session, and there is none.
  case notSignedIn
}
