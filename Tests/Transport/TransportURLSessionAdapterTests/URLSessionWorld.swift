import ScriptedOrigin
import TransportPort
import TransportURLSessionAdapter

/// A transport and the origin that it talks to.
struct URLSessionWorld: Sendable {
  let origin: ScriptedOrigin
  let transport: URLSessionTransport

  /// A world in which each request is answered by one script.
  init(_ script: OriginScript, limits: ConnectionLimits = ConnectionLimits()) throws {
    try self.init(OriginPlan { _ in script }, limits: limits)
  }

  init(_ plan: OriginPlan, limits: ConnectionLimits = ConnectionLimits()) throws {
    origin = try ScriptedOrigin(plan)
    transport = URLSessionTransport(limits: limits)
  }

  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, url: origin.url + path, headerFields: fields)
  }

  /// Sends a request and collects the response.
  @discardableResult
  func answer(
    to request: HTTPRequest, body: HTTPRequestBody = .none,
    options: TransportOptions = TransportOptions()
  ) async throws(TransportError) -> Answer {
    let exchange = try await transport.send(request, body: body, options: options)
    return Answer(
      response: exchange.response, content: try await exchange.body.collect(upTo: 1 << 20))
  }

  /// The error of a request that must fail; `nil` where it doesn't.
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

/// Chunks given one by one, and then what a closure gives.
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
    var place = 0

    mutating func next() async throws -> [UInt8]? {
      defer { place += 1 }
      if place < chunks.texts.count { return Array(chunks.texts[place].utf8) }
      return place == chunks.texts.count ? try await chunks.last() : nil
    }
  }
}
