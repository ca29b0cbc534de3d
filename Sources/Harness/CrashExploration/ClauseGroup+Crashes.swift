public import ContractExploration
public import ContractTesting
import Testing

extension Capability {
  /// Commands that have returned survive the end of the process.
  public static let processCrashSurvival = Capability(
    "process-crash-survival", "commands that have returned survive the end of the process")

  /// Commands that have returned survive a power loss.
  public static let powerLossSurvival = Capability(
    "power-loss-survival", "commands that have returned survive a power loss",
    implying: processCrashSurvival)
}

extension ClauseGroup {
  /// What every implementation promises about crashes that keeps its state in files.
  ///
  /// - After any crash, it opens and has the state after some prefix of the commands.
  /// - If it has ``ContractTesting/Capability/processCrashSurvival``, the end of the process loses
  ///   no command that has returned, and otherwise it loses some.
  /// - If it has ``ContractTesting/Capability/powerLossSurvival``, the same holds of a power loss.
  ///
  /// The commands run in the case's process. Declare an implementation that may trap on torn files
  /// as `.inOwnProcess()`.
  ///
  /// - Parameters:
  ///   - specification: The model, the generator of commands, and the probes.
  ///   - settings: The limits and seeds. The default is a fixed seed, so that a case gives the same
  ///     result each time.
  ///   - reopenable: Returns a way to open a fixture's subject in a folder.
  public static func surviving<Spec: PersistentSpecification>(
    crashes specification: Spec, settings: ExplorationSettings = .init(runs: 4, seed: 1, steps: 12),
    reopening reopenable: @escaping @Sendable (Fixture) async throws -> Reopenable<Spec.Subject>
  ) -> ClauseGroup {
    let crashes = ExploredCrashes(
      specification: specification, settings: settings, reopenable: reopenable)
    return ClauseGroup("Crashes") {
      Clause(
        "crash-consistency",
        "after any crash it opens with the state after a prefix of its commands"
      ) { fixture in
        try await crashes.expectSurvival(of: fixture, surviving: .flush, .posix)
      }
      Clause(
        "process-crash", "the end of the process loses no command that has returned",
        requires: .processCrashSurvival
      ) { fixture in
        try await crashes.expectSurvival(of: fixture, surviving: .processCrash, [.processCrash])
      }
      Clause(
        "power-loss", "a power loss loses no command that has returned",
        requires: .powerLossSurvival
      ) { fixture in
        try await crashes.expectSurvival(of: fixture, surviving: .powerLoss, .posix)
      }
      Absence(
        of: .processCrashSurvival, "the end of the process loses a command that has returned"
      ) { fixture in
        try await crashes.expectLoss(of: fixture, surviving: .processCrash, [.processCrash])
      }
      Absence(of: .powerLossSurvival, "a power loss loses a command that has returned") { fixture in
        try await crashes.expectLoss(of: fixture, surviving: .powerLoss, .posix)
      }
    }
  }

  /// What every implementation promises about crashes that keeps its state in files; see
  /// ``surviving(crashes:settings:reopening:)``.
  public static func surviving<Spec: PersistentSpecification>(
    crashes specification: Spec, settings: ExplorationSettings = .init(runs: 4, seed: 1, steps: 12)
  ) -> ClauseGroup where Fixture == Reopenable<Spec.Subject> {
    surviving(crashes: specification, settings: settings) { $0 }
  }
}

/// Files can't be recorded here, so that a clause about crashes says nothing.
private struct NoRecorderError: UnavailabilityError {
  var unavailabilityReason: String?
}

/// The exploration that the clauses about crashes make.
private struct ExploredCrashes<Fixture, Spec: PersistentSpecification>: Sendable {
  var specification: Spec
  var settings: ExplorationSettings
  var reopenable: @Sendable (Fixture) async throws -> Reopenable<Spec.Subject>

  func expectSurvival(
    of fixture: Fixture, surviving durability: CrashDurability, _ modes: [CrashMode]
  ) async throws {
    let report = try await report(on: fixture, surviving: durability, modes)
    check(report.failure == nil, "\(report)")
  }

  func expectLoss(
    of fixture: Fixture, surviving durability: CrashDurability, _ modes: [CrashMode]
  ) async throws {
    let report = try await report(on: fixture, surviving: durability, modes)
    check(
      report.failure?.finding.kind == .lost,
      "no command that had returned was lost (\(report)): the implementation has the capability")
  }

  private func report(
    on fixture: Fixture, surviving durability: CrashDurability, _ modes: [CrashMode]
  ) async throws -> CrashReport<Spec> {
    if let reason = FileRecorder.unavailability {
      throw NoRecorderError(unavailabilityReason: reason)
    }
    let cancellation = ConcurrentFlag()
    let trial = CrashTrial(
      specification: specification, reopenable: try await reopenable(fixture),
      durability: durability, modes: modes, cancellation: cancellation)
    let (specification, settings) = (specification, settings)
    return try await onWatchdogThread {
      Result {
        try CrashExplorer(
          specification: specification, durability: durability,
          implementation: "<#implementation#>",
          settings: settings, runner: LocalCrashRunner(trial: trial), cancellation: cancellation
        ).explore()
      }
    } onCancel: {
      cancellation.set()
    }.get()
  }
}
