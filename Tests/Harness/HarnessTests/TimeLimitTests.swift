import Foundation
import SystemLocks
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

  @Test func `a caller resumes only after it is recorded that its limit has passed`() async {
    let isRecorded = Mutex(false)
    let resumed = DispatchSemaphore(value: 0)
    let limit = TimeLimit(.milliseconds(1)) {
      // A caller that resumes too early does so meanwhile.
      _ = resumed.wait(timeout: .now() + .milliseconds(50))
      isRecorded.withLock { $0 = true }
    }
    let isEnded = await limit.run { try? await Task.sleep(for: .seconds(3600)) }
    #expect(!isEnded)
    #expect(isRecorded.withLock { $0 })
    resumed.signal()
  }
}
