import Testing

@testable import TransportCurlAdapter

@Suite struct HTTP2StreamsTests {
  private static func fields(_ status: String) -> [HPACKDecoder.Field] {
    [(name: Array(":status".utf8), value: Array(status.utf8))]
  }

  private static let trailers: [HPACKDecoder.Field] = [(name: [0x78], value: [0x31])]

  @Test func `what arrives on a stream that its transfer has left is not kept`() {
    var streams = HTTP2Streams()
    streams.retainsParts = true
    for stream in stride(from: 1, to: 2_000, by: 2) {
      streams.follow(stream)
      streams.note(Self.fields("200"), on: stream)
      #expect(streams.count == 1)
      streams.forget(stream)
      streams.note(Self.fields("200"), on: stream)
      [1, 2].withUnsafeBytes { streams.note($0, on: stream) }
      streams.note(Self.trailers, on: stream)
      streams.noteEnd(of: stream)
      streams.noteReset(of: stream, code: 8)
    }
    #expect(streams.count == 0)
  }

  @Test(arguments: [true, false])
  func `fields after the final head are trailers, with and without content`(_ hasContent: Bool) {
    var streams = HTTP2Streams()
    streams.follow(1)
    for status in ["103", "200"] {
      streams.note(Self.fields(status), on: 1)
      #expect(streams[1]?.hasTrailers == false)
    }
    if hasContent { [1, 2].withUnsafeBytes { streams.note($0, on: 1) } }
    streams.note(Self.trailers, on: 1)
    streams.noteEnd(of: 1)
    #expect(streams[1]?.trailers.map(\.name) == [[0x78]])
    #expect(streams[1]?.hasTrailers == true && streams[1]?.isEnded == true)
  }

  @Test func `the first field of a head has its status`() {
    var streams = HTTP2Streams()
    streams.follow(1)
    streams.note(Self.fields("200") + Self.trailers, on: 1)
    #expect(streams[1]?.hasHead == true)
  }

  @Test func `fields after content are trailers, also if the head could not be decoded`() {
    var streams = HTTP2Streams()
    streams.follow(1)
    streams.note(nil, on: 1)
    ([1] as [UInt8]).withUnsafeBytes { streams.note($0, on: 1) }
    streams.note(Self.trailers, on: 1)
    #expect(streams[1]?.trailers.map(\.name) == [[0x78]])
  }

  @Test func `a stream that is followed again has nothing`() {
    var streams = streams([1])
    streams.follow(1)
    #expect(streams[1]?.hasHead == false && streams[1]?.contentCount == 0)
  }

  /// A stream with a head and content, whose parts are kept.
  private func streams(_ content: [UInt8]...) -> HTTP2Streams {
    var streams = HTTP2Streams()
    streams.retainsParts = true
    streams.follow(1)
    streams.note(Self.fields("200"), on: 1)
    for part in content { part.withUnsafeBytes { streams.note($0, on: 1) } }
    return streams
  }

  /// Returns the content of parts, and how many of them are field blocks.
  private func summary(_ parts: [HTTP2Streams.Part]?) -> (blocks: Int, content: [UInt8])? {
    guard let parts else { return nil }
    var summary = (blocks: 0, content: [UInt8]())
    for part in parts {
      switch part {
      case .fields: summary.blocks += 1
      case .content(let bytes): summary.content += bytes
      }
    }
    return summary
  }

  @Test func `parts are kept only if they are wanted`() {
    var streams = HTTP2Streams()
    streams.follow(1)
    streams.note(Self.fields("200"), on: 1)
    #expect(streams[1]?.parts.count == 0)
  }

  @Test(arguments: 0...5)
  func `what a transfer has received is left out`(_ received: Int) throws {
    let stream = try #require(streams([1, 2], [3, 4, 5])[1])
    let parts = stream.parts(afterBlocks: 1, content: received)
    #expect(parts?.count == (received < 2 ? 2 : received < 5 ? 1 : 0))
    let rest = try #require(summary(parts))
    #expect(rest.blocks == 0)
    #expect(rest.content == Array([1, 2, 3, 4, 5].dropFirst(received)))
    #expect(summary(stream.parts(afterBlocks: 0, content: 0))?.blocks == 1)
  }

  @Test
  func `parts are forgotten once a transfer has received all content, and what follows is kept`() {
    var streams = streams([1, 2])
    streams.forgetParts(of: 1, content: 1)
    #expect(streams[1]?.parts.count == 2)
    streams.forgetParts(of: 1, content: 2)
    #expect(streams[1]?.parts.count == 0)
    ([3] as [UInt8]).withUnsafeBytes { streams.note($0, on: 1) }
    #expect(summary(streams[1]?.parts(afterBlocks: 1, content: 2))?.content == [3])
    #expect(streams[1]?.parts(afterBlocks: 1, content: 1) == nil)
    #expect(streams[1]?.parts(afterBlocks: 0, content: 2) == nil)
  }

  @Test func `parts that are too large are forgotten`() {
    let large = [UInt8](repeating: 0, count: HTTP2Streams.retainedLimit)
    #expect(streams(large)[1]?.parts.count == 2)
    let streams = streams(large, [0])
    #expect(streams[1]?.parts.count == 0)
    #expect(streams[1]?.parts(afterBlocks: 1, content: 0) == nil)
  }

  @Test func `the first reset of a stream counts`() {
    var streams = streams()
    streams.noteReset(of: 1, code: 0)
    streams.noteReset(of: 1, code: 5)
    #expect(streams[1]?.resetCode == 0)
  }
}
