import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

/// What is remembered of one head must never be read into the next.
@Suite struct HeadMemoryTests {
  static let lines = ["HTTP/1.1 200 OK", "A: 1", "B: 2", "Content-Length: 0", "C: 3"]

  /// Heads that are nearly that one, and complete.
  static let neighbours: [[String]] =
    lines.indices.dropFirst().map { replacing($0, by: "D: 4") + ["Content-Length: 0"] }
    + lines.indices.map { lines.inserted("D: 4", at: $0 + 1) }
    + [1, 2, 4].map { lines.removed(at: $0) }
    + [
      ["HTTP/1.1 201 OK"] + lines.dropFirst(), ["HTTP/1.1 200 Ok"] + lines.dropFirst(),
      ["HTTP/1.0 200 OK"] + lines.dropFirst(), Array(lines[..<1]) + lines[1...].reversed(),
      replacing(2, by: "b: 2"), replacing(2, by: "B: 3"), replacing(2, by: "B:2"),
      lines[..<2] + ["D: 4", "E: 5", "D: 4", "F: 6"] + lines[2...],
      lines.inserted(" folded", at: 3), lines.inserted(" folded", at: 5),
      ["HTTP/1.1 103 Early", "A: 1", "B: 2", ""] + lines,
      ["HTTP/1.1 103 Early", "A: 1", ""] + ["HTTP/1.1 103 Early", "A: 1", ""] + lines,
    ]

  /// Heads that begin like that one, and then go wrong.
  static let wrong: [[String]] =
    lines.indices.flatMap { place in
      [" space", "No colon", "A : b", "A: b\0c"].map { lines.inserted($0, at: place + 1) }
    } + lines.indices.map { Array(lines[...$0]) }.dropLast()

  @Test(arguments: neighbours)
  func `a head is read as it is, whatever came before it`(_ head: [String]) async throws {
    let script = OriginScript.raw(Self.text(head))
    let known = OriginScript.raw(Self.text(Self.lines))
    let world = try CurlWorld(known, known, script, script, known, script)
    let (first, other) = (try await seen(known), try await seen(script))
    for expected in [first, first, other, other, first, other] {
      #expect(await seen(in: world) == expected)
    }
  }

  @Test(arguments: wrong)
  func `a wrong head is refused, whatever came before it`(_ head: [String]) async throws {
    // Where it stops within, the connection ends.
    let text = Self.text(head)
    let isWhole = head.count >= Self.lines.count
    let script = OriginScript.raw(isWhole ? text : String(text.dropLast(1))) + [.close]
    let known = OriginScript.raw(Self.text(Self.lines))
    let world = try CurlWorld(known, script, script, known)
    _ = await seen(in: world)
    let outcome = try await seen(script)
    for _ in 0..<2 { #expect(await seen(in: world) == outcome) }
    // A line that starts with a space belongs to the field before it, where there is one.
    let isFolded = head.dropFirst(2).contains { $0.hasPrefix(" ") }
    #expect(isFolded || outcome.hasPrefix("error"))
    #expect(try await seen(in: world) == seen(known))
  }

  /// What a client without a memory sees.
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

  private static func replacing(_ place: Int, by line: String) -> [String] {
    lines.removed(at: place).inserted(line, at: place)
  }
}

extension [String] {
  fileprivate func inserted(_ line: String, at place: Int) -> Self {
    Array(self[..<place]) + [line] + self[place...]
  }

  fileprivate func removed(at place: Int) -> Self {
    Array(self[..<place]) + self[(place + 1)...]
  }
}
