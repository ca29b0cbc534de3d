import Foundation
import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

/// A transport and an origin.
struct CurlWorld {
  var origin: ScriptedOrigin
  var transport: CurlTransport

  /// Creates a world whose origin plays the scripts in order and repeats the last one.
  init(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http,
    _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
  ) throws {
    try self.init(OriginPlan(inTurn: scripts), scheme: scheme, configure)
  }

  init(
    _ plan: OriginPlan, scheme: HTTPOrigin.Scheme = .http,
    _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
  ) throws {
    origin = try ScriptedOrigin(plan, scheme: scheme)
    var configuration = CurlTransport.Configuration()
    if scheme == .https {
      configuration.authorities = try .pem(ScriptedOrigin.trustedAuthority)
    }
    configure(&configuration)
    transport = try CurlTransport(configuration)
  }

  var log: OriginLog { origin.log }

  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, url: origin.url + path, headerFields: fields)
  }

  /// Sends a request and returns the whole response.
  @discardableResult
  func answer(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", _ fields: HTTPFields = [:],
    body: HTTPRequestBody = .none, options: TransportOptions = TransportOptions()
  ) async throws(TransportError) -> Answer {
    let exchange = try await transport.send(
      request(method, path, fields), body: body, options: options)
    let content = try await exchange.body.collect(upTo: 64 << 20)
    return Answer(exchange: exchange, content: content)
  }

  /// Sends a request that must fail, in `send` or while its body is read, and returns the error.
  func failure(
    _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:],
    body: HTTPRequestBody = .none, options: TransportOptions = TransportOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> TransportError {
    do throws(TransportError) {
      let answer = try await answer(method, "/", fields, body: body, options: options)
      Issue.record(
        "the request succeeded: \(answer.text.debugDescription)", sourceLocation: sourceLocation)
      throw TransportError(.other, phase: .preparing, bytesSent: false)
    } catch {
      return error
    }
  }
}

struct Answer {
  var exchange: HTTPExchange
  var content: [UInt8]

  var status: Int { exchange.response.status.code }
  var fields: HTTPFields { exchange.response.headerFields }
  var text: String { String(decoding: content, as: UTF8.self) }
}

/// A body in chunks, with a hook before each of them.
struct Chunks: AsyncSequence, Sendable {
  var chunks: [[UInt8]]
  /// Called before each chunk with its index, and before the end.
  var willProduce: @Sendable (Int) async throws -> Void = { _ in }

  func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  struct Iterator: AsyncIteratorProtocol {
    var source: Chunks
    var index = 0

    mutating func next() async throws -> [UInt8]? {
      try await source.willProduce(index)
      guard index < source.chunks.count else { return nil }
      defer { index += 1 }
      return source.chunks[index]
    }
  }
}

enum CurlTestScale {
  /// Whether `CONTRACT_SOAK_TRANSPORT` is set, which selects the long form of tests.
  static let isLong = getenv("CONTRACT_SOAK_TRANSPORT") != nil
}

/// Returns the shortest of several measurements, so that load from other tests and processes does not
/// count. Give many: a machine can be busy for seconds.
///
/// - Parameter limit: A measurement below this limit ends the series.
func best(
  of count: Int, under limit: Duration, _ measure: () async throws -> Duration
) async throws -> Duration {
  var best = try await measure()
  for _ in 1..<count where best >= limit { best = min(best, try await measure()) }
  return best
}
