import SeededRandom
import Testing

@testable import TransportCurlAdapter

@Suite struct HTTP2FrameReaderTests {
  /// The bytes of a frame.
  private static func frame(
    _ kind: UInt8, _ flags: UInt8 = 0, on stream: Int = 0, _ payload: [UInt8] = []
  ) -> [UInt8] {
    let type = [kind, flags]
    return network(payload.count, 3) + type + network(stream, 4) + payload
  }

  /// An integer in network order.
  private static func network(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static let settings = frame(4)

  /// Returns what pieces of at most `size` bytes report, as text.
  private func events(
    _ bytes: [UInt8], size: Int = .max, withSettings: Bool = false
  ) -> [String] {
    var reader = HTTP2FrameReader()
    var events: [String] = []
    var content: [Int: [UInt8]] = [:]
    for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
      bytes[start..<min(bytes.count, start + min(size, bytes.count))].withUnsafeBytes {
        reader.read($0) { event in
          switch event {
          case .content(let bytes, let stream): content[stream, default: []] += bytes
          case .fields(let block, let stream): events.append("\(stream): fields \(block)")
          case .ended(let stream):
            events.append("\(stream): content \(content[stream] ?? []), ended")
          case .reset(let stream, let code): events.append("\(stream): reset \(code)")
          case .goAway(let last, let code): events.append("last \(last): code \(code)")
          case .settings: if withSettings { events.append("settings") }
          case .invalid: events.append("invalid")
          }
        }
      }
    }
    return events
  }

  @Test(arguments: [1, 2, 3, 7, 9, 10, 1000])
  func `frames are read from pieces of any size`(_ size: Int) {
    let bytes =
      Self.settings + Self.frame(1, 0x4, on: 3, [0x88]) + Self.frame(0, on: 3, [1, 2, 3])
      + Self.frame(0, 0x1, on: 3, [4]) + Self.frame(8, on: 0, [0, 0, 0, 9])
      + Self.frame(3, on: 5, [0, 0, 0, 7]) + Self.frame(0, 0x1, on: 7)
    #expect(
      events(bytes, size: size) == [
        "3: fields [136]", "3: content [1, 2, 3, 4], ended", "5: reset 7", "7: content [], ended",
      ])
  }

  @Test
  func `settings are reported once they are complete, and a confirmation of the client's is not`() {
    let limit = Self.frame(4, 0, on: 0, [0, 3, 0, 0, 0, 5])
    #expect(events(Array(limit.dropLast()), withSettings: true) == [])
    #expect(events(limit, withSettings: true) == ["settings"])
    #expect(events(limit + Self.frame(4, 0x1), withSettings: true) == ["settings"])
  }

  @Test(arguments: [1, 4, 1000])
  func `padding and priority are no content`(_ size: Int) {
    let bytes =
      Self.settings + Self.frame(0, 0x8, on: 1, [2, 7, 8, 0, 0])
      + Self.frame(0, 0x9, on: 1, [1, 0])
      + Self.frame(1, 0x2C, on: 3, [1, 0, 0, 0, 0, 9, 0x82, 0])
    #expect(
      events(bytes, size: size) == [
        "1: content [7, 8], ended", "3: fields [130]",
      ])
  }

  @Test func `a field block ends its stream once its continuations have arrived`() {
    let headers = Self.settings + Self.frame(1, 0x1, on: 1, [1]) + Self.frame(9, on: 1, [2])
    #expect(events(headers) == [])
    #expect(
      events(headers + Self.frame(9, 0x4, on: 1, [3])) == [
        "1: fields [1, 2, 3]", "1: content [], ended",
      ])
  }

  @Test(arguments: [1, 5, 1000])
  func `GOAWAY has the last stream and an error code, before the text`(_ size: Int) {
    let goAway = Self.frame(7, 0, on: 0, [0x80, 0, 1, 5, 0, 0, 0, 11] + Array("calm down".utf8))
    #expect(events(Self.settings + goAway, size: size) == ["last 261: code 11"])
    #expect(events(Self.settings + Self.frame(7, 0, on: 0, [0, 0, 0, 1])) == [])
    #expect(events(Self.settings + Self.frame(7, 0, on: 0, [0, 0, 0, 1, 0, 0, 0])) == [])
  }

  @Test(arguments: [1, 1000])
  func `a frame that is all padding has no content`(_ size: Int) {
    let padded = Self.settings + Self.frame(0, 0x8, on: 1, [2, 0, 0])
    let bytes = padded + Self.frame(1, 0xC, on: 1)
    var reader = HTTP2FrameReader()
    var fields: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
        reader.read($0) { event in
          switch event {
          case .settings: break
          case .fields(let block, _): fields.append(block)
          default: Issue.record("\(event)")
          }
        }
      }
    }
    #expect(fields == [[]])
  }

  @Test func `a continuation without a field block ends no stream`() {
    #expect(events(Self.settings + Self.frame(9, 0x4, on: 1, [1])) == ["1: fields [1]"])
  }

  @Test func `a frame of another type may be longer than a field block`() {
    let long = Self.frame(0x41, on: 1, [UInt8](repeating: 0, count: 1 << 20 + 1))
    #expect(events(Self.settings + long + Self.frame(3, on: 1, [0, 0, 0, 8])) == ["1: reset 8"])
  }

  @Test func `bytes that do not begin with SETTINGS are invalid`() {
    #expect(events(Self.frame(0, 0x1, on: 1)) == ["invalid"])
  }

  @Test func `a field block of more than 1 MiB is invalid`() {
    let block = [UInt8](repeating: 1, count: 1 << 16)
    let headers = Self.settings + Self.frame(1, on: 1, Array(block.dropLast()))
    let rest = (1..<16).flatMap { _ in Self.frame(9, on: 1, Array(block.dropLast())) }
    let end = Self.frame(9, 0x4, on: 1, [UInt8](repeating: 1, count: 16))
    #expect(
      events(headers + rest + end).last == "1: fields \([UInt8](repeating: 1, count: 1 << 20))")
    let longer = Self.frame(9, 0x4, on: 1, [UInt8](repeating: 1, count: 17))
    #expect(events(headers + rest + longer + Self.frame(0, 0x1, on: 3)) == ["invalid"])
  }

  /// Frames of all kinds, and what a reader must report of them.
  private struct Generated {
    var bytes = HTTP2FrameReaderTests.settings
    var events: [String] = []
    private var content: [Int: [UInt8]] = [:]
    private var random: SplitMix64

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      // A length has three bytes.
      append(0, 0, 1, octets(70_000))
      content[1] = Array(bytes.suffix(70_000))
      for _ in 1...40 { add() }
    }

    private mutating func octets(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// A stream with a reserved first bit, which means nothing.
    private mutating func reserved(_ stream: Int) -> Int {
      Bool.random(using: &random) ? stream | 0x8000_0000 : stream
    }

    private mutating func append(
      _ kind: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]
    ) {
      bytes += HTTP2FrameReaderTests.frame(kind, flags, on: reserved(stream), payload)
    }

    private mutating func add() {
      let stream = [1, 3, 255, 257, 0x10003, 0x7FFF_FFFF].randomElement(using: &random) ?? 1
      let size = [0, 1, 2, 40].randomElement(using: &random) ?? 0
      let body = octets(size)
      let padding = Bool.random(using: &random) ? Int.random(in: 0...255, using: &random) : nil
      let padded = padding.map { [UInt8($0)] } ?? []
      let zeros = [UInt8](repeating: 0, count: padding ?? 0)
      let flags: UInt8 = padding == nil ? 0 : 0x8
      let ends = UInt8.random(in: 0...1, using: &random)
      switch Int.random(in: 0...5, using: &random) {
      case 0:
        append(0, flags | ends, stream, padded + body + zeros)
        content[stream, default: []] += body
      case 1:
        let priority: UInt8 = Bool.random(using: &random) ? 0x20 : 0
        let parts = Int.random(in: 0...2, using: &random)
        let weight = octets(priority == 0 ? 0 : 5)
        let isWhole: UInt8 = parts == 0 ? 4 : 0
        append(1, flags | ends | priority | isWhole, stream, padded + weight + body + zeros)
        var block = body
        for index in 0..<parts {
          let more = octets(3)
          // A CONTINUATION has no other flag, so these mean nothing (RFC 9113 §6.10).
          let isLast: UInt8 = index == parts - 1 ? 4 : 0
          append(9, isLast | 0x28, stream, more)
          block += more
        }
        events.append("\(stream): fields \(block)")
      case 2:
        let code = Int.random(in: 0...0x7FFF_FFFF, using: &random)
        append(3, 0xFF, stream, HTTP2FrameReaderTests.network(code, 4))
        events.append("\(stream): reset \(code)")
        return
      case 3:
        let code = Int.random(in: 0...0x7FFF_FFFF, using: &random)
        let words = [reserved(stream), code].flatMap { HTTP2FrameReaderTests.network($0, 4) }
        append(7, 0xFF, 0, words + body)
        events.append("last \(stream): code \(code)")
        return
      default:
        // SETTINGS, PUSH_PROMISE, PING, WINDOW_UPDATE, PRIORITY and a kind that is not defined.
        append([4, 5, 6, 8, 2, 0x41].randomElement(using: &random) ?? 4, 0xFF, stream, body)
        return
      }
      if ends == 1 { events.append("\(stream): content \(content[stream] ?? []), ended") }
    }
  }

  @Test func `generated frames are read from pieces of generated sizes`() {
    for seed in 1...14 as ClosedRange<UInt64> {
      let generated = Generated(seed: seed)
      let size = [1, 2, 5, 9, 64, 16_384, .max][Int(seed % 7)]
      #expect(events(generated.bytes, size: size) == generated.events, "seed \(seed)")
    }
  }
}
