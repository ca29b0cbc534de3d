import Testing

@testable import TransportPort

@Suite struct TransportErrorTests {
  /// Source: RFC 9113 §7.
  @Test func `only codes that report a violation are violations`() {
    for code in 0...20 as ClosedRange<UInt32> {
      let isViolation = [1, 3, 4, 5, 6, 9, 12, 13].contains(code)
      #expect(
        TransportError.Kind(streamError: code)
          == (isViolation ? .protocolViolation : .connectionReset))
    }
  }

  @Test func `the description has what is known`() {
    let known = TransportError(.emptyReply, phase: .awaitingHead, method: .get, bytesSent: true)
    #expect(
      known.description
        == "emptyReply while awaitingHead; the request may have been sent, a retry is safe")
    let more = TransportError(
      .other, phase: .sending, bytesSent: false, code: 7, detail: "it failed")
    #expect(more.description == "other while sending: it failed (code 7); nothing was sent")
  }
}
