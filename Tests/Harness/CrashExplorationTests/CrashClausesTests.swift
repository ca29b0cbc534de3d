import ContractTesting
import Testing

@testable import CrashExploration

/// The group of clauses about crashes, on stores that survive them in different degrees.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct CrashClausesTests {
  @Test(arguments: Contract.noteCrashes.cases(for: .file, .log, .lazyFile, .lateFile))
  func `clauses hold`(_ clause: ContractCase<Reopenable<any NoteStore>>) async throws {
    try await clause.verify()
  }

  @Test(arguments: Contract.noteCrashes.saboteurCases)
  func `saboteurs are caught`(_ clause: ContractCase<Reopenable<any NoteStore>>) async throws {
    try await clause.verify()
  }
}

extension Contract where Fixture == Reopenable<any NoteStore> {
  static let noteCrashes = Contract("note-crashes", "Notes across crashes") {
    ClauseGroup<Reopenable<any NoteStore>>.surviving(crashes: NoteSpecification())
  } saboteurs: {
    saboteur(
      "in-place", named: "the file is overwritten",
      caughtBy: "crash-consistency", "process-crash", "power-loss")
    saboteur("two-steps", named: "a file for each note", caughtBy: "crash-consistency")
    saboteur("late", .late, caughtBy: "process-crash")
    saboteur("no-folder", .lazy, caughtBy: "power-loss")
    saboteur(
      "foundation", named: "Foundation's atomic write", caughtBy: "crash-consistency", "power-loss")
    saboteur(
      "modest", .replacing, caughtBy: "lacks-process-crash-survival", "lacks-power-loss-survival")
  }

  private static func saboteur(
    _ id: String, _ habit: Habit? = nil, named name: String = "", caughtBy clauses: String...
  ) -> Saboteur<Fixture> {
    Saboteur(id, "saves by another habit", caughtBy: clauses, timeLimit: .seconds(60)) { _ in
      try (habit ?? Habit.named(name)).reopenable
    }
  }
}

extension Implementation where Fixture == Reopenable<any NoteStore> {
  static let log = live("log") { _ in try Habit.named("a log of states with checksums").reopenable }

  static let lazyFile = live("lazy-file") { _ in Habit.lazy.reopenable }
    .lacking(.powerLossSurvival, because: "only a flush synchronizes the folder")

  static let lateFile = live("late-file") { _ in Habit.late.reopenable }
    .lacking(.processCrashSurvival, because: "a change is saved with the next one")
}
