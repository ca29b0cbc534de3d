import ContractTesting
import Testing

@testable import CrashExploration

/// What is found of a store with a planted bug, and what counts as none.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct PlantedBugTests {
  private func report(
    on reopenable: Reopenable<any NoteStore>, surviving durability: CrashDurability = .powerLoss,
    modes: [CrashMode] = .posix, duringRecovery: Bool = false,
    settings: ExplorationSettings = .init(runs: 2, seed: 7, steps: 12)
  ) async throws -> CrashReport<NoteSpecification> {
    try await NoteSpecification.report(
      on: reopenable, surviving: durability, modes: modes, duringRecovery: duringRecovery,
      settings: settings)
  }

  private func store(_ name: String) throws -> Reopenable<any NoteStore> {
    try Habit.named(name).reopenable
  }

  @Test(
    arguments: [
      ("a new file without fsync of the folder", .lost, 1),
      ("a new file without fsync", .unreadable, 1), ("the file is overwritten", .unreadable, 1),
      ("the old file is removed first", .lost, 2), ("a file for each note", .mixed, 2),
      ("Foundation's atomic write", .lost, 1), ("a log whose torn end stays", .stuck, 1),
    ] as [(String, CrashFinding.Kind, Int)])
  func `a planted bug is found and shrunk`(
    name: String, kind: CrashFinding.Kind, length: Int
  ) async throws {
    let report = try await report(on: store(name))
    let failure = try #require(report.failure, "\(report)")
    #expect(failure.finding.kind == kind, "\(report)")
    #expect(failure.commands.count == length, "\(report)")
    #expect(failure.isShrunkFully, "\(report)")
  }

  @Test func `a new file that must not exist prevents every change after a crash`() async throws {
    let report = try await report(on: Habit.exclusive.reopenable)
    #expect(report.failure?.finding.kind == .stuck, "\(report)")
    #expect("\(report)".contains("the reopened subject does not go on"), "\(report)")
  }

  @Test func `a log that takes zeros for a record fails only where sizes are kept`() async throws {
    let store = try store("a log without checksums")
    let report = try await report(on: store, modes: [.powerLossKeepingSizes])
    #expect(report.failure?.finding.mode == .powerLossKeepingSizes, "\(report)")
    #expect(
      "\(report)".contains("seen on  ext4, with data=ordered only within the last block, and XFS"),
      "\(report)")
    #expect("\(report)".contains("tried    every combination of damages at this point"))
    let others = try await self.report(
      on: store, modes: .posix.filter { $0 != .powerLossKeepingSizes })
    #expect(others.failure == nil, "\(others)")
  }

  @Test func `two copies are lost when a power loss tears both`() async throws {
    let store = try store("two copies that are synchronized together")
    let report = try await report(on: store)
    #expect(report.failure?.finding.mode == .powerLossTearingWrite, "\(report)")
    #expect("\(report)".contains("tried    every combination of damages"), "\(report)")
    let sizes = try await self.report(on: store, modes: [.powerLossKeepingSizes])
    #expect("\(sizes)".contains("tried    a part of the combinations of damages"), "\(sizes)")
    let others = try await self.report(
      on: store,
      modes: .posix.filter { $0 != .powerLossTearingWrite && $0 != .powerLossKeepingSizes })
    #expect(others.failure == nil, "\(others)")
  }

  // MARK: - A second crash

  @Test func `a recovery that drops its journal too early loses only by a second crash`()
    async throws
  {
    let once = try await report(on: Habit.hasty.reopenable)
    #expect(once.failure == nil, "\(once)")
    let twice = try await report(on: Habit.hasty.reopenable, duringRecovery: true)
    let failure = try #require(twice.failure)
    #expect(failure.finding.kind == .unreadable, "\(twice)")
    #expect(failure.commands.count == 1, "\(twice)")
    #expect("\(twice)".contains("after a process crash, and another while it was reopened: "))
    #expect("\(twice)".contains("second crash, while it was reopened, after "))
    #expect("\(twice)".contains("duringRecovery: true, commands: ["))
  }

  @Test(arguments: ["a journal of what was before", "a log of states with checksums"])
  func `a recovery that can be repeated survives a second crash`(_ name: String) async throws {
    let report = try await report(
      on: store(name), duringRecovery: true, settings: .init(runs: 1, seed: 1, steps: 5))
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.pointsOfRecovery > 10, "\(report)")
    #expect("\(report)".contains("\(report.coverage.pointsOfRecovery) while reopening"))
  }

  @Test func `reopening that changes no file has no second crash`() async throws {
    let report = try await report(on: Habit.replacing.reopenable, duringRecovery: true)
    #expect(report.failure == nil && report.coverage.pointsOfRecovery == 0, "\(report)")
  }

  // MARK: - Durability

  @Test(arguments: [Habit.lazy, .replacing])
  func `a store that promises less is held to less`(_ habit: Habit) async throws {
    let report = try await report(on: habit.reopenable, surviving: .processCrash)
    #expect(report.failure == nil, "\(report)")
  }

  @Test func `a flush makes everything before it durable`() async throws {
    for habit in [Habit.late, .lazy] {
      let report = try await report(on: habit.reopenable, surviving: .flush)
      #expect(report.failure == nil, "\(report)")
    }
    let without = try await report(on: store("Foundation's atomic write"), surviving: .flush)
    #expect(without.failure?.finding.kind == .lost, "\(without)")
    #expect(without.failure?.commands.last == .flush, "\(without)")
  }

  // MARK: - Known findings

  @Test func `a known finding does not hide another one, and is counted`() async throws {
    let store = Habit.lazy.reopenable
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
      on: Habit.replacing.reopenable.deviating(found: "all", because: "it was wrong"))
    #expect(report.failure == nil && report.staleDeviations == ["it was wrong"], "\(report)")
  }

  // MARK: - Seeds and limits

  @Test func `a seed gives the same exploration again`() async throws {
    let settings = ExplorationSettings(runs: 1, seed: 3, steps: 12)
    let store = try store("a log without checksums")
    let reports = [
      try await report(on: store, settings: settings),
      try await report(on: store, settings: settings),
    ]
    #expect(reports[0].coverage == reports[1].coverage)
    let failures = try reports.map { try #require($0.failure) }
    #expect(failures[0].commands == failures[1].commands)
    #expect(failures[0].finding.point.event == failures[1].finding.point.event)
  }

  @Test func `a limit of time says how many points it left out`() async throws {
    let report = try await report(
      on: store("the file is overwritten"),
      settings: .init(runs: 5, time: .zero, seed: 1, steps: 20))
    #expect(report.runs == 1 && report.failure == nil)
    #expect(report.coverage.points == 0 && report.coverage.pointsLeftOut > 20)
    #expect(
      "\(report)".contains("the time limit left out \(report.coverage.pointsLeftOut) crash points"))
  }

  @Test func `a mode that is left out is not examined`() async throws {
    let report = try await report(on: Habit.lazy.reopenable, modes: [.processCrash])
    #expect(report.failure == nil, "\(report)")
    #expect(report.coverage.images == report.coverage.points)
  }
}
