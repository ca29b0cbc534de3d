import Foundation
import Testing

@testable import ScriptedOrigin

/// Requests, scripts and names that no correct client or test would use.
@Suite struct OriginInputTests {
  @Test(arguments: ["-5", "+5", "", "x", "0x5", "FFFFFFFFFFFFFFFFF"])
  func `an invalid chunk size ends the connection with a reset`(size: String) async throws {
    let origin = try ScriptedOrigin([.readBody, .send("late")])
    let peer = try TestPeer(origin)
    peer.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n")
    #expect(peer.readError() == ECONNRESET)
    try await origin.log.first {
      $0.kind == .malformed("the chunk size '\(size)' is not a hexadecimal number")
    }
  }

  @Test(arguments: [([], nil), ([], 5), (Array("x".utf8), 0), (Array("x".utf8), -3)])
  func `repeating nothing sends nothing`(bytes: [UInt8], count: Int?) throws {
    let origin = try ScriptedOrigin([.sendRepeatedly(bytes, count: count), .send("done")])
    let peer = try TestPeer(origin)
    peer.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    #expect(peer.read(4) == "done")
  }

  @Test(arguments: ["after--5-ms.slow.invalid", "after-x-ms.slow.invalid"])
  func `a name without a delay does not resolve`(name: String) {
    _ = SlowNames.host(resolvingAfter: .zero)
    var result: UnsafeMutablePointer<addrinfo>?
    #expect(getaddrinfo(name, "80", nil, &result) != 0)
  }

  // Its tasks yield fifty thousand times, which takes a minute beside tests that compute.
  @Test(.timeLimit(.minutes(5)))
  func `events and cancellations at the same time don't block each other`() async {
    let log = OriginLog()
    for round in 1...5000 {
      let waiter = Task { try? await log.first { $0.connection == round } }
      for _ in 0..<round % 20 { await Task.yield() }
      DispatchQueue.concurrentPerform(iterations: 2) {
        if $0 == 0 { log.record(.accepted, on: round) } else { waiter.cancel() }
      }
      _ = await waiter.value
    }
    #expect(log.connectionCount == 5000)
  }
}
