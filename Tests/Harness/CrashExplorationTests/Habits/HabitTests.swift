import ContractTesting
import Testing

@testable import CrashExploration

/// Forty stores, kept as authors keep their files: half of them survive every crash.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct HabitTests {
  private func report(_ habit: Habit) async throws -> CrashReport<NoteSpecification> {
    try await NoteSpecification.report(
      on: habit.reopenable, settings: .init(runs: 1, seed: 7, steps: 12, shrinkCalls: 0))
  }

  @Test func `there are forty stores, of which half are right`() {
    #expect(Habit.right.count == 20 && Habit.wrong.count == 20)
    #expect(Set((Habit.right + Habit.wrong + Habit.refused).map(\.name)).count == 44)
  }

  @Test(arguments: Habit.right)
  func `a right store raises no alarm`(_ habit: Habit) async throws {
    let report = try await report(habit)
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.points > 20, "\(report)")
  }

  @Test(arguments: Habit.wrong)
  func `a wrong store is found`(_ habit: Habit) async throws {
    #expect(try await report(habit).failure != nil)
  }

  @Test(arguments: Habit.refused)
  func `a store that can't be followed gets no verdict`(_ habit: Habit) async throws {
    let error = try await #require(throws: CrashExplorationError.self) {
      _ = try await report(habit)
    }
    #expect(error.kind == .incompleteRecording || error.kind == .unsupportedCall, "\(error)")
  }
}
