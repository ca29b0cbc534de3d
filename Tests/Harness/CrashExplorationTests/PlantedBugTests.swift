import ContractTesting
import Testing

@testable import CrashExploration

/// Correct stores are clean, and stores with a planted bug are not.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct PlantedBugTests {
  private func report(
    on reopenable: Reopenable<any NoteStore>, surviving durability: CrashDurability = .powerLoss,
    modes: [CrashMode] = .posix, duringRecovery: Bool = false,
    settings: ExplorationSettings = .init(runs: 3, seed: 1, steps: 20)
  ) async throws -> CrashReport<NoteSpecification> {
    try await NoteSpecification.report(
      on: reopenable, surviving: durability, modes: modes, duringRecovery: duringRecovery,
      settings: settings)
  }

  @Test func `a store that saves rightly survives every crash`() async throws {
    let report = try await report(on: .file(.right))
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.points > 100 && report.coverage.pointsLeftOut == 0, "\(report)")
  }

  @Test func `a log with checksums survives every crash`() async throws {
    let report = try await report(on: .log(hasChecksums: true))
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.images > report.coverage.points * 4, "\(report)")
  }

  @Test(
    arguments: [
      (.withoutFolder, .lost, 1), (.withoutSync, .unreadable, 1), (.renameFirst, .unreadable, 1),
      (.inPlace, .unreadable, 1), (.unlinkFirst, .lost, 2), (.late, .lost, 1), (.twice, .mixed, 3),
      (.foundation, .lost, 1), (.exclusive, .stuck, 1),
    ] as [(FileNoteStore.Way, CrashFinding.Kind, Int)])
  func `a planted bug is found and shrunk`(
    way: FileNoteStore.Way, kind: CrashFinding.Kind, length: Int
  ) async throws {
    let report = try await report(on: .file(way))
    let failure = try #require(report.failure, "\(report)")
    #expect(failure.finding.kind == kind, "\(report)")
    #expect(failure.commands.count == length, "\(report)")
    #expect(failure.isShrunkFully, "\(report)")
  }

  @Test func `a log without checksums is torn`() async throws {
    let report = try await report(on: .log(hasChecksums: false))
    let failure = try #require(report.failure)
    #expect(failure.finding.kind == .mixed, "\(report)")
  }

  @Test func `a log that takes zeros for a record fails where sizes are kept, and not on ext4`()
    async throws
  {
    let store = Reopenable<any NoteStore>.log(hasChecksums: false)
    let report = try await report(on: store, modes: [.powerLossKeepingSizes])
    #expect(report.failure?.finding.mode == .powerLossKeepingSizes, "\(report)")
    #expect("\(report)".contains("seen on  ext4 with data=writeback, and XFS"), "\(report)")
    let small = try await self.report(
      on: store, modes: .ext4Ordered.filter { $0 != .powerLossTearingWrite })
    #expect(small.failure == nil, "\(small)")
  }

  @Test func `a log that keeps a torn end loses the records after it`() async throws {
    let report = try await report(on: .log(truncates: false))
    let failure = try #require(report.failure)
    #expect(failure.finding.kind == .stuck, "\(report)")
    #expect(failure.commands.count == 1, "\(report)")
    #expect("\(report)".contains("the reopened subject does not go on"), "\(report)")
  }

  // MARK: - A second crash

  @Test func `a recovery that drops its journal too early loses only by a second crash`()
    async throws
  {
    let once = try await report(on: .file(.hastyRecovery))
    #expect(once.failure == nil, "\(once)")
    let twice = try await report(on: .file(.hastyRecovery), duringRecovery: true)
    let failure = try #require(twice.failure)
    #expect(failure.finding.kind == .unreadable, "\(twice)")
    #expect(failure.commands.count == 1, "\(twice)")
    #expect("\(twice)".contains("after a process crash, and another while it was reopened: "))
    #expect("\(twice)".contains("second crash, while it was reopened, after open of the new file"))
    #expect("\(twice)".contains("duringRecovery: true, commands: ["))
  }

  @Test func `a recovery that can be repeated survives a second crash`() async throws {
    for store in [Reopenable<any NoteStore>.file(.journal), .log()] {
      let report = try await report(on: store, duringRecovery: true)
      #expect(report.failure == nil, "\(report)")
      #expect(report.coverage.pointsOfRecovery > 10, "\(report)")
      #expect("\(report)".contains("\(report.coverage.pointsOfRecovery) while reopening"))
    }
    let without = try await report(on: .file(.right), duringRecovery: true)
    #expect(without.failure == nil && without.coverage.pointsOfRecovery == 0, "\(without)")
  }

  // MARK: - Durability

  @Test(arguments: [FileNoteStore.Way.withoutFolder, .right])
  func `a store that promises less is held to less`(way: FileNoteStore.Way) async throws {
    let report = try await report(on: .file(way), surviving: .processCrash)
    #expect(report.failure == nil, "\(report)")
  }

  @Test func `a flush makes everything before it durable`() async throws {
    let late = try await report(on: .file(.late), surviving: .flush)
    #expect(late.failure == nil, "\(late)")
    let folder = try await report(on: .file(.withoutFolder), surviving: .flush)
    #expect(folder.failure == nil, "\(folder)")
    let without = try await report(on: .file(.foundation), surviving: .flush)
    #expect(without.failure?.finding.kind == .lost, "\(without)")
    #expect(without.failure?.commands.last == .flush, "\(without)")
  }

  // MARK: - Known findings

  @Test func `a known finding does not hide another one, and is counted`() async throws {
    let store = Reopenable<any NoteStore>.file(.withoutFolder)
    let finding = try #require(try await report(on: store).failure?.finding)
    let known = store.deviating(
      in: .powerLoss, found: finding.found, because: "the folder is not synchronized")
    let other = try await report(on: known)
    #expect(other.failure?.finding.mode != .powerLoss, "\(other)")
    #expect("\(other)".contains("crashes deviate: the folder is not synchronized"), "\(other)")
    #expect(other.staleDeviations == [])
    let all = try await report(
      on: store.deviating(found: "all", because: "the folder is not synchronized"))
    #expect(all.failure == nil && all.coverage.deviations.values.allSatisfy { $0 > 10 }, "\(all)")
    #expect(all.coverage.pointsLeftOut == 0)
  }

  @Test func `a known finding that there is not is stale`() async throws {
    let report = try await report(
      on: Reopenable.file(.right).deviating(found: "all", because: "it was wrong"))
    #expect(report.failure == nil && report.staleDeviations == ["it was wrong"], "\(report)")
  }

  // MARK: - Seeds and limits

  @Test func `a seed gives the same exploration again`() async throws {
    let settings = ExplorationSettings(runs: 1, seed: 3, steps: 20)
    let reports = [
      try await report(on: .log(hasChecksums: false), settings: settings),
      try await report(on: .log(hasChecksums: false), settings: settings),
    ]
    #expect(reports[0].coverage == reports[1].coverage)
    let failures = try reports.map { try #require($0.failure) }
    #expect(failures[0].commands == failures[1].commands)
    #expect(failures[0].finding.point.event == failures[1].finding.point.event)
  }

  @Test func `a limit of time says how many points it left out`() async throws {
    let report = try await report(
      on: .file(.inPlace), settings: .init(runs: 5, time: .zero, seed: 1, steps: 20))
    #expect(report.runs == 1 && report.failure == nil)
    #expect(report.coverage.points == 0 && report.coverage.pointsLeftOut > 20)
    #expect(
      "\(report)".contains("the time limit left out \(report.coverage.pointsLeftOut) crash points"))
  }

  @Test func `a mode that is left out is not examined`() async throws {
    let report = try await report(on: .file(.withoutFolder), modes: [.processCrash])
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.images == report.coverage.points)
  }

  // MARK: - No verdict

  private func error(_ way: FileNoteStore.Way) async throws -> CrashExplorationError {
    try await #require(throws: CrashExplorationError.self) {
      _ = try await report(on: .file(way))
    }
  }

  @Test func `calls that can't be seen give an error and no verdict`() async throws {
    let error = try await error(.stdio)
    #expect(error.kind == .incompleteRecording)
    #expect(error.description.contains("notes.json exists and was not recorded"), "\(error)")
  }

  @Test func `a shared mapping gives an error and no verdict`() async throws {
    let error = try await error(.mapping)
    #expect(error.kind == .unsupportedCall)
    #expect(error.description.contains("shared mapping of notes.json"), "\(error)")
  }
}
