import SystemFibers
import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

/// Explorations where locks, new tasks and sleeps cannot be observed.
@Suite(.enabled(if: !Fiber.isAvailable)) struct UnobservedRuntimeTests {
  @Test func `a lost update of a re-entrant actor is found and replays`() async throws {
    let found = await exploreInterleavings(of: InterleavingTests.race(isFixed: false))
    let failure = try #require(found.failure)
    #expect(failure.kind == .error(type: "Wrong"))
    var settings = ExplorationSettings.interleavings()
    settings.replay = failure.schedule
    settings.runs = 0
    for _ in 0..<100 {
      let again = await exploreInterleavings(
        settings, of: InterleavingTests.race(isFixed: false))
      #expect(again.failure?.schedule == failure.schedule)
    }
  }

  @Test func `no search is exhaustive, and the report says why`() async {
    let report = await exploreInterleavings(of: InterleavingTests.race(isFixed: true))
    #expect(report.failure == nil)
    #expect(!report.isExhaustive)
    #expect(report.description.contains("the search is incomplete"))
    #expect(report.description.contains("random bytes and work for Dispatch could not be observed"))
  }

  @Test(.enabled(if: !Scheduler.coversSleep))
  func `a sleep takes real time, and the message names the alternative`() async {
    await #expect {
      try await withDeterministicTasks { try await Task.sleep(for: .seconds(3600)) }
    } throws: { error in
      "\(error)".contains("inject a VirtualClock instead")
    }
    let report = await exploreInterleavings { program in
      program.task { try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(report.uncontrolled.map(\.kind).contains(.otherThread))
  }
}
