import Foundation
import StubLedger
import Testing
import TransportPort

/// A fake transport notes the answers that a test scripted, with the place of the script.
@Suite struct StubLedgerTests {
  private struct Line: Decodable, Equatable {
    var kind: String
    var port: String
    var request: String
    var answer: String
    var content: String?
    var file: String?
    var line: Int?
  }

  /// The lines that requests leave in a ledger.
  private func lines(
    _ transport: FakeTransport, _ urls: String...
  ) async throws -> [Line] {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("stubs-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let ledger = try StubLedger(path: file.path)
    await StubLedger.$override.withValue(ledger) {
      for url in urls { _ = try? await HTTPClient(transport: transport).get(url) }
    }
    return try Data(contentsOf: file).split(separator: 0x0a).map {
      try JSONDecoder().decode(Line.self, from: $0)
    }
  }

  /// A script that several tests could share.
  private static let shared = (
    OriginScript.respond(headerFields: ["Content-Type": "Application/JSON; a=b"], text: "[1]"),
    #line - 1
  )

  @Test func `the place is that of the script, wherever the transport is`() async throws {
    let first = #line + 3
    let transport = FakeTransport { request in
      switch request.path {
      case "/a": .respond(404, text: "no")
      case "/b": .redirect(to: "/c")
      case "/d": .raw("HTTP/1.1 204 \r\n\r\n")
      default: Self.shared.0.split(into: 2) + [.close]
      }
    }
    let lines = try await lines(
      transport, "http://x.example/a", "https://x.example/d", "http://x.example/e?f=1",
      "http://x.example/a")
    #expect(
      lines == [
        Line(
          kind: "stub", port: "http", request: "GET http://x.example/a", answer: "404",
          content: "no", file: "TransportPortTests/StubLedgerTests.swift", line: first),
        Line(
          kind: "stub", port: "http", request: "GET https://x.example/d", answer: "204",
          content: "", file: "TransportPortTests/StubLedgerTests.swift", line: first + 2),
        Line(
          kind: "stub", port: "http", request: "GET http://x.example/e?f=1",
          answer: "200 application/json", content: "[1]",
          file: "TransportPortTests/StubLedgerTests.swift", line: Self.shared.1),
      ])
  }

  @Test func `a script of plain steps has the transport's place, and a fault is no answer`()
    async throws
  {
    let transport = FakeTransport { request in
      request.path == "/reset" ? [.reset] : [.send("HTTP/1.1 204 \r\n\r\n")]
    }
    let line = #line - 3
    let lines = try await lines(transport, "http://x.example/reset", "http://x.example/")
    #expect(lines.map(\.request) == ["GET http://x.example/"])
    #expect(lines.map(\.line) == [line])
  }

  @Test func `two scripts are equal wherever they are written`() {
    let one = OriginScript.respond()
    let other = OriginScript.respond()
    #expect(one == other)
    #expect(Set([one, other]).count == 1)
  }

  @Test func `without a ledger nothing is noted`() { #expect(StubLedger.current == nil) }
}
