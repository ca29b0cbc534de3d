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
    #expect(!error.bytesSent)
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

  @Test func `only no content is none`() {
    #expect(HTTPRequestBody.none.isNone)
    for body in [.bytes([]), .text(""), .stream(Chunks([]))] as [HTTPRequestBody] {
      #expect(!body.isNone)
    }
    #expect(HTTPRequestBody.none.reportingProgress { _ in }.bytes == [])
  }

  @Test func `empty chunks are left out`() async throws {
    let reader = try HTTPRequestBody.stream(Chunks(["", "a", "", ""])).makeReader()
    #expect(try await reader.next() == [0x61])
    #expect(try await reader.next() == nil)
  }

  struct Failed: Error {}

  /// A producer that throws, even in a cancelled task.
  struct Throwing: AsyncSequence, AsyncIteratorProtocol {
    let error: any Error

    func next() async throws -> [UInt8]? { throw error }
    func makeAsyncIterator() -> Self { self }
  }

  /// Reads a body whose producer throws.
  private static func failure(_ error: any Error, isCancelled: Bool) async -> TransportError? {
    let body = HTTPRequestBody.stream(Throwing(error: error))
    let task = Task {
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      return await #expect(throws: TransportError.self) { try await read(body) }
    }
    return await task.value
  }

  @Test func `only a cancellation error of a cancelled task is a cancellation`() async {
    for (error, isCancelled) in [
      (Failed(), false), (Failed(), true), (CancellationError(), false),
    ] as [(any Error, Bool)] {
      #expect(await Self.failure(error, isCancelled: isCancelled)?.kind == .bodyProducerFailed)
    }
    let cancelled = await Self.failure(CancellationError(), isCancelled: true)
    #expect(cancelled?.kind == .cancelled)
    #expect(cancelled?.phase == .sending)
    #expect(cancelled?.bytesSent == true)
    #expect(cancelled?.detail == "the task was cancelled")
  }

  @Test func `a cancelled task reads what its producer still makes`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await HTTPRequestBody.stream(Chunks(["a"])).makeReader().next()
    }
    #expect(try await task.value == [0x61])
  }
}
