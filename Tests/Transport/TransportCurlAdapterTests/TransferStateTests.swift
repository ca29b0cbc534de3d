import Testing

@testable import TransportCurlAdapter

@Suite struct TransferStateTests {
  @Test func `a transfer may skip stages, but never goes back`() {
    var state = TransferState()
    #expect(!state.mayAdvance(to: .posted))
    #expect(state.mayAdvance(to: .arrived))
    #expect(state.mayAdvance(to: .ended))
    state.advance(to: .arrived)
    #expect(!state.mayAdvance(to: .posted))
    #expect(!state.mayAdvance(to: .arrived))
    state.advance(to: .ended)
    for stage in [TransferState.Stage.posted, .arrived, .ended] {
      #expect(!state.mayAdvance(to: stage))
    }
  }
}
