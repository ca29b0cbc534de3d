import Testing

@testable import ContractMutation

@Suite struct SilenceClockTests {
  @Test func `a slice counts if the process is blocked, otherwise only its processor time`() {
    func count(_ used: Double?, _ usedNow: Double?) -> Double {
      SilenceClock.count(
        0.25, from: used.map { .init(used: $0) }, to: usedNow.map { .init(used: $0) })
    }
    #expect(count(1, 1) == 0.25)
    #expect(count(1, 1.125) == 0.125)
    // Several threads together can take more time than passes.
    #expect(count(1, 1.5) == 0.25)
    #expect(count(nil, 1) == 0.25)
    #expect(count(1, nil) == 0.25)
  }

  @Test func `only the wait for a processor does not count where the system reports it`() {
    func count(_ used: Double, _ delayed: Double) -> Double {
      SilenceClock.count(
        0.25, from: .init(used: 1, delayed: 7), to: .init(used: 1 + used, delayed: 7 + delayed))
    }
    #expect(count(0, 0) == 0.25)
    // A loop that sleeps takes hardly any processor time.
    #expect(count(0.0625, 0) == 0.25)
    #expect(count(0.0625, 0.1875) == 0.0625)
    #expect(count(0, 0.25) == 0)
    // One thread ran while two waited.
    #expect(count(0.125, 0.5) == 0.125)
    // A thread that waited has ended.
    #expect(count(0.125, -3) == 0.25)
  }
}
