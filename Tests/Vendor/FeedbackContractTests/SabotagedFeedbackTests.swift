import ContractTesting
import FeedbackContract
import Testing

/// The least correct service passes: the contract raises no false alarms.
@Suite struct SabotagedFeedbackTests {
  @Test(
    arguments: Contract.feedback.cases(
      for: .fake("flawless") { .sabotaged(.none) }
        .deviating(
          from: "late-answer-told-apart", because: "its vendor does not say what it answers")))
  func `a service without a flaw holds`(_ clause: ContractCase<FeedbackFixture>) async throws {
    try await clause.verify()
  }
}

@Suite struct ManualClockTests {
  @Test(.timeLimit(.minutes(1)))
  func `a sleeper wakes at its time, and not before`() async throws {
    let clock = ManualClock()
    let start = clock.now
    let sleeper = Task {
      try await clock.sleep(for: .seconds(2))
      return clock.now
    }
    // Each waits for somebody who sleeps: the second would stand still had the first woken him.
    await clock.advance(by: .seconds(1))
    await clock.advance(by: .seconds(1))
    #expect(start.duration(to: try await sleeper.value) == .seconds(2))
  }

  @Test func `a time that has come is not waited for`() async throws {
    try await ManualClock().sleep(for: .zero)
  }

  @Test func `a cancelled sleeper throws`() async {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(2)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}
