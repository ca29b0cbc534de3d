import Foundation
import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

/// Runs exchanges of every kind, mainly for the sanitizers.
///
/// The number is 1,000, or `CONTRACT_SOAK_TRANSPORT_REQUESTS`.
@Suite struct CurlSoakTests {
  private static let scripts: [OriginScript] = [
    .respond(text: "hi"),
    [
      .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
      .send("2\r\nhi\r\n0\r\nA: b\r\n\r\n"),
    ],
    .respond(headerFields: [.connection: "close"], text: "hi"),
    [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .reset],
    [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .stall],
    [.send("HTTP/1.1 2"), .stall],
  ]

  @Test func `exchanges of every kind leak nothing`() async throws {
    let count =
      getenv("CONTRACT_SOAK_TRANSPORT_REQUESTS").flatMap { Int(String(cString: $0)) } ?? 1000
    // An origin logs every event, so each one serves at most 5,000 requests.
    let round = min(count, 5000)
    weak var seen: CurlTransport?
    do {
      let transport = try CurlTransport()
      seen = transport
      for start in stride(from: 0, to: count, by: round) {
        let origin = try ScriptedOrigin(
          OriginPlan { request in
            Self.scripts[Int(request.target.dropFirst()) ?? 0]
          })
        try await withThrowingTaskGroup { group in
          for worker in 0..<32 {
            group.addTask {
              for number in stride(from: worker, to: round, by: 32) {
                try await Self.exchange(number, origin.url, transport)
              }
            }
          }
          try await group.waitForAll()
        }
        if count > round { print("\(start + round) of \(count) requests") }
      }
      await transport.shutDown()
    }
    // A leaked exchange would retain the transport.
    #expect(seen == nil)
  }

  /// Runs one exchange, whose kind depends on its number.
  private static func exchange(
    _ number: Int, _ url: String, _ transport: CurlTransport
  ) async throws {
    let kind = number % 16
    let script = kind < scripts.count ? kind : 0
    let request = HTTPRequest(method: kind % 2 == 0 ? .get : .post, url: "\(url)/\(script)")
    let body: HTTPRequestBody =
      switch (request.method, kind % 3) {
      case (.get, _): .none
      case (_, 0): .stream(Chunks(chunks: [[1], [2, 3]]))
      default: .text("content")
      }
    let task = Task {
      let exchange = try await transport.send(request, body: body)
      // One kind releases the body unread.
      return kind == 7 ? nil : try await exchange.body.collect(upTo: 100)
    }
    switch script {
    case 3:
      await #expect(throws: TransportError.self) { try await task.value }
    case 4, 5:
      if number % 32 < 16 { await Task.yield() }
      task.cancel()
      await #expect(throws: TransportError.self) { try await task.value }
    default:
      let content = try await task.value
      #expect(content == nil || content == Array("hi".utf8))
    }
  }
}
