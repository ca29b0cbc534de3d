import Testing

@testable import ContractMutation

@Suite struct SilenceClockTests {
  @Test func `a slice counts if the process is blocked, otherwise only its processor time`() {
    #expect(SilenceClock.count(0.25, used: 1, 1) == 0.25)
    #expect(SilenceClock.count(0.25, used: 1, 1.125) == 0.125)
    // Several threads together can take more time than passes.
    #expect(SilenceClock.count(0.25, used: 1, 1.5) == 0.25)
    #expect(SilenceClock.count(0.25, used: nil, 1) == 0.25)
    #expect(SilenceClock.count(0.25, used: 1, nil) == 0.25)
  }
}
