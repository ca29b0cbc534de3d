/// The limit on redirects and the fields that must not reach another origin.
///
/// The rules are those of RFC 9110 §15.4 and of HTTP-redirect fetch in the Fetch standard: 301 and
/// 302 turn POST into GET, 303 turns every method except GET and HEAD into GET, 307 and 308 keep
/// method and body. A change of method removes the body and all fields that describe it. A redirect
/// to another origin removes the credentials, also for later hops that lead back.
public struct RedirectPolicy: Sendable, Hashable {
  /// The maximum number of redirects of one request; with 0 the first redirect is an error.
  public var limit: Int

  /// The names of additional fields to remove when a redirect leads to another origin.
  ///
  /// `Authorization`, `Proxy-Authorization`, `Cookie` and `Host` are always removed.
  public var secrets: Set<HTTPField.Name>

  /// Whether a redirect may lead from `https` to `http`, where others can read and change the exchange.
  ///
  /// Otherwise such a redirect is an error of the kind `invalidRedirect`.
  public var allowsPlaintext: Bool

  /// Creates a policy; the default limit of 20 is that of the Fetch standard.
  public init(
    limit: Int = 20, secrets: Set<HTTPField.Name> = [], allowsPlaintext: Bool = false
  ) {
    self.limit = limit
    self.secrets = secrets
    self.allowsPlaintext = allowsPlaintext
  }
}

extension HTTPTransport {
  /// Returns a transport that follows redirects.
  ///
  /// Without this policy a transport returns each redirect as a response. The exchange's `request`
  /// is the last one of the chain. Errors have the phase `redirecting` and the kind
  /// `tooManyRedirects`, `redirectLoop`, `invalidRedirect` or `bodyNotReplayable`.
  public func followingRedirects(_ policy: RedirectPolicy = RedirectPolicy()) -> some HTTPTransport
  {
    RedirectTransport(base: self, policy: policy)
  }
}

/// Follows the redirects of another transport.
struct RedirectTransport<Base: HTTPTransport>: HTTPTransport {
  let base: Base
  let policy: RedirectPolicy

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var hop = RedirectHop(request: request, body: body)
    var visited: Set<RedirectHop.Identity> = [hop.identity]
    var count = 0
    while true {
      let exchange = try await base.send(hop.request, body: hop.body, options: options)
      let response = exchange.response
      guard let next = try hop.next(after: response, policy: policy) else { return exchange }
      await exchange.body.discard(response)
      count += 1
      guard count <= policy.limit else {
        throw hop.error(.tooManyRedirects, "the server sent more than \(policy.limit) redirects")
      }
      // A redirect that sets a cookie may lead back to the same URL, which the cookie changes.
      if response.headerFields.contains(.setCookie) { visited = [] }
      guard visited.insert(next.identity).inserted else {
        throw hop.error(.redirectLoop, "\(next.request.url) was requested before in this chain")
      }
      hop = next
    }
  }
}

/// One request in a chain of redirects.
struct RedirectHop {
  /// Method and URL: two hops with the same identity are a loop.
  struct Identity: Hashable {
    var method: HTTPRequest.Method
    var url: String
  }

  var request: HTTPRequest
  var body: HTTPRequestBody

  var identity: Identity { Identity(method: request.method, url: request.url) }

  /// Returns the request that a response redirects to, or `nil` if it is not a redirect.
  func next(
    after response: HTTPResponse, policy: RedirectPolicy
  ) throws(TransportError) -> RedirectHop? {
    let code = response.status.code
    let locations = Set(response.headerFields[values: .location])
    guard [301, 302, 303, 307, 308].contains(code), let location = locations.first else {
      return nil
    }
    guard locations.count == 1 else {
      throw error(.invalidRedirect, "the response has \(locations.count) different Location fields")
    }
    let target = URLReference(location.percentEncodingUnsafe)
      .resolved(against: URLReference(request.url))
    var next = self
    next.request.scheme = target.scheme
    next.request.authority = target.authority
    next.request.path = target.pathAndQuery
    let from: HTTPOrigin
    let to: HTTPOrigin
    do throws(TransportError) {
      from = try HTTPOrigin(request)
      // Userinfo is never sent, so it must not make two URLs differ in the loop check either.
      to = try HTTPOrigin(next.request)
      next.request.authority = to.authority
    } catch {
      throw self.error(
        .invalidRedirect, "\(location.debugDescription) cannot be followed: \(error.detail)")
    }
    guard policy.allowsPlaintext || from.scheme == .http || to.scheme == .https else {
      throw error(
        .invalidRedirect,
        "\(location.debugDescription) leads from https to http; RedirectPolicy.allowsPlaintext allows it"
      )
    }
    let isRewritten =
      code == 303
      ? request.method != .get && request.method != .head
      : (code == 301 || code == 302) && request.method == .post
    if isRewritten {
      next.request.method = .get
      next.body = .none
      next.request.headerFields.removeAll { $0.name.describesContent }
    } else if !body.canBeSentAgain {
      throw error(
        .bodyNotReplayable, "\(code) needs the body again, which is a stream that was read before")
    }
    if from != to {
      let secrets = policy.secrets.union([.authorization, .proxyAuthorization, .cookie, .host])
      next.request.headerFields.removeAll { secrets.contains($0.name) }
    }
    return next
  }

  /// Creates an error about this hop.
  func error(_ kind: TransportError.Kind, _ detail: String) -> TransportError {
    TransportError(
      kind, phase: .redirecting, method: request.method, bytesSent: true, detail: detail)
  }
}

extension HTTPField.Name {
  /// Whether the field describes the content, so that it is removed together with the content.
  fileprivate var describesContent: Bool {
    canonicalName.utf8.starts(with: "content-".utf8)
      || [.transferEncoding, .trailer, .expect, "Digest", "Last-Modified"].contains(self)
  }
}

extension String {
  /// The text with spaces, control characters and non-ASCII bytes percent-encoded.
  ///
  /// Servers send such a Location unencoded, although RFC 3986 does not allow it.
  fileprivate var percentEncodingUnsafe: String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(
      decoding: utf8.flatMap { byte -> [UInt8] in
        (0x21...0x7E).contains(byte)
          ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }, as: Unicode.UTF8.self)
  }
}

extension HTTPResponseBody {
  /// Reads a body of at most 8 KiB, so that its connection stays usable; any other is released.
  fileprivate func discard(_ response: HTTPResponse) async {
    if let length = response.headerFields[.contentLength].flatMap({ Int($0) }), length <= 8192 {
      _ = try? await collect(upTo: length)
    }
  }
}
