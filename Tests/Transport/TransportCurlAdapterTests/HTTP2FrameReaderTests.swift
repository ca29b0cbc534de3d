import Testing

@testable import TransportCurlAdapter

@Suite struct HTTP2FrameReaderTests {
  /// The bytes of a frame.
  private static func frame(
    _ kind: UInt8, _ flags: UInt8 = 0, on stream: UInt8 = 0, _ payload: [UInt8] = []
  ) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind, flags, 0, 0, 0, stream]
      + payload
  }

  private static let settings = frame(4)

  /// Returns what pieces of at most `size` bytes report, as text.
  private func events(_ bytes: [UInt8], size: Int = .max) -> [String] {
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
  }

  @Test func `bytes that do not begin with SETTINGS are invalid`() {
    #expect(events(Self.frame(0, 0x1, on: 1)) == ["invalid"])
  }
}
