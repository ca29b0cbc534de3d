import Testing
import TransportPort

/// A transport and the peers that it talks to.
struct TransportWorld: Sendable {
  var transport: any HTTPTransport
  let peers: [TransportPeer]
  let shutDown: @Sendable () async -> Void

  /// The log of the first peer.
  var log: PeerLog { peers[0].log }

  /// The first peer's scheme, host and port.
  var url: String { peers[0].url }

  /// The same world, seen through a policy.
  func through(_ policy: (any HTTPTransport) -> any HTTPTransport) -> TransportWorld {
    var world = self
    world.transport = policy(transport)
    return world
  }

  /// A request to the first peer.
  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, url: url + path, headerFields: fields)
  }

  /// Sends a request to the first peer, up to the response's head.
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

  /// Sends a request and gives what the peer got of it; there has to be exactly one.
  func arrival(
    of method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:],
    body: HTTPRequestBody = .none, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> PeerLog.Request {
    let before = log.requests.count
    try await answer(method, path, fields, body: body)
    let seen = log.requests.dropFirst(before)
    let only = seen.count == 1 ? seen.first : nil
    return try #require(
      only, "expected one \(method) on the wire, the peer saw \(seen.count)",
      sourceLocation: sourceLocation)
  }
}

/// A response that was read to its end.
struct Answer: Sendable {
  var exchange: HTTPExchange
  var content: [UInt8]

  var status: Int { exchange.response.status.code }
  var fields: HTTPFields { exchange.response.headerFields }
  var text: String { String(decoding: content, as: UTF8.self) }
}
