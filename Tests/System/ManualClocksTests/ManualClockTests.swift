import ManualClocks
import Testing

@Suite struct ManualClockTests {
  @Test func `a sleeping task resumes at its deadline and not before`() async throws {
    let clock = ManualClock()
    let sleeper = Task {
      try await clock.sleep(for: .milliseconds(1500))
      return clock.now.offset
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(500))
    #expect(try await sleeper.value == .milliseconds(1500))
  }

  @Test func `a sleep until a past instant returns at once`() async throws {
    let clock = ManualClock()
    try await clock.sleep(for: .zero)
    clock.advance(by: .seconds(2))
    try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)), tolerance: nil)
    #expect(clock.now.offset == .seconds(2))
  }

  @Test func `a cancelled sleep throws`() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }
}
