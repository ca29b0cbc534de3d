import ContractTesting
import Foundation
import Testing

@testable import CrashExploration

/// LMDB, LevelDB and SQLite keep what their documents promise, and no more.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct ForeignStoreTests {
  /// The number of commands. `CONTRACT_SOAK_STORE_COMMANDS` sets it.
  private static let steps =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_STORE_COMMANDS"].flatMap(Int.init) ?? 4

  private func report(
    surviving durability: CrashDurability = .powerLoss, _ store: Reopenable<any NoteStore>,
    modes: [CrashMode] = .posix
  ) async throws -> CrashReport<NoteSpecification> {
    try await NoteSpecification.report(
      on: store, surviving: durability, modes: modes,
      settings: .init(runs: 1, seed: 3, steps: Self.steps, shrinkCalls: 0))
  }

  // MARK: - LMDB

  private static func lmdb(_ mode: LMDBStore.Mode) -> Reopenable<any NoteStore> {
    Reopenable { folder, scope in
      let store = try LMDBStore(in: folder, mode)
      scope.onTearDown { store.close() }
      return store
    }
    .exempting("lock.mdb", because: "LMDB makes its table of readers again")
    .deviating(found: "MDB_INVALID", because: "LMDB does not create its file in one step")
  }

  @Test(
    .enabled(if: LMDBStore.library != nil, "install it: apt-get install liblmdb0"),
    arguments: [(.durable, .powerLoss), (.withoutMetaSync, .processCrash)]
      as [(LMDBStore.Mode, CrashDurability)])
  func `LMDB keeps its promise`(_ mode: LMDBStore.Mode, _ durability: CrashDurability) async throws
  {
    let report = try await report(surviving: durability, Self.lmdb(mode))
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.exempted.first?.hasPrefix("lock.mdb") == true)
  }

  /// In another process, since LMDB maps the file, and what a crash leaves may end a process that reads it.
  @Test(
    .enabled(if: LMDBStore.library != nil, "install it: apt-get install liblmdb0"),
    arguments: [LMDBStore.Mode.withoutMetaSync, .withoutSync])
  func `LMDB without a sync loses commits in a power loss`(_ mode: LMDBStore.Mode) async throws {
    try await withKnownIssue {
      try await exploreCrashes(
        NoteSpecification(), on: .live("lmdb-\(mode.rawValue)") { _ in Self.lmdb(mode) },
        settings: .init(runs: 1, seed: 3, steps: Self.steps, shrinkCalls: 0))
    } matching: {
      $0.comments.contains { $0.rawValue.contains("after a power loss") }
    }
  }

  // MARK: - LevelDB

  private static func levelDB(synchronizes: Bool) -> Reopenable<any NoteStore> {
    Reopenable { folder, scope in
      let store = try LevelDBStore(in: folder, synchronizes: synchronizes)
      scope.onTearDown { store.close() }
      return store
    }
    .exempting("LOG", "LOG.old", because: "LevelDB's log for people")
  }

  @Test(
    .enabled(if: LevelDBStore.library != nil, "install it: apt-get install libleveldb1d"),
    arguments: [(true, .powerLoss), (false, .processCrash)] as [(Bool, CrashDurability)])
  func `LevelDB keeps its promise`(_ synchronizes: Bool, _ durability: CrashDurability) async throws
  {
    let report = try await report(
      surviving: durability, Self.levelDB(synchronizes: synchronizes), modes: .ext4)
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.exempted.first?.hasPrefix("LOG ") == true)
  }

  /// LevelDB does not synchronize the folder after it renames CURRENT and before it removes what the old one
  /// names, so that it relies on the order of names.
  @Test(.enabled(if: LevelDBStore.library != nil, "install it: apt-get install libleveldb1d"))
  func `LevelDB does not open where names change in any order`() async throws {
    let report = try await report(Self.levelDB(synchronizes: true))
    #expect(report.failure?.finding.mode == .powerLossLosingName, "\(report)")
    #expect("\(report)".contains("CURRENT points to a non-existent file"), "\(report)")
  }

  @Test(.enabled(if: LevelDBStore.library != nil, "install it: apt-get install libleveldb1d"))
  func `LevelDB without sync loses writes in a power loss`() async throws {
    let report = try await report(Self.levelDB(synchronizes: false), modes: .ext4)
    #expect(report.failure?.finding.kind == .lost, "\(report)")
  }

  // MARK: - SQLite

  private static func sqlite(_ journal: String, _ synchronous: String) -> Reopenable<any NoteStore>
  {
    Reopenable { folder, scope in
      let store = try SQLiteNoteStore(in: folder, journal: journal, synchronous: synchronous)
      scope.onTearDown { store.close() }
      return store
    }
  }

  /// Source: <https://www.sqlite.org/pragma.html#pragma_synchronous>.
  @Test(
    .enabled(if: SQLiteNoteStore.library != nil, "install it: apt-get install libsqlite3-0"),
    arguments: [
      ("delete", "extra", .powerLoss), ("wal", "full", .powerLoss),
      ("wal", "normal", .processCrash),
      ("delete", "full", .processCrash),
    ] as [(String, String, CrashDurability)])
  func `SQLite keeps its promise`(
    _ journal: String, _ synchronous: String, _ durability: CrashDurability
  ) async throws {
    let report = try await report(surviving: durability, Self.sqlite(journal, synchronous))
    #expect(report.failure == nil, "\(report)")
  }

  /// A journal that is removed without the folder, or a log that is not synchronized, undoes commits; without
  /// any synchronization the database is corrupt.
  @Test(
    .enabled(if: SQLiteNoteStore.library != nil, "install it: apt-get install libsqlite3-0"),
    arguments: [("delete", "full"), ("wal", "normal"), ("delete", "off")])
  func `SQLite promises less with less synchronization`(
    _ journal: String, _ synchronous: String
  ) async throws {
    let report = try await report(Self.sqlite(journal, synchronous))
    #expect(report.failure != nil, "\(report)")
  }
}
