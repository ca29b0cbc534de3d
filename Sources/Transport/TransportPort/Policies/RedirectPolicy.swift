/// How redirects are followed.
///
/// The rules are those of RFC 9110 §15.4 and of the Fetch standard's HTTP-redirect fetch: 301 and 302
/// turn POST into GET, 303 turns all but GET and HEAD into GET, 307 and 308 keep method and body.
/// With the method goes the body and every field about it. On the way to another origin the
/// credentials are dropped for good.
public struct RedirectPolicy: Sendable, Hashable {
  /// The most redirects of one request; zero makes the first one an error.
  public var limit: Int

  /// Further fields that must not reach another origin.
  ///
  /// `Authorization`, `Proxy-Authorization`, `Cookie` and `Host` never do.
  public var secrets: Set<HTTPField.Name>

  /// A policy; at most 20 redirects unless said otherwise, as in the Fetch standard.
  public init(limit: Int = 20, secrets: Set<HTTPField.Name> = []) {
    self.limit = limit
    self.secrets = secrets
  }
}

extension HTTPTransport {
  /// This transport, with redirects followed.
  ///
  /// Manual mode is the transport without this: it hands out each redirect as it came.
  ///
  /// The exchange's `request` is the last one of the chain. Failures are of kind
  /// `tooManyRedirects`, `redirectLoop`, `invalidRedirect` or `bodyNotReplayable`.
  public func followingRedirects(_ policy: RedirectPolicy = RedirectPolicy()) -> some HTTPTransport
  {
    RedirectTransport(base: self, policy: policy)
  }
}

/// Follows redirects over another transport.
struct RedirectTransport<Base: HTTPTransport>: HTTPTransport {
  let base: Base
  let policy: RedirectPolicy

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var hop = RedirectHop(request: request, body: body)
    var visited: Set<RedirectHop.Place> = [hop.place]
    var count = 0
    while true {
      let exchange = try await base.send(hop.request, body: hop.body, options: options)
      let response = exchange.response
      guard let next = try hop.next(after: response, policy: policy) else { return exchange }
      await exchange.body.discard(response)
      count += 1
      guard count <= policy.limit else {
        throw hop.error(.tooManyRedirects, "more than \(policy.limit) redirects")
      }
      // A response that sets a cookie may lead back to the same place with reason.
      if response.headerFields.contains(.setCookie) { visited = [] }
      guard visited.insert(next.place).inserted else {
        throw hop.error(.redirectLoop, "\(next.request.url) was asked before")
      }
      hop = next
    }
  }
}

/// One request of a chain of redirects.
struct RedirectHop {
  /// What tells one hop from another.
  struct Place: Hashable {
    var method: HTTPRequest.Method
    var url: String
  }

  var request: HTTPRequest
  var body: HTTPRequestBody

  var place: Place { Place(method: request.method, url: request.url) }

  /// The request that a response redirects to; `nil` when it does not redirect.
  func next(
    after response: HTTPResponse, policy: RedirectPolicy
  ) throws(TransportError) -> RedirectHop? {
    let code = response.status.code
    let locations = Set(response.headerFields[values: .location])
    guard [301, 302, 303, 307, 308].contains(code), let location = locations.first else {
      return nil
    }
    guard locations.count == 1 else {
      throw error(.invalidRedirect, "there are \(locations.count) different locations")
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
      // Userinfo is not sent, and must not tell one URL from another either.
      to = try HTTPOrigin(next.request)
      next.request.authority = to.authority
    } catch {
      throw self.error(
        .invalidRedirect, "\(location.debugDescription) cannot be followed: \(error.detail)")
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
      throw error(.bodyNotReplayable, "\(code) asks for the body again, which was a stream")
    }
    if from != to {
      let secrets = policy.secrets.union([.authorization, .proxyAuthorization, .cookie, .host])
      next.request.headerFields.removeAll { secrets.contains($0.name) }
    }
    return next
  }

  func error(_ kind: TransportError.Kind, _ detail: String) -> TransportError {
    TransportError(
      kind, phase: .redirecting, method: request.method, bytesSent: true, detail: detail)
  }
}

extension HTTPField.Name {
  /// Whether the field is about the content, and goes with it.
  fileprivate var describesContent: Bool {
    canonicalName.utf8.starts(with: "content-".utf8)
      || [.transferEncoding, .trailer, .expect, "Digest", "Last-Modified"].contains(self)
  }
}

extension String {
  /// The text with spaces, controls and non-ASCII bytes percent-encoded, as servers should have.
  fileprivate var percentEncodingUnsafe: String {
    guard utf8.contains(where: { !(0x21...0x7E).contains($0) }) else { return self }
    let digits = Array("0123456789ABCDEF".utf8)
    return String(
      decoding: utf8.flatMap { byte -> [UInt8] in
        (0x21...0x7E).contains(byte)
          ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }, as: Unicode.UTF8.self)
  }
}

extension HTTPResponseBody {
  /// Reads what is small, so that its connection can be used again, and gives up the rest.
  fileprivate func discard(_ response: HTTPResponse) async {
    if let length = response.headerFields[.contentLength].flatMap({ Int($0) }), length <= 8192 {
      _ = try? await collect(upTo: length)
    }
    cancel()
  }
}
