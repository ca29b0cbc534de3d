import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

/// A cached head must never influence the result of the next one.
@Suite struct HeadCacheTests {
  static let lines = ["HTTP/1.1 200 OK", "A: 1", "B: 2", "Content-Length: 0", "C: 3"]

  /// Valid heads that differ slightly from `lines`.
  static let variants: [[String]] = withOneLineMore + withOneLineLess + withOtherLines

  private static let withOneLineMore: [[String]] = lines.indices.map {
    lines.inserted("D: 4", at: $0 + 1)
  }

  private static let withOneLineLess: [[String]] =
    lines.indices.dropFirst().map { replacing($0, by: "D: 4") + ["Content-Length: 0"] }
    + [1, 2, 4].map { lines.removed(at: $0) }

  private static let withOtherLines: [[String]] = [
    ["HTTP/1.1 201 OK"] + lines.dropFirst(), ["HTTP/1.1 200 Ok"] + lines.dropFirst(),
    ["HTTP/1.0 200 OK"] + lines.dropFirst(), Array(lines[..<1]) + lines[1...].reversed(),
    replacing(2, by: "b: 2"), replacing(2, by: "B: 3"), replacing(2, by: "B:2"),
    lines[..<2] + ["D: 4", "E: 5", "D: 4", "F: 6"] + lines[2...],
    lines.inserted(" folded", at: 3), lines.inserted(" folded", at: 5),
    ["HTTP/1.1 103 Early", "A: 1", "B: 2", ""] + lines,
    ["HTTP/1.1 103 Early", "A: 1", ""] + ["HTTP/1.1 103 Early", "A: 1", ""] + lines,
  ]

  /// Invalid or incomplete heads that begin like `lines`.
  static let invalid: [[String]] = withInvalidLine + incomplete

  private static let withInvalidLine: [[String]] = lines.indices.flatMap { index in
    [" space", "No colon", "A : b", "A: b\0c"].map { lines.inserted($0, at: index + 1) }
  }

  private static let incomplete: [[String]] = lines.indices.dropLast().map { Array(lines[...$0]) }

  @Test(arguments: variants)
  func `a head is parsed correctly, whatever preceded it`(_ head: [String]) async throws {
    let script = OriginScript.raw(Self.text(head))
    let known = OriginScript.raw(Self.text(Self.lines))
    let world = try CurlWorld(known, known, script, script, known, script)
    let (first, other) = (try await seen(known), try await seen(script))
    for expected in [first, first, other, other, first, other] {
      #expect(await seen(in: world) == expected)
    }
  }

  @Test(arguments: invalid)
  func `an invalid head is rejected, whatever preceded it`(_ head: [String]) async throws {
    // An incomplete head ends with the connection.
    let text = Self.text(head)
    let isWhole = head.count >= Self.lines.count
    let script = OriginScript.raw(isWhole ? text : String(text.dropLast(1))) + [.close]
    let known = OriginScript.raw(Self.text(Self.lines))
    let world = try CurlWorld(known, script, script, known)
    _ = await seen(in: world)
    let outcome = try await seen(script)
    for _ in 0..<2 { #expect(await seen(in: world) == outcome) }
    // A line that starts with a space continues the previous field, if there is one.
    let isFolded = head.dropFirst(2).contains { $0.hasPrefix(" ") }
    #expect(isFolded || outcome.hasPrefix("error"))
    #expect(try await seen(in: world) == seen(known))
  }

  /// Returns the result for a client whose cache is empty.
  private func seen(_ script: OriginScript) async throws -> String {
    await seen(in: try CurlWorld(script))
  }

  private func seen(in world: CurlWorld) async -> String {
    do throws(TransportError) {
      let exchange = try await world.answer().exchange
      return "\(exchange.informationalResponses) \(exchange.response)"
    } catch {
      return "error \(error.kind)"
    }
  }

  private static func text(_ lines: [String]) -> String {
    lines.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  private static func replacing(_ index: Int, by line: String) -> [String] {
    lines.removed(at: index).inserted(line, at: index)
  }
}

extension [String] {
  fileprivate func inserted(_ line: String, at index: Int) -> Self {
    Array(self[..<index]) + [line] + self[index...]
  }

  fileprivate func removed(at index: Int) -> Self {
    Array(self[..<index]) + self[(index + 1)...]
  }
}
