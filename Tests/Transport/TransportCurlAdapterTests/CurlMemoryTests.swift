import CPlatform
import Foundation
import ScriptedOrigin
import SystemLocks
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlMemoryTests {
  private let block = [UInt8](repeating: 0x61, count: 65_536)

  @Test func `chunks that the reader keeps do not change`() async throws {
    let blocks = (1...40).map { [UInt8](repeating: $0, count: 65_536) }
    let world = try CurlWorld(
      OriginScript([.send("HTTP/1.1 200 OK\r\n\r\n")] + blocks.map { .send($0) } + [.close]))
    var kept: [[UInt8]] = []
    for try await chunk in try await world.transport.send(world.request()).body {
      kept.append(chunk)
    }
    let isSame = kept.joined().elementsEqual(blocks.joined())
    #expect(isSame)
  }

  @Test func `small chunks that the reader keeps do not change in later responses`()
    async throws
  {
    let texts = (0..<20).map { "\($0) " + String(repeating: "\($0 % 10)", count: 900) }
    let world = try CurlWorld(
      OriginPlan { .respond(text: texts[$0.ordinal - 1]) })
    var kept: [[UInt8]] = []
    for _ in texts {
      let chunks = try await world.transport.send(world.request()).body
      for try await chunk in chunks { kept.append(chunk) }
    }
    let areSame = kept.map { String(decoding: $0, as: UTF8.self) } == texts
    #expect(areSame)
    #expect(world.log.connectionCount == 1)
  }

  @Test func `a small chunk holds at most twice its size in memory`() async throws {
    let world = try CurlWorld(.respond(text: String(repeating: "a", count: 1000)))
    for try await chunk in try await world.transport.send(world.request()).body {
      #expect(chunk.capacity < 2000)
    }
    #expect(world.log.requests.count == 1)
  }

  @Test func `single bytes share memory while the body is not read`() async throws {
    let bytes = Array(repeating: ScriptStep.send([0x61]), count: 3000)
    let world = try CurlWorld(
      OriginScript([.send("HTTP/1.1 200 OK\r\n\r\n")] + bytes + [.close]))
    let exchange = try await world.transport.send(world.request())
    try await world.log.first { $0.kind == .closed }
    var sizes: [Int] = []
    for try await chunk in exchange.body { sizes.append(chunk.count) }
    #expect(sizes.reduce(0, +) == 3000)
    #expect(sizes.count < 10)
  }

  /// Runs in a separate process, so that no other test influences the memory.
  @Test(.enabled(if: OperatingSystem.current == .linux))
  func `a flood with a reader of ten bytes at a time takes less than 24 MB`() async {
    await #expect(processExitsWith: .success) {
      let block = [UInt8](repeating: 0x61, count: 65_536)
      let script: OriginScript = [
        .send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeatedly(block, count: nil),
      ]
      let world = try CurlWorld(.respond(), script)
      // The baseline includes loaded libraries and a kept connection.
      try await world.answer()
      let before = residentBytes()
      let exchange = try await world.transport.send(world.request())
      var chunks = exchange.body.makeAsyncIterator()
      var chunk: [UInt8] = []
      var (consumed, taken, peak) = (0, 0, 0)
      _ = try await settled { world.sentBytes }
      // The long form reads ten bytes per second; the short form does not wait.
      for _ in 1...(CurlTestScale.isLong ? 120 : 200_000) {
        if consumed + 10 > taken {
          chunk = try await chunks.next() ?? []
          taken += chunk.count
        }
        consumed += 10
        if CurlTestScale.isLong { try await Task.sleep(for: .seconds(1)) }
        if consumed % 65_536 < 10 || CurlTestScale.isLong { peak = max(peak, residentBytes()) }
      }
      let ahead = world.sentBytes - consumed
      print("ten bytes at a time: \((peak - before) >> 10) KiB more, \(ahead >> 10) KiB ahead")
      #expect(peak - before < 24 << 20)
      #expect(ahead < 24 << 20)
    }
  }

  @Test(.enabled(if: CurlTestScale.isLong && OperatingSystem.current == .linux))
  func `3 GB up and down take less than 24 MB`()
    async throws
  {
    let count = 3 << 30
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"
    let world = try CurlWorld(
      .respond(), [.readBody, .send(head), .sendRepeatedly(block, count: count / block.count)])
    // The baseline includes loaded libraries and a kept connection.
    try await world.answer(.post, body: .stream(Chunks(chunks: [block])))
    let before = residentBytes()
    let peak = Mutex(0)
    let watch: @Sendable () -> Void = { peak.withLock { $0 = max($0, residentBytes()) } }
    let chunks = Repeated(chunk: block, count: count / block.count, willProduce: watch)
    let exchange = try await world.transport.send(
      world.request(.post), body: .stream(chunks, length: count))
    var received = 0
    for try await chunk in exchange.body {
      received += chunk.count
      watch()
    }
    #expect(received == count)
    #expect(world.log.requests.last?.bodyCount == count)
    let growth = peak.withLock { $0 } - before
    print("3 GB up and 3 GB down: resident memory grew by \(growth >> 10) KiB at most")
    #expect(growth < 24 << 20)
  }
}

/// Waits until a value has not changed for 100 ms and returns it.
private func settled(_ value: () -> Int) async throws -> Int {
  var last = -1
  while value() != last {
    last = value()
    try await Task.sleep(for: .milliseconds(100))
  }
  return last
}

/// A sequence that repeats one chunk.
private struct Repeated: AsyncSequence, Sendable {
  var chunk: [UInt8]
  var count: Int
  var willProduce: @Sendable () -> Void

  func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  struct Iterator: AsyncIteratorProtocol {
    let source: Repeated
    var index = 0

    mutating func next() async -> [UInt8]? {
      guard index < source.count else { return nil }
      index += 1
      if index % 64 == 0 { source.willProduce() }
      return source.chunk
    }
  }
}

extension CurlWorld {
  fileprivate var sentBytes: Int {
    log.events.reduce(0) { if case .sent(let count) = $1.kind { $0 + count } else { $0 } }
  }
}

private func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  fgets(&line, 128, file)
  let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  let words = text.split(separator: " ")
  return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(getpagesize())
}
