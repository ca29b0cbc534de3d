import Testing

@testable import ContractTesting

@Suite struct TimeLimitTests {
  @Test func `a limit that passes before its task is known leaves no alarm behind`() {
    let watchdog = Watchdog()
    let race = Race(watchdog)
    let limit = watchdog.set(after: .seconds(3600), countingLatency: true) {}
    // The limit's alarm goes off, and sets the next one, while the caller is preempted.
    watchdog.cancel(limit)
    race.add(watchdog.set(after: .seconds(3600), countingLatency: true) {})
    race.setTask(Task {}, alarm: limit)
    race.close()
    #expect(watchdog.alarmCount == 0, "the caller has resumed, so no thread is blocked")
    race.add(watchdog.set(after: .seconds(3600), countingLatency: true) {})
    #expect(watchdog.alarmCount == 0, "an alarm that is set later is cancelled at once")
  }
}
