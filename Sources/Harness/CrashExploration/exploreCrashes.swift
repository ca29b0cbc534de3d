public import ContractExploration
public import ContractTesting
import Foundation
public import Testing

/// Runs random commands on an implementation, and reopens it on the files that a crash leaves, at
/// every point and in every ``CrashMode``.
///
/// The commands run once, and every call that changes or synchronizes a file is recorded. A crash
/// is examined after each of these calls and after the return of each command. No process is
/// killed: the files are computed from the recording, which is first checked to lead to the files
/// that the subject left, byte for byte. A reopened subject is read, and must then go on with the
/// next commands. Points are never sampled. If a time limit ends the exploration, the number of
/// points that were left out is printed.
///
/// A finding is shrunk, and recorded as an issue with a test to paste. The subject runs in another
/// process, which runs this test function only, so a trap while it opens torn files is a finding as
/// well. Where files can't be recorded, the exploration is unavailable, and a warning says why.
///
/// The environment variables `CONTRACT_EXPLORE_RUNS`, `CONTRACT_EXPLORE_SECONDS`,
/// `CONTRACT_EXPLORE_SEED` and `CONTRACT_EXPLORE_SHARD` override the settings.
///
/// - Parameters:
///   - specification: The model, the generator of commands, and the probes.
///   - implementation: The implementation to explore.
///   - durability: What the implementation promises.
///   - modes: The modes to examine: all of them, `.posix`, or those of one file system, such as
///     `.ext4`.
///   - duringRecovery: Whether a second crash is examined too, at every point at which reopening changes
///     or synchronizes files. It takes as many times longer as reopening makes such calls.
///   - settings: The limits and seeds. Each run records other commands. The `runLimit` is that of a
///     recording, and of reopening and reading the subject once.
///   - sourceLocation: The source location of the call.
/// - Throws: ``CrashExplorationError`` if there is no verdict; `OutsideTestError` if no test is
///   running; `EnvironmentError` for a variable with an invalid value.
public func exploreCrashes<Spec: PersistentSpecification>(
  _ specification: Spec, on implementation: Implementation<Reopenable<Spec.Subject>>,
  surviving durability: CrashDurability = .powerLoss, modes: [CrashMode] = .posix,
  duringRecovery: Bool = false, settings: ExplorationSettings = .init(runs: 1, steps: 30),
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try await exploreCrashes(
    specification, on: implementation, durability, modes, duringRecovery, settings, sourceLocation
  ) { try $0.explore() }
}

/// Runs given commands on an implementation, and examines every crash.
///
/// The test that ``exploreCrashes(_:on:surviving:modes:duringRecovery:settings:sourceLocation:)`` prints for a
/// finding makes this call. It names the implementation by its id in camel case.
///
/// - Parameters:
///   - specification: The model and the probes.
///   - implementation: The implementation to explore.
///   - durability: What the implementation promises.
///   - duringRecovery: Whether a second crash is examined too.
///   - commands: The commands, in order.
///   - sourceLocation: The source location of the call.
/// - Throws: ``CrashExplorationError`` if there is no verdict; `OutsideTestError` if no test is
///   running.
public func exploreCrashes<Spec: PersistentSpecification>(
  _ specification: Spec, on implementation: Implementation<Reopenable<Spec.Subject>>,
  surviving durability: CrashDurability = .powerLoss, duringRecovery: Bool = false,
  commands: [Spec.Command],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try await exploreCrashes(
    specification, on: implementation, durability, .posix, duringRecovery, .init(),
    sourceLocation, given: commands
  ) { try $0.explore(commands) }
}

private func exploreCrashes<Spec: PersistentSpecification>(
  _ specification: Spec, on implementation: Implementation<Reopenable<Spec.Subject>>,
  _ durability: CrashDurability, _ modes: [CrashMode], _ duringRecovery: Bool,
  _ settings: ExplorationSettings, _ sourceLocation: SourceLocation,
  given commands: [Spec.Command] = [],
  _ explore: @escaping @Sendable (CrashExplorer<Spec>) throws -> CrashReport<Spec>
) async throws {
  let name = ExplorationProcess.name(
    "exploreCrashes \(durability)\(duringRecovery ? " twice" : "")", specification.source,
    on: implementation.id,
    at: sourceLocation)
  try await exploring(implementation, "exploreCrashes", settings, in: name) { settings in
    if ExplorationProcess.isAssigned {
      try await serveCrashes(
        specification, on: implementation, durability, modes, duringRecovery, commands)
      return
    }
    if let reason = FileRecorder.unavailability {
      Issue.record(
        "the crashes of \(implementation.id) are not explored: \(reason)", severity: .warning,
        sourceLocation: sourceLocation)
      return
    }
    guard let start = ExplorationProcess.starter(for: name, seed: settings.seed) else { return }
    let source = "." + implementation.swiftName
    let cancellation = ConcurrentFlag()
    let report = try await onWatchdogThread {
      Result {
        try explore(
          CrashExplorer(
            specification: specification, durability: durability, implementation: source,
            settings: settings,
            runner: RemoteCrashRunner<Spec>(
              start, limit: settings.runLimit, cancellation: cancellation),
            cancellation: cancellation))
      }
    } onCancel: {
      cancellation.set()
    }.get()
    ExplorationProgressLine.say(
      "explored crashes of \(implementation.id), surviving \(durability): \(report.summary)")
    if report.failure != nil {
      Issue.record("on \(implementation.id): \(report)", sourceLocation: sourceLocation)
    }
    for reason in report.staleDeviations {
      Issue.record(
        "\(implementation.id) no longer deviates (\(reason)): remove its deviating(after:in:found:because:)",
        sourceLocation: sourceLocation)
    }
  }
}

/// Runs trials for the process that explores.
private func serveCrashes<Spec: PersistentSpecification>(
  _ specification: Spec, on implementation: Implementation<Reopenable<Spec.Subject>>,
  _ durability: CrashDurability, _ modes: [CrashMode], _ duringRecovery: Bool,
  _ commands: [Spec.Command]
) async throws {
  let scope = FixtureScope()
  let trial = CrashTrial(
    specification: specification, reopenable: try await implementation.fixture(in: scope),
    durability: durability, modes: modes, duringRecovery: duringRecovery)
  await onWatchdogThread {
    trial.serve(LineConnection(STDIN_FILENO), given: commands)
  } onCancel: {
  }
  _ = await scope.tearDown()
}
