import Testing
import TransportPort

@testable import TransportCurlAdapter

/// Which responses count as complete, also with versions of libcurl that are not at hand.
@Suite struct CurlHandleIncomingTests {
  private func response(
    _ framing: HTTPBodyFraming?, received: Int = 0,
    _ change: (inout CurlHandle.Incoming) -> Void = { _ in }
  ) -> CurlHandle.Incoming {
    var response = CurlHandle.Incoming()
    response.framing = framing
    response.received = received
    change(&response)
    return response
  }

  /// A chunked response of which these bytes were received.
  private func chunked(_ text: String) throws -> CurlHandle.Incoming {
    var validator = try ChunkedBodyValidator(limits: HTTPHeadLimits())
    try validator.consume(Array(text.utf8))
    return response(.chunked) { $0.chunkValidator = validator }
  }

  /// Expects words in the reason why a response may be incomplete; none if it is complete.
  private func expect(
    _ word: String, _ response: CurlHandle.Incoming, isStreamComplete: Bool = false,
    isRepeated: Bool = false, isSecure: Bool = false,
    library: CurlLibrary = CurlLibrary(version: 0x07_58_01),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let reason = response.incompleteness(
      isStreamComplete: isStreamComplete, isRepeated: isRepeated, isSecure: isSecure,
      library: library)
    #expect(
      word.isEmpty ? reason == nil : reason?.contains(word) == true, "\(reason ?? "complete")",
      sourceLocation: sourceLocation)
  }

  @Test func `content ends with its length or its last chunk`() throws {
    expect("", response(.some(.none)))
    expect("", response(.length(3), received: 3))
    expect("2 content bytes were received instead of 3", response(.length(3), received: 2))
    expect("4 content bytes were received instead of 3", response(.length(3), received: 4))
    expect("", try chunked("1\r\na\r\n0\r\n\r\n"))
    expect("last chunk", try chunked("1\r\na\r\n"))
    #expect(response(.some(.none)).hasWholeContent)
    #expect(response(.length(3), received: 3).hasWholeContent)
    #expect(!response(.length(3), received: 2).hasWholeContent)
    #expect(try chunked("0\r\n\r\n").hasWholeContent)
    #expect(try !chunked("0\r\n").hasWholeContent)
    for framing in [.untilClose, nil] as [HTTPBodyFraming?] {
      #expect(!response(framing, received: 3).hasWholeContent)
    }
  }

  @Test func `content that libcurl discards is incomplete`() {
    expect("discards", response(.length(3)), isRepeated: true)
    expect("1 content bytes", response(.length(3), received: 1), isRepeated: true)
    expect("0 content bytes", response(.length(3)))
    expect("", response(.length(0)), isRepeated: true)
  }

  @Test func `a length before another coding is obeyed by libcurl after 8.5`() {
    let response = response(.untilClose) { $0.isLengthFirst = true }
    for version: UInt32 in [0x07_58_01, 0x08_05_00] {
      expect("", response, library: CurlLibrary(version: version))
    }
    expect("Content-Length precedes", response, library: CurlLibrary(version: 0x08_0E_01))
    expect("", self.response(.untilClose), library: CurlLibrary(version: 0x08_0E_01))
  }

  @Test func `a stream ends with END_STREAM`() {
    let stream = response(.untilClose) { $0.isMultiplexed = true }
    for isSecure in [true, false] {
      expect("", stream, isStreamComplete: true, isSecure: isSecure)
      expect("END_STREAM", stream, isSecure: isSecure)
    }
    expect("", response(.length(0)) { $0.isMultiplexed = true })
  }

  @Test func `a connection over TLS ends with close_notify`() {
    for (notified, word) in [(true, ""), (false, "without close_notify"), (nil, "does not report")]
      as [(Bool?, String)]
    {
      let response = response(.untilClose) { $0.hasReceivedCloseNotify = notified }
      expect(word, response, isSecure: true)
      expect("", response)
      expect("", self.response(.length(0)) { $0.hasReceivedCloseNotify = notified }, isSecure: true)
    }
  }
}
