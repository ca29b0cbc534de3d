import SystemLocks
import Testing
import TransportPort

@Suite struct HTTPRequestBodyTests {
  private static func read(
    _ body: HTTPRequestBody, length: Int? = nil
  ) async throws(TransportError) -> [UInt8] {
    let reader = try body.makeReader(length: length)
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

  @Test func `a stream returns its chunks in order and skips empty ones`() async throws {
    let reader = try HTTPRequestBody.stream(Chunks(["a", "", "bc"])).makeReader()
    #expect(try await reader.next() == Array("a".utf8))
    #expect(try await reader.next() == Array("bc".utf8))
    #expect(try await reader.next() == nil)
    #expect(try await reader.next() == nil)
  }

  @Test func `a stream can be read once, a replayable one repeatedly`() async throws {
    let once = HTTPRequestBody.stream(Chunks(["a"]))
    #expect(try await Self.read(once) == [0x61])
    let error = try await #require(throws: TransportError.self) { try await Self.read(once) }
    #expect(error.kind == .bodyNotReplayable)
    let replayable = HTTPRequestBody.stream(Chunks(["a"]), isReplayable: true)
    for _ in 0..<2 { #expect(try await Self.read(replayable) == [0x61]) }
  }

  @Test func `a body that reports progress shares the single read`() async throws {
    let once = HTTPRequestBody.stream(Chunks(["a"]))
    let copy = once.reportingProgress { _ in }
    #expect(try await Self.read(copy) == [0x61])
    let error = try await #require(throws: TransportError.self) { try await Self.read(once) }
    #expect(error.kind == .bodyNotReplayable)
  }

  @Test(arguments: [(2, false), (3, true), (4, false), (0, false)])
  func `a producer must match the declared length`(length: Int, isRight: Bool) async throws {
    let body = HTTPRequestBody.stream(Chunks(["a", "bc"]), length: length, isReplayable: true)
    if isRight {
      #expect(try await Self.read(body).count == 3)
    } else {
      let error = try await #require(throws: TransportError.self) { try await Self.read(body) }
      #expect(error.kind == .bodyLengthMismatch)
      #expect(!error.isRetrySafe)
    }
    let unbound = HTTPRequestBody.stream(Chunks(["a", "bc"]), isReplayable: true)
    let error = try await #require(throws: TransportError.self) {
      try await Self.read(unbound, length: 1)
    }
    #expect(error.kind == .bodyLengthMismatch)
  }

  @Test func `the error keeps that of the producer`() async throws {
    let body = HTTPRequestBody.stream(Chunks(["a"], fails: true))
    let error = try await #require(throws: TransportError.self) { try await Self.read(body) }
    #expect(error.kind == .bodyProducerFailed)
    #expect(error.underlying is Chunks.Failed)
  }

  @Test func `a stream that ends because its task is cancelled is not complete`() async throws {
    let (chunks, source) = AsyncStream<[UInt8]>.makeStream()
    let reader = try HTTPRequestBody.stream(chunks).makeReader()
    let task = Task { await #expect(throws: TransportError.self) { try await reader.next() } }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    source.finish()
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

  @Test func `progress reaches the length, also for bytes in memory`() async throws {
    let counts = Mutex<[Int]>([])
    let body = HTTPRequestBody.bytes(Array(repeating: 1, count: 200_000))
      .reportingProgress { count in counts.withLock { $0.append(count) } }
    #expect(body.length == 200_000)
    #expect(try await Self.read(body).count == 200_000)
    let seen = counts.withLock { $0 }
    #expect(seen == seen.sorted())
    #expect(seen.count == 4)
    #expect(seen.last == 200_000)
  }
}
