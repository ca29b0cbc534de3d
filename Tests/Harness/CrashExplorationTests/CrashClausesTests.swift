import ContractTesting
import Testing

@testable import CrashExploration

/// The group of clauses about crashes, on stores that survive them in different degrees.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct CrashClausesTests {
  @Test(arguments: Contract.noteCrashes.cases(for: .rightFile, .log, .folderlessFile, .lateFile))
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
    saboteur("rename-first", .renameFirst, caughtBy: "crash-consistency", "power-loss")
    saboteur("in-place", .inPlace, caughtBy: "crash-consistency", "process-crash", "power-loss")
    saboteur("two-steps", .twice, caughtBy: "crash-consistency")
    saboteur("late", .late, caughtBy: "process-crash")
    saboteur("no-folder", .withoutFolder, caughtBy: "power-loss")
    saboteur("foundation", .foundation, caughtBy: "crash-consistency", "power-loss")
    saboteur(
      "modest", .right, caughtBy: "lacks-process-crash-survival", "lacks-power-loss-survival")
  }

  private static func saboteur(
    _ id: String, _ way: FileNoteStore.Way, caughtBy clauses: String...
  ) -> Saboteur<Fixture> {
    Saboteur(id, "saves as \(way)", caughtBy: clauses, timeLimit: .seconds(60)) { _ in .file(way) }
  }
}

extension Implementation where Fixture == Reopenable<any NoteStore> {
  static let log = live("log") { _ in .log(hasChecksums: true) }

  static let folderlessFile = live("folderless-file") { _ in .file(.withoutFolder) }
    .lacking(.powerLossSurvival, because: "only a flush synchronizes the folder")

  static let lateFile = live("late-file") { _ in .file(.late) }
    .lacking(.processCrashSurvival, because: "a change is saved with the next one")
}
