import Testing

@testable import TransportPort

@Suite struct InterruptionTests {
  /// The operation is done before, while or after the wait is noted, as the threads will have it.
  @Test func `an interruption is the reason, even of an operation that ended by it`() async {
    for _ in 0..<1000 {
      let interruption = Interruption()
      let error = await #expect(throws: TransportError.self) {
        try await interruption.run { () throws(TransportError) in
          interruption.interrupt(
            TransportError(.deadlineExceeded, phase: .sending, bytesSent: true))
          throw .cancelledBody
        }
      }
      #expect(error?.kind == .deadlineExceeded)
    }
  }

  @Test func `a wait that begins after the interruption ends by it as well`() async {
    let interruption = Interruption()
    interruption.interrupt(TransportError(.idleTimeout, phase: .sending, bytesSent: true))
    for _ in 0..<1000 {
      let error = await #expect(throws: TransportError.self) {
        try await interruption.run { () throws(TransportError) in () }
      }
      #expect(error?.kind == .idleTimeout)
    }
  }
}
