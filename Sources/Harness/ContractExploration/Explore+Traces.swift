public import ContractTesting
public import ExplorationEngine
import Foundation
public import Testing

/// Runs commands that cover the model's transitions on an implementation, and records its answers
/// as traces: evidence for the fakes where the implementation is not at hand.
///
/// A file is only written if `CONTRACT_RECORD` is `once`, for a missing file, or `all`. Otherwise
/// the implementation is asked again, and a file to which it no longer answers in the same way is
/// stale. See <doc:RecordingTraces>.
///
/// The model chooses the commands, so few live calls are needed: those of the traces, twice,
/// because an answer that differs between two runs is no evidence. Traces of the file are kept if
/// they still cover something. Nothing is written if a call fails. The new traces are then compared
/// with the model.
///
/// - Parameters:
///   - specification: The model and the generator of commands.
///   - implementation: The implementation to record. Each trace has a separate fixture.
///   - file: The path of the file; a relative one begins at the folder of the test's file.
///   - deviations: The ways in which the implementation is known to deviate from the model.
///   - settings: The limits and seeds of the choice, and the timeout of a trace; environment
///     variables override them.
///   - filePath: The path of the test's file.
///   - sourceLocation: The source location of the call.
/// - Throws: `OutsideTestError` if no test is running; `EnvironmentError` for a variable with an
///   invalid value; ``TraceFileError`` for a file that cannot be read or written;
///   ``OwnProcessError`` for an implementation that is `.inOwnProcess()`.
public func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  recordingTo file: String, deviating deviations: [TraceDeviation<Spec>] = [],
  settings: ExplorationSettings = .init(runs: 1_000, seed: 0, steps: 12),
  filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Command: Codable, Spec.Response: Codable {
  try await explore(
    specification, on: implementation, recordingTo: tracesFile(file, beside: filePath),
    mode: RecordMode(), deviations, settings, sourceLocation)
}

/// Compares the model and implementations with recorded traces.
///
/// With fakes it needs no network and no secrets. An implementation that answers otherwise than
/// recorded fails with the steps that show it. If it is the one that was recorded, the traces are
/// stale.
///
/// - Parameters:
///   - specification: The model. The generator is not used.
///   - file: The path of the file; a relative one begins at the folder of the test's file.
///   - implementations: The fakes, or the recorded implementation to ask it again. Each trace has a
///     separate fixture.
///   - deviations: The ways in which the recorded implementation is known to deviate from the model
///     and the other implementations.
///   - filePath: The path of the test's file.
///   - sourceLocation: The source location of the call.
/// - Throws: `OutsideTestError` if no test is running; ``TraceFileError`` for a file that cannot be
///   read; ``OwnProcessError`` for an implementation that is `.inOwnProcess()`.
public func verifyTraces<Spec: Specification>(
  _ specification: Spec, in file: String, on implementations: Implementation<Spec.Subject>...,
  deviating deviations: [TraceDeviation<Spec>] = [], filePath: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Command: Codable, Spec.Response: Codable {
  try await verify(
    specification, in: tracesFile(file, beside: filePath), on: implementations, deviations,
    sourceLocation)
}

/// An error for an implementation whose traces would need another process.
public struct OwnProcessError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The implementation's id.
  public var implementation: String

  /// Creates an error for the implementation with an id.
  package init(implementation: String) { self.implementation = implementation }

  public var description: String {
    "\(implementation) is .inOwnProcess(), and its answers are not at hand in another process; "
      + "use an implementation without it"
  }
}

private func tracesFile(_ path: String, beside source: String) -> URL {
  URL(filePath: path, relativeTo: URL(filePath: source)).absoluteURL.standardizedFileURL
}

/// Records traces, or verifies them if the mode writes no file.
package func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  recordingTo file: URL, mode: RecordMode, _ deviations: [TraceDeviation<Spec>] = [],
  _ settings: ExplorationSettings, _ sourceLocation: SourceLocation
) async throws where Spec.Command: Codable, Spec.Response: Codable {
  guard mode.writes(file) else {
    return try await verify(
      specification, in: file, on: [implementation], deviations, sourceLocation)
  }
  try await exploring(implementation, "explore", settings) { settings in
    let recorder = TraceRecorder(specification, implementation, file, settings, sourceLocation)
    guard let recording = try await recorder.record() else { return }
    let verification = TraceVerification(specification, recording, of: file, deviations)
    await verification.verifyModel(sourceLocation)
  }
}

private func verify<Spec: Specification>(
  _ specification: Spec, in file: URL, on implementations: [Implementation<Spec.Subject>],
  _ deviations: [TraceDeviation<Spec>], _ sourceLocation: SourceLocation
) async throws where Spec.Command: Codable, Spec.Response: Codable {
  guard Test.current != nil else { throw OutsideTestError(what: "verifyTraces(_:in:on:)") }
  // A process that runs the subjects of an exploration only needs that exploration.
  guard !ExplorationProcess.isAssigned else { return }
  let recording = try TraceFile(reading: file, of: specification)
  let verification = TraceVerification(specification, recording, of: file, deviations)
  await verification.verifyModel(sourceLocation)
  for implementation in implementations {
    try await exploring(implementation, "verifyTraces", .init()) { settings in
      try await verification.verify(implementation, settings, sourceLocation)
    }
  }
}
