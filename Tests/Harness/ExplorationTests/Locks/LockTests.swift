import ExplorationEngine
import InterleavingExploration
import SystemFibers
import Testing

/// Programs with locks of every kind.
@Suite(.enabled(if: Fiber.isAvailable)) struct LockTests {
  @Test(arguments: LockedProgram.ofEachKind)
  func `a correct program with locks passes`(_ program: LockedProgram) async {
    let report = await explore(program, isFlawed: false)
    #expect(report.failure == nil, "\(report)")
    #expect(report.schedules > 1, "\(report)")
  }

  @Test(arguments: LockedProgram.ofEachKind)
  func `a mistake in a program with locks is found`(_ program: LockedProgram) async {
    let report = await explore(program, isFlawed: true)
    #expect(report.failure != nil, "\(report)")
  }

  private func explore(_ program: LockedProgram, isFlawed: Bool) async -> InterleavingReport {
    var settings = ExplorationSettings.interleavings(seed: 1)
    settings.runs = 500
    settings.time = .seconds(10)
    return await exploreInterleavings(settings) { program.build(isFlawed, &$0) }
  }
}
