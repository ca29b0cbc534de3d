import ScriptedOrigin
import SystemLocks
import Testing
import TransportCurlAdapter
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A transport and the origin that it talks to.
struct CurlWorld {
  var origin: ScriptedOrigin
  var transport: CurlTransport

  /// A world in which each request is answered by the next script, the last one staying.
  init(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http,
    identity: OriginPlan.Identity = .trusted,
    _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
  ) throws {
    let next = Mutex(0)
    try self.init(
      OriginPlan(identity: identity) { _ in
        let index = next.withLock { next in
          defer { next += 1 }
          return next
        }
        return scripts[min(index, scripts.count - 1)]
      }, scheme: scheme, configure)
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

  /// Sends a request and collects the response.
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

  /// The error of a request that must fail, as a whole or while its body is read.
  func failure(
    _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:],
    body: HTTPRequestBody = .none, options: TransportOptions = TransportOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> TransportError {
    do throws(TransportError) {
      let answer = try await answer(method, "/", fields, body: body, options: options)
      Issue.record("succeeded with \(answer.text.debugDescription)", sourceLocation: sourceLocation)
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

/// Chunks given one by one, each when asked for.
struct Chunks: AsyncSequence, Sendable {
  var chunks: [[UInt8]]
  var failure: (any Error)?
  var asked: @Sendable (Int) async throws -> Void = { _ in }

  func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  struct Iterator: AsyncIteratorProtocol {
    var source: Chunks
    var place = 0

    mutating func next() async throws -> [UInt8]? {
      try await source.asked(place)
      guard place < source.chunks.count else {
        if let failure = source.failure { throw failure }
        return nil
      }
      defer { place += 1 }
      return source.chunks[place]
    }
  }
}

enum CurlTestScale {
  /// Whether `CONTRACT_SOAK_TRANSPORT=1` asks for the long forms.
  static let isLong = getenv("CONTRACT_SOAK_TRANSPORT") != nil
}

/// The shortest of several measurements, so that a busy machine is not taken for a slow transport.
///
/// - Parameter limit: What is short enough to stop at.
func best(
  of count: Int, under limit: Duration, _ measure: () async throws -> Duration
) async throws -> Duration {
  var best = try await measure()
  for _ in 1..<count where best >= limit { best = min(best, try await measure()) }
  return best
}
