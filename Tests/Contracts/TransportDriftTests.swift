import ContractTesting
import DriftExploration
import Testing
import TransportPort

@testable import TransportContract

/// The fake beside libcurl, with generated requests and replies.
@Suite struct TransportDriftTests {
  /// Short sequences, because each call has a server of its own, which is closed at the end of its sequence.
  private var settings: ExplorationSettings {
    var settings = ExplorationSettings.drift(time: .seconds(4))
    settings.steps = 20
    return settings
  }

  @Test func `the fake reads replies as curl does`() async throws {
    // At most one of the lines is wrong: which of two mistakes is reported first is no promise.
    let sound = Domain.of(
      "", "X:a", "X: a\tb", "X: \u{e9}", "Connection: close", "Connection: keep-alive",
      "Connection: close, x", "Keep-Alive: timeout=1", "Trailer: X-T", "Content-Encoding: gzip",
      "Location: /x", "Set-Cookie: a=b", "Content-Range: bytes 0-4/5", "Upgrade: x")
    try await exploreDrift(of: .fakeTransport, from: .curl, settings: settings) {
      Operation("reply", methods, statusLines, fieldLines, sound, bodies, .of("\r\n", "\n")) {
        fixture, method, status, one, two, body, end in
        let head = [status, one, two].filter { !$0.isEmpty }.joined(separator: end) + end + end
        let world = try await fixture.world(.raw(head) + [.send(Array(body.utf8)), .close])
        return await world.outcome(of: method)
      }
      Operation("replies", methods, statusLines, sound, .booleans, .booleans, surpluses) {
        fixture, method, status, field, isChunked, isSplit, surplus in
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 5"
        let lines = [status, framing, field].filter { !$0.isEmpty }
        let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
        let hasContent = method != .head && !status.contains("204") && !status.contains("304")
        let content = isChunked ? "5\r\nhello\r\n0\r\n\r\n" : "hello"
        let rest = (hasContent ? content : "") + surplus
        // A surplus that arrives later may arrive after the next request was sent.
        let script: OriginScript =
          isSplit && surplus.isEmpty ? .raw(head) + .raw(rest) : .raw(head + rest)
        let world = try await fixture.world(script, .respond(text: "second"))
        let first = await world.outcome(of: method)
        let second = await world.outcome(of: .get)
        return "\(first), then \(second), connections: \(world.log.counts.connections)"
      }
    }
  }

  @Test func `the fake sends requests as curl does`() async throws {
    let names = Domain.of(
      "X", "x-lower", "Accept", "User-Agent", "Host", "Content-Length", "Content-Type",
      "Transfer-Encoding", "Connection", "TE", "Trailer", "Cookie", "X Y", "", "X:", "Range")
    let values = Domain.of(
      "v", "", " v ", "a\r\nb", "a\tb", "\u{e9}", "\u{7f}", "\u{0}", "5", "close", "chunked", "a, b"
    )
    let paths = Domain.of(
      "/", "", "/a/../b", "/./a", "/%7e%2F", "/?", "/?a=b c", "//", "//x", "/a b", "/\u{fc}",
      "/a#f",
      "?q", "/\u{0}", "/\r\nX: y", "/a\\b", "/;p", "/%", "/..", "/{x}", "/|", "/\"<>", "/a//b", "*")
    let tokens = Domain.of("GET", "PURGE", "get", "G T", "", "OPTIONS", "TRACE", "CONNECT", "HEAD")
    try await exploreDrift(of: .fakeTransport, from: .curl, settings: settings) {
      Operation("target", tokens, paths) { fixture, method, path in
        let world = try await fixture.world(.respond(text: "ok") + [.close])
        let outcome = await world.outcome(of: HTTPRequest.Method(method), path)
        return "\(outcome), arrived: \(world.arrivals)"
      }
      Operation("fields", methods, names, values, names, values, contents, .booleans) {
        fixture, method, one, first, two, second, content, expects in
        let world = try await fixture.world([.readBody] + .respond(text: "ok") + [.close])
        var fields = HTTPFields([
          HTTPField(name: .init(one), value: first), HTTPField(name: .init(two), value: second),
        ])
        if expects { fields[.expect] = "100-continue" }
        let outcome = await world.outcome(of: method, "/", fields, body(content))
        return "\(outcome), arrived: \(world.arrivals)"
      }
    }
  }

  @Test func `the fake answers over HTTP2 as curl does`() async throws {
    // Content with a status that has none is malformed, and the fake ignores it.
    let statuses = Domain.of(
      "HTTP/1.1 200 OK", "HTTP/1.1 205 Reset", "HTTP/1.1 301 Moved", "HTTP/1.1 401 Who",
      "HTTP/1.1 417 No", "HTTP/1.1 500 Bad", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK",
      "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK")
    let replies = Domain.of(
      "Content-Length: 5\r\n\r\nhello", "Content-Length: 0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\nX: a\r\nX: b\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n")
    let ends = Domain<[ScriptStep]>.of([], [.goAway(isProcessed: true)], [.resetStream(0)])
    try await exploreDrift(of: .fakeTransport, from: .curlOverHTTP2, settings: settings) {
      Operation("reply", .of(HTTPRequest.Method.get, .put), statuses, replies, ends, contents) {
        fixture, method, status, reply, end, content in
        let script = [.readBody] + .raw("\(status)\r\n\(reply)") + OriginScript(end)
        let plan = OriginPlan(version: .http2) {
          $0.target == "/" ? script : .respond(text: "second")
        }
        let world = try await fixture.world(plan, scheme: .https)
        let first = await world.outcome(of: method, "/", [:], body(content))
        let second = await world.outcome(of: .get, "/second")
        let connections = world.log.counts.connections
        return "\(first), then \(second), connections: \(connections), arrived: \(world.arrivals)"
      }
    }
  }
}

private let methods = Domain<HTTPRequest.Method>.of(.get, .head, .post)

private let statusLines = Domain.of(
  "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified",
  "HTTP/1.1 205 Reset", "HTTP/1.1 301 Moved", "HTTP/1.1 401 Who", "HTTP/1.1 417 No",
  "HTTP/1.1 500 Bad", "HTTP/1.1 200", "HTTP/1.1 200 ",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK",
  "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK")

private let fieldLines = Domain.of(
  "", "Content-Length: 5", "Content-Length: 3", "content-length:5", "Content-Length: +5",
  "Content-Length: 5, 5", "Content-Length: 0", "Content-Length: 05", "Content-Length: 5 ",
  "Content-Length: 5;", "Content-Length:", "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked", "Transfer-Encoding: CHUNKED", "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: identity",
  "Transfer-Encoding : chunked", "X: a\r\n b", "X", ": v", "X Y: 1", "X: \u{7f}")

private let bodies = Domain.of(
  "hello", "5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n", "",
  "5;ext=1\r\nhello\r\n0\r\n\r\n", "05\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX0\r\n\r\n",
  "5 \r\nhello\r\n0\r\n\r\n", "G\r\n", "5\r\nhel", "hellohello", "5\nhello\n0\n\n", "0\r\n\r\n",
  "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\nX-T\r\n\r\n", "5\r\nhello\r\nz")

private let surpluses = Domain.of("", "surplus", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")

private let contents = Domain.of("none", "empty", "bytes", "stream", "stream of known length")

private func body(_ content: String) -> HTTPRequestBody {
  let hello = Chunks { $0 == 0 ? Array("hello".utf8) : nil }
  return switch content {
  case "empty": .bytes([])
  case "bytes": .text("hello")
  case "stream": .stream(hello)
  case "stream of known length": .stream(hello, length: 5)
  default: .none
  }
}

extension TransportWorld {
  /// The response or the error, as text.
  fileprivate func outcome(
    of method: HTTPRequest.Method, _ path: String = "/", _ fields: HTTPFields = [:],
    _ body: HTTPRequestBody = .none
  ) async -> String {
    var options = TransportOptions()
    options.continueTimeout = .milliseconds(2)
    var text = ""
    do throws(TransportError) {
      let exchange = try await send(method, path, fields, body: body, options: options)
      let interim = exchange.informationalResponses.map { "\($0.status) \($0.headerFields)" }
      text = "\(interim) \(exchange.response.status) \(exchange.response.headerFields)"
      let content = try await exchange.body.collect(upTo: 1 << 20)
      let trailers = exchange.body.trailerFields.map { "\($0)" }
      return "\(text) \(String(decoding: content, as: UTF8.self)) \(trailers ?? "")"
    } catch {
      return "\(text) \(error.kind) \(error.phase), retry safe: \(error.isRetrySafe)"
    }
  }

  /// The requests that the peer received. The order of fields with different names means nothing.
  fileprivate var arrivals: [String] {
    log.requests.map { request in
      let fields = request.fields.filter { $0.name != .host }
        .map { (name: $0.name.rawName.lowercased(), value: $0.value) }
      // Sorting an array keeps the order of equal elements.
      let sorted = fields.sorted { $0.name < $1.name }
      return "\(request.head.method) \(request.head.target) \(sorted) \(request.bodyCount) bytes"
    }
  }
}
