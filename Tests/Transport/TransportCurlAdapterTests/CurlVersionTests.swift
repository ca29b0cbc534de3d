import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

/// Behaviour that differs between versions of libcurl: the transport hides the difference or fails.
@Suite struct CurlVersionTests {
  @Test func `a field of 307,199 bytes is sent`() async throws {
    let world = try CurlWorld(.respond())
    let value = String(repeating: "a", count: 307_199)
    try await world.answer(.get, "/", ["X-A": value])
    #expect(world.log.requests.first?.head.headerFields["X-A"]?.utf8.count == 307_199)
  }

  @Test func `a longer field is sent or rejected, but never omitted`() async throws {
    let world = try CurlWorld(.respond())
    let fields: HTTPFields = ["X-A": String(repeating: "a", count: 307_200)]
    if CurlLibrary.current.maximumFieldLength == nil {
      try await world.answer(.get, "/", fields)
      #expect(world.log.requests.first?.head.headerFields["X-A"]?.utf8.count == 307_200)
    } else {
      let error = try await world.failure(.get, fields)
      #expect(error.kind == .invalidRequest(.headTooLarge), "\(error)")
      #expect(error.detail.contains(CurlLibrary.current.description))
      #expect(world.log.connectionCount == 0)
    }
  }

  @Test(arguments: ["Transfer-Encoding", "transfer-encoding", "TRANSFER-ENCODING"])
  func `a transfer coding overrides a Content-Length that follows it`(_ name: String) async throws {
    let head = "HTTP/1.1 200 OK\r\n\(name): identity\r\nContent-Length: 2\r\n\r\nhi"
    let world = try CurlWorld(.raw(head) + [.send(" there"), .close])
    #expect(try await world.answer().text == "hi there")
  }

  @Test func `a transfer coding overrides an earlier Content-Length, or the response fails`()
    async throws
  {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: identity\r\n\r\nhi"
    let world = try CurlWorld(.raw(head) + [.send(" there"), .close])
    if CurlLibrary.current.overridesEarlierLength {
      #expect(try await world.answer().text == "hi there")
    } else {
      #expect(try await world.failure().kind == .truncatedBody)
    }
  }
}
