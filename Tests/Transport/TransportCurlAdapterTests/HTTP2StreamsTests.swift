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

  @Test func `only the parts of the last record are kept, and only if they are wanted`() {
    var streams = HTTP2Streams()
    streams.follow(1)
    streams.note(Self.fields("200"), on: 1)
    #expect(streams[1]?.parts.count == 0)
    streams.retainsParts = true
    streams.note(Self.trailers, on: 1)
    #expect(streams[1]?.parts.count == 1)
    streams.forgetParts()
    #expect(streams[1]?.parts.count == 0)
  }
}
