import SystemLocks
import Testing
import TransportPort

@Suite struct HTTPResponseBodyTests {
  /// A source that counts its calls.
  final class Source: Sendable {
    let parts: Mutex<[HTTPResponseBody.Part]>
    let asks = Mutex(0)
    let cancels = Mutex(0)

    init(_ parts: [HTTPResponseBody.Part]) { self.parts = Mutex(parts) }

    var body: HTTPResponseBody {
      HTTPResponseBody(
        next: { () throws(TransportError) in
          self.asks.withLock { $0 += 1 }
          let part = self.parts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
          guard let part else {
            throw TransportError(.truncatedBody, phase: .receivingBody, bytesSent: true)
          }
          return part
        },
        cancel: { self.cancels.withLock { $0 += 1 } })
    }
  }

  @Test func `chunks are read in order, then the trailers`() async throws {
    let body = Source([.bytes([1]), .bytes([2, 3]), .end(trailers: ["X": "y"])]).body
    var chunks: [[UInt8]] = []
    #expect(body.trailerFields == nil)
    for try await chunk in body { chunks.append(chunk) }
    #expect(chunks == [[1], [2, 3]])
    #expect(body.trailerFields == ["X": "y"])
    var again = body.makeAsyncIterator()
    #expect(try await again.next() == nil)
  }

  @Test func `an error is thrown again by later reads`() async throws {
    let source = Source([.bytes([1])])
    var iterator = source.body.makeAsyncIterator()
    #expect(try await iterator.next() == [1])
    for _ in 0..<2 {
      do throws(TransportError) {
        _ = try await iterator.next()
        Issue.record("nothing was thrown")
      } catch {
        #expect(error.kind == .truncatedBody)
      }
    }
    #expect(source.asks.withLock { $0 } == 2)
  }

  @Test func `collect stops at its limit and closes the source`() async throws {
    let source = Source([.bytes([1, 2]), .bytes([3]), .end(trailers: [:])])
    let body = source.body
    let error = try await #require(throws: TransportError.self) {
      try await body.collect(upTo: 2)
    }
    #expect(error.kind == .responseTooLarge(limit: 2))
    #expect(source.cancels.withLock { $0 } == 1)
    let fitting = Source([.bytes([1, 2]), .bytes([3]), .end(trailers: [:])]).body
    #expect(try await fitting.collect(upTo: 3) == [1, 2, 3])
    #expect(try await HTTPResponseBody([]).collect(upTo: 0) == [])
  }

  @Test func `releasing a body closes its source unless it has ended`() async throws {
    let dropped = Source([.bytes([1])])
    do {
      var iterator = dropped.body.makeAsyncIterator()
      _ = try await iterator.next()
    }
    #expect(dropped.cancels.withLock { $0 } == 1)
    let ended = Source([.end(trailers: [:])])
    _ = try await ended.body.collect(upTo: 0)
    #expect(ended.cancels.withLock { $0 } == 0)
  }

  @Test func `a cancelled body cannot be read`() async throws {
    let source = Source([.bytes([1])])
    let body = source.body
    body.cancel()
    body.cancel()
    let error = try await #require(throws: TransportError.self) {
      try await body.collect(upTo: 9)
    }
    #expect(error.kind == .cancelled)
    #expect(source.cancels.withLock { $0 } == 1)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func `cancelling the body or its reader closes the source of a suspended read`(
    cancelsReader: Bool
  ) async throws {
    let gate = AsyncStream.makeStream(of: Void.self)
    let started = AsyncStream.makeStream(of: Void.self)
    let closes = Mutex(0)
    let body = HTTPResponseBody(
      next: { () async throws(TransportError) in
        started.continuation.finish()
        for await _ in gate.stream {}
        throw TransportError(.cancelled, phase: .receivingBody, bytesSent: true)
      },
      cancel: {
        closes.withLock { $0 += 1 }
        gate.continuation.finish()
      })
    let error = try await withThrowingTaskGroup { group in
      group.addTask {
        try await #require(throws: TransportError.self) { try await body.collect(upTo: 9) }
      }
      for await _ in started.stream {}
      if cancelsReader { group.cancelAll() } else { body.cancel() }
      return try await group.next()
    }
    #expect(error?.kind == .cancelled)
    #expect(closes.withLock { $0 } == 1)
  }

  @Test func `a task that is already cancelled reads nothing and closes the source`() async throws {
    let source = Source([.bytes([1])])
    let body = source.body
    let reading = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await #require(throws: TransportError.self) {
        try await body.collect(upTo: 9)
      }
    }
    #expect(try await reading.value.kind == .cancelled)
    #expect(source.cancels.withLock { $0 } == 1)
    #expect(source.parts.withLock { $0.count } == 1)
  }

  @Test func `a concurrent reader gets an error`() async throws {
    let gate = AsyncStream.makeStream(of: Void.self)
    let started = AsyncStream.makeStream(of: Void.self)
    let body = HTTPResponseBody(
      next: { () async throws(TransportError) in
        started.continuation.finish()
        for await _ in gate.stream {}
        return .end(trailers: [:])
      },
      cancel: {})
    async let first = body.collect(upTo: 1)
    for await _ in started.stream {}
    let error = try await #require(throws: TransportError.self) {
      try await body.collect(upTo: 1)
    }
    #expect(error.kind == .concurrentBodyRead)
    gate.continuation.finish()
    #expect(try await first == [])
  }

  @Test func `progress reports the total`() async throws {
    let counts = Mutex<[Int]>([])
    let body = Source([.bytes([1]), .bytes([2, 3]), .end(trailers: [:])]).body
      .reportingProgress { count in counts.withLock { $0.append(count) } }
    #expect(try await body.collect(upTo: 9) == [1, 2, 3])
    #expect(counts.withLock { $0 } == [1, 3])
  }
}
