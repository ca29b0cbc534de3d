import Testing
import TransportPort

/// An open transport and the peers that it connects to.
struct TransportWorld: Sendable {
  var transport: any HTTPTransport
  let peers: [TransportPeer]
  let shutDown: @Sendable () async -> Void

  /// The log of the first peer.
  var log: PeerLog { peers[0].log }

  /// The first peer's scheme, host and port.
  var url: String { peers[0].url }

  /// Returns the world with a policy over its transport.
  func through(_ policy: (any HTTPTransport) -> any HTTPTransport) -> TransportWorld {
    var world = self
    world.transport = policy(transport)
    return world
  }

  /// Creates a request to the first peer.
  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, url: url + path, headerFields: fields)
  }

  /// Sends a request to the first peer and returns once the response's head is complete.
  func send(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:],
    body: HTTPRequestBody = .none, options: TransportOptions = TransportOptions()
  ) async throws(TransportError) -> HTTPExchange {
    try await transport.send(request(method, path, fields), body: body, options: options)
  }

  /// Sends a request to the first peer and reads the whole response.
  @discardableResult
  func answer(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:],
    body: HTTPRequestBody = .none, options: TransportOptions = TransportOptions()
  ) async throws(TransportError) -> Answer {
    try await answer(to: request(method, path, fields), body: body, options: options)
  }

  /// Sends a request and reads the whole response.
  @discardableResult
  func answer(
    to request: HTTPRequest, body: HTTPRequestBody = .none,
    options: TransportOptions = TransportOptions()
  ) async throws(TransportError) -> Answer {
    let exchange = try await transport.send(request, body: body, options: options)
    return Answer(exchange: exchange, content: try await exchange.body.collect(upTo: 64 << 20))
  }

  /// Sends a request and returns it as the peer received it.
  ///
  /// - Throws: An error unless the peer received exactly one request.
  func arrival(
    of method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:],
    body: HTTPRequestBody = .none, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> PeerLog.Request {
    let before = log.requests.count
    try await answer(method, path, fields, body: body)
    let received = log.requests.dropFirst(before)
    let only = received.count == 1 ? received.first : nil
    return try #require(
      only, "expected one \(method) request, but the peer received \(received.count)",
      sourceLocation: sourceLocation)
  }
}

/// A response that has been read to its end.
struct Answer: Sendable {
  var exchange: HTTPExchange
  var content: [UInt8]

  var status: Int { exchange.response.status.code }
  var fields: HTTPFields { exchange.response.headerFields }
  var text: String { String(decoding: content, as: UTF8.self) }
}
