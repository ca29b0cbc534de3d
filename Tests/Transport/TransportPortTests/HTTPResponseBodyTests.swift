import SystemLocks
import Testing
import TransportPort

@Suite struct HTTPResponseBodyTests {
  @Test func `a task that is already cancelled reads nothing and closes the source`() async throws {
    let calls = Mutex((reads: 0, cancels: 0))
    let body = HTTPResponseBody(
      next: { () throws(TransportError) in
        calls.withLock { $0.reads += 1 }
        return .bytes([1])
      },
      cancel: { calls.withLock { $0.cancels += 1 } })
    let reading = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await #expect(throws: TransportError.self) { try await body.collect(upTo: 9) }
    }
    #expect(await reading.value?.kind == .cancelled)
    #expect(calls.withLock { $0 } == (0, 1))
  }

  @Test func `a body of no bytes ends at once`() async throws {
    let body = HTTPResponseBody([], trailers: ["Sum": "0"])
    var iterator = body.makeAsyncIterator()
    #expect(try await iterator.next() == nil)
    #expect(body.trailerFields == ["Sum": "0"])
  }

  @Test func `a body that was cancelled says so`() async throws {
    let body = HTTPResponseBody([1])
    body.cancel()
    let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 9) }
    #expect(error?.description.contains("the body was cancelled before its end") == true)
  }

  @Test func `a second reader is told to leave the body to the first`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let isRead = AsyncStream.makeStream(of: Void.self)
    let body = HTTPResponseBody(
      next: { () throws(TransportError) in
        isRead.continuation.finish()
        for await _ in stream {}
        return .end(trailers: [:])
      }, cancel: {})
    let first = Task { try await body.collect(upTo: 9) }
    for await _ in isRead.stream {}
    let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 9) }
    #expect(error?.kind == .concurrentBodyRead)
    #expect(error?.detail == "another task is reading this body; read it from one task")
    continuation.finish()
    #expect(try await first.value == [])
  }
}
