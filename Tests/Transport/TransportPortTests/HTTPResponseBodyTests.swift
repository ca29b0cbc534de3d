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
}
