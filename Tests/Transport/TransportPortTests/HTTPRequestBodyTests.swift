import Testing
import TransportPort

@Suite struct HTTPRequestBodyTests {
  private static func read(_ body: HTTPRequestBody) async throws(TransportError) -> [UInt8] {
    let reader = try body.makeReader()
    var whole: [UInt8] = []
    while let chunk = try await reader.next() { whole += chunk }
    return whole
  }

  @Test func `bytes and text can be read any number of times`() async throws {
    let body = HTTPRequestBody.text("héllo")
    #expect(body.length == 6)
    #expect(body.isReplayable)
    for _ in 0..<2 { #expect(try await Self.read(body) == Array("héllo".utf8)) }
    #expect(try await Self.read(.bytes([])) == [])
    #expect(try await Self.read(.none) == [])
  }

  @Test func `a body that reports progress shares the single read`() async throws {
    let once = HTTPRequestBody.stream(Chunks(["a"]))
    let copy = once.reportingProgress { _ in }
    #expect(try await Self.read(copy) == [0x61])
    let error = try await #require(throws: TransportError.self) { try await Self.read(once) }
    #expect(error.kind == .bodyNotReplayable)
  }

  @Test func `trailers must not frame the message`() async throws {
    let good = HTTPRequestBody.stream(Chunks([]), trailers: { ["X-Sum": "1"] })
    #expect(good.hasTrailers)
    #expect(try await good.makeReader().trailerFields() == ["X-Sum": "1"])
    let bad: [HTTPFields] = [["Content-Length": "1"], ["X": "a\r\nb"], ["A B": "c"], ["host": "h"]]
    for fields in bad {
      let reader = try HTTPRequestBody.stream(Chunks([]), trailers: { fields }).makeReader()
      let error = try await #require(throws: TransportError.self) {
        try await reader.trailerFields()
      }
      #expect(error.kind == .bodyProducerFailed)
    }
  }
}
