import ScriptedOrigin
import SeededRandom
import Testing
import TransportPort

@testable import TransportCurlAdapter

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

  @Test func `an equal head is the known one, if that was read by the same rules`() throws {
    #expect(HeadCache().isEmpty)
    var (cache, rules) = (HeadCache(), HeadCache.Rules())
    cache.begin(rules, known: nil)
    let known = try #require(Self.read(Self.lines, &cache).head)
    cache.begin(known: known)
    #expect(Self.read(Self.lines, &cache).head === known)
    cache.begin(rules, known: known)
    let other = Self.read(["HTTP/1.1 200 OK", "A: 1", "X: 9"], &cache).head
    // What was compared with one head is now compared with another.
    cache.begin(known: known)
    #expect(Self.read(Self.lines, &cache).head === known)
    cache.begin(known: other)
    #expect(Self.read(Self.lines, &cache).head !== known)
    var empty = HeadCache()
    empty.begin(rules, known: known)
    #expect(Self.read(Self.lines, &empty).head === known)
    rules.method = .head
    empty.begin(rules, known: known)
    #expect(Self.read(Self.lines, &empty).head !== known)
    empty.begin(known: known)
    #expect(Self.read(Self.lines, &empty).head !== known)
  }

  @Test func `only lines between the first and the last are taken from the cache`() throws {
    var cache = HeadCache()
    cache.begin(HeadCache.Rules(), known: nil)
    let read = Self.read(Self.lines, &cache)
    #expect(read.cached == 0 && read.head?.keepsConnectionAlive == true)
    cache.begin(known: read.head)
    #expect(cache.isEmpty)
    for (index, line) in (Self.lines + [""]).enumerated() {
      let isBetween = (1..<Self.lines.count).contains(index)
      try Array((line + "\r\n").utf8).withUnsafeBytes { bytes in
        let isConsumed = cache.consumeIfCached(bytes)
        #expect(isConsumed == isBetween, "\(line)")
        if !isConsumed { _ = try cache.consume(bytes) }
      }
      #expect(!cache.isEmpty)
    }
  }

  @Test func `a trailer that equals a line of the head is not taken from the cache`() throws {
    var cache = HeadCache()
    cache.begin(HeadCache.Rules(), known: nil)
    let known = Self.read(Self.lines, &cache).head
    let other = ["HTTP/1.1 200 OK", "A: 1", "X: 9", "Y: 8"]
    for _ in 0..<2 {
      cache.begin(known: known)
      _ = try #require(Self.read(other, &cache).head)
      for line in other + [""] {
        let isConsumed = Array((line + "\r\n").utf8).withUnsafeBytes { cache.consumeIfCached($0) }
        #expect(!isConsumed, "\(line)")
      }
    }
  }

  @Test(arguments: [
    (["Content-Length: 2", "Transfer-Encoding: identity"], true),
    (["A: 1", "Content-Length: 2", "B: 2", "Transfer-Encoding: identity"], true),
    (["Transfer-Encoding: identity", "Content-Length: 2"], false),
    (["Transfer-Encoding: identity"], false),
    (["Content-Length: 2", "Transfer-Encoding: chunked"], false), (["Content-Length: 2"], false),
    (["A: 1"], false),
  ])
  func `a head knows whether its length precedes a coding`(
    _ fields: [String], _ isLengthFirst: Bool
  ) throws {
    var cache = HeadCache()
    cache.begin(HeadCache.Rules(), known: nil)
    let head = Self.read(["HTTP/1.1 200 OK"] + fields, &cache).head
    #expect(head?.isLengthFirst == isLengthFirst)
  }

  @Test func `only rules that allow it accept a head of HTTP 2`() {
    var (cache, rules) = (HeadCache(), HeadCache.Rules())
    cache.begin(rules, known: nil)
    #expect(Self.read(["HTTP/2 200"], &cache).head == nil)
    rules.allowsMultiplexed = true
    cache.begin(rules, known: nil)
    #expect(Self.read(["HTTP/2 200"], &cache).head != nil)
  }

  /// The lines of `lines` and `invalid`, and some that frame the content otherwise.
  private static let pool =
    Set(lines + invalid.joined() + withOtherLines.joined()).subtracting([""]).sorted() + [
      "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Connection: close",
      "Trailer: x", "Content-Length: 7", "HTTP/2 200", "HTTP/1.1 204 None",
    ]

  @Test func `a cache and an empty cache read random heads alike`() {
    var random = SplitMix64(seed: 1)
    var (cache, rules) = (HeadCache(), HeadCache.Rules())
    var cached = 0
    var last: HeadCache.Head?
    var text = Self.lines
    for _ in 0..<3_000 {
      // Most heads are like the one before.
      if Bool.random(using: &random) {
        text = Self.lines
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          let index = Int.random(in: 0..<text.count, using: &random)
          let other = Self.pool.randomElement(using: &random) ?? ""
          text =
            Bool.random(using: &random) ? text.inserted(other, at: index) : text.removed(at: index)
          if text.isEmpty { text = [other] }
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
          text = ["HTTP/1.1 103 Early", "A: 1", ""] + text
        }
      }
      let isSame = Int.random(in: 0..<4, using: &random) > 0
      if !isSame {
        rules.method = [.get, .head, .connect].randomElement(using: &random) ?? .get
        rules.limits = .init(
          bytes: [50, 65_536].randomElement(using: &random) ?? 50,
          fields: [3, 4, 256].randomElement(using: &random) ?? 3)
        rules.allowsMultiplexed = Bool.random(using: &random)
      }
      if isSame { cache.begin(known: last) } else { cache.begin(rules, known: last) }
      var empty = HeadCache()
      empty.begin(rules, known: nil)
      let found = Self.read(text, &cache)
      #expect(found.description == Self.read(text, &empty).description, "\(text)")
      cached += found.cached
      if let head = found.head { last = head }
    }
    // Otherwise nothing was compared.
    #expect(cached > 1_000)
  }

  /// Returns the head that lines and an empty one lead to, how many lines were taken from the cache, and what there is
  /// to compare of the head and of each line before it.
  private static func read(
    _ lines: [String], _ cache: inout HeadCache
  ) -> (head: HeadCache.Head?, cached: Int, description: String) {
    var (cached, description) = (0, "")
    for line in lines + [""] {
      let bytes = Array((line + "\r\n").utf8)
      let result = bytes.withUnsafeBytes { bytes -> Result<HeadCache.Head?, TransportError> in
        if cache.consumeIfCached(bytes) {
          cached += 1
          return .success(nil)
        }
        return Result { () throws(TransportError) in try cache.consume(bytes) }
      }
      description += "\(cache.isEmpty)\n"
      switch result {
      case .failure(let error): return (nil, cached, description + "\(error)")
      case .success(nil): continue
      case .success(let head?):
        description += """
          \(head.response), \(head.version.map { "\($0)" } ?? ""), \(head.framing), \(head.status), \
          \(head.isInformational), \(head.keepsConnectionAlive), \(head.isLengthFirst), \(head.announcesTrailers)

          """
        guard head.isInformational else { return (head, cached, description) }
        cache.beginNext()
      }
    }
    return (nil, cached, description)
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
