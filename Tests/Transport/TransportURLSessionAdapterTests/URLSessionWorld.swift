import ScriptedOrigin
import TransportPort
import TransportURLSessionAdapter

/// A transport and an origin.
struct URLSessionWorld: Sendable {
  let origin: ScriptedOrigin
  let transport: URLSessionTransport

  /// Creates a world whose origin answers each request with the same script.
  init(_ script: OriginScript, limits: ConnectionLimits = ConnectionLimits()) throws {
    try self.init(OriginPlan { _ in script }, limits: limits)
  }

  init(
    _ plan: OriginPlan, scheme: HTTPOrigin.Scheme = .http,
    limits: ConnectionLimits = ConnectionLimits()
  ) throws {
    origin = try ScriptedOrigin(plan, scheme: scheme)
    transport = URLSessionTransport(limits: limits)
  }

  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, url: origin.url + path, headerFields: fields)
  }

  /// Sends a request and returns the whole response.
  @discardableResult
  func answer(
    to request: HTTPRequest, body: HTTPRequestBody = .none,
    options: TransportOptions = TransportOptions()
  ) async throws(TransportError) -> Answer {
    let exchange = try await transport.send(request, body: body, options: options)
    return Answer(
      response: exchange.response, content: try await exchange.body.collect(upTo: 1 << 20))
  }

  /// Sends a request that must fail and returns the error, or `nil` if it succeeds.
  func failure(
    of request: HTTPRequest, body: HTTPRequestBody = .none,
    options: TransportOptions = TransportOptions()
  ) async -> TransportError? {
    do throws(TransportError) { try await answer(to: request, body: body, options: options) } catch
    { return error }
    return nil
  }
}

struct Answer: Sendable {
  var response: HTTPResponse
  var content: [UInt8]

  var status: Int { response.status.code }
  var fields: HTTPFields { response.headerFields }
  var text: String { String(decoding: content, as: UTF8.self) }
}

/// A body in chunks, followed by a chunk that a closure produces.
struct Chunks: AsyncSequence, Sendable {
  let texts: [String]
  let last: @Sendable () async throws -> [UInt8]?

  init(_ texts: [String], _ last: @escaping @Sendable () async throws -> [UInt8]? = { nil }) {
    self.texts = texts
    self.last = last
  }

  func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

  struct Iterator: AsyncIteratorProtocol {
    let chunks: Chunks
    var index = 0

    mutating func next() async throws -> [UInt8]? {
      defer { index += 1 }
      if index < chunks.texts.count { return Array(chunks.texts[index].utf8) }
      return index == chunks.texts.count ? try await chunks.last() : nil
    }
  }
}
