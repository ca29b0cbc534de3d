import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlRequestTests {
  /// Options with a continue timeout longer than any test.
  private static let patient: TransportOptions = {
    var options = TransportOptions()
    options.continueTimeout = .seconds(60)
    return options
  }()

  @Test func `field names keep their spelling, whatever the previous request used`()
    async throws
  {
    let world = try CurlWorld(.respond())
    let spellings = ["X-Name", "x-name", "X-NAME"]
    for name in spellings { try await world.answer(.get, "/", [HTTPField.Name(name): "1"]) }
    let seen = world.log.requests.compactMap { $0.head.headerFields.last?.name.rawName }
    #expect(seen == spellings)
    #expect(world.log.connectionCount == 1)
  }

  @Test func `requests that differ only in their origin reach it`() async throws {
    let (near, far) = (try CurlWorld(.respond(text: "near")), try CurlWorld(.respond(text: "far")))
    for (world, text) in [(near, "near"), (far, "far"), (near, "near")] {
      let request = HTTPRequest(url: world.origin.url + "/", headerFields: ["Host": "h"])
      let exchange = try await near.transport.send(request)
      #expect(try await exchange.body.collect(upTo: 9) == Array(text.utf8))
    }
  }

  @Test func `Host can be overridden, and bytes above 127 are kept`() async throws {
    let world = try CurlWorld(.respond())
    var fields: HTTPFields = ["Host": "other.example"]
    fields.append(HTTPField(name: "X-Latin", bytes: [0xE9, 0x20, 0xFF]))
    try await world.answer(.get, "/", fields)
    let seen = try #require(world.log.requests.first?.head.headerFields)
    #expect(seen[values: .host] == ["other.example"])
    #expect(seen[fields: "X-Latin"].first?.bytes == [0xE9, 0x20, 0xFF])
  }

  @Test(
    .enabled(if: CurlLibrary.current.tracesDiscardedContent, "libcurl after 8.5 discards it"),
    arguments: [
      ["Content-Length: 3\r\n\r\n", "w", "hy"], ["Content-Length: 3\r\n\r\nwhy, surplus"],
      ["Transfer-Encoding: chunked\r\n\r\n", "1\r\nw", "\r\n2\r\nhy\r\n0\r\n\r\n"],
      ["Content-Length: 3\r\nConnection: close\r\n\r\n", "w", "hy"],
      ["Connection: close\r\n\r\n", "w", "hy"],
    ])
  func `the content of a 417 response is complete`(_ parts: [String]) async throws {
    var script: OriginScript = [.send("HTTP/1.1 417 No\r\n")]
    for part in parts { script = script + [.pause(.milliseconds(30)), .send(part)] }
    if parts[0].contains("close") { script = script + [.close] }
    let world = try CurlWorld(script)
    let answer = try await world.answer(
      .post, "/", [.expect: "100-continue"], body: .text("hello"), options: Self.patient)
    #expect(answer.status == 417)
    #expect(answer.text == "why")
    #expect(world.log.requests.count <= 1)
  }

  @Test(
    .enabled(if: CurlLibrary.current.tracesDiscardedContent, "libcurl after 8.5 discards it"),
    arguments: ["Content-Length: 33554432", "Transfer-Encoding: chunked"])
  func `a large 417 response fails beyond the buffer limit`(_ framing: String)
    async throws
  {
    let block = framing.hasPrefix("T") ? Array("400\r\n".utf8) : []
    let end: [UInt8] = framing.hasPrefix("T") ? [0x0D, 0x0A] : []
    let world = try CurlWorld([
      .send("HTTP/1.1 417 No\r\n\(framing)\r\n\r\n"),
      .sendRepeatedly(block + [UInt8](repeating: 0x61, count: 1024) + end, count: 32 * 1024),
      .stall,
    ])
    let exchange = try await world.transport.send(
      world.request(.post, "/", [.expect: "100-continue"]), body: .text("hello"),
      options: Self.patient)
    try await world.log.first { $0.kind.isEndByPeer }
    let error = await #expect(throws: TransportError.self) {
      try await exchange.body.collect(upTo: 64 << 20)
    }
    #expect(error?.kind == .responseTooLarge(limit: 1024 * 1024))
  }
}
