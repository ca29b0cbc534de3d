import Testing

@testable import TransportPort

@Suite struct InterruptionTests {
  private static func error(_ kind: TransportError.Kind) -> TransportError {
    TransportError(kind, phase: .sending, bytesSent: true)
  }

  @Test func `the first interruption counts, also for later waits`() async {
    let interruption = Interruption()
    interruption.interrupt(Self.error(.shutDown))
    interruption.interrupt(Self.error(.cancelled))
    for _ in 1...2 {
      let error = await #expect(throws: TransportError.self) {
        try await interruption.run { () async throws(TransportError) in 1 }
      }
      #expect(error?.kind == .shutDown)
    }
  }
}
