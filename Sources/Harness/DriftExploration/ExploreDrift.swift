@_exported public import ContractExploration
public import ContractTesting
import Foundation
public import Testing

/// Looks for calls that a fake answers otherwise than a live implementation.
///
///     @Test func behavesLikeTheDisk() async throws {
///       try await exploreDrift(of: .inMemory, from: .disk) {
///         Operation("write", .paths, .bytes) { files, path, bytes in try await files.write(bytes, to: path) }
///         Operation("read", .paths) { files, path in try await files.read(path) }
///         Operation("move", .paths, .paths) { files, from, to in try await files.move(from, to: to) }
///       }
///     }
///
/// Random sequences of calls are made on a new fixture of each side, and the answers are compared. A sequence
/// that shows a difference is shrunk to the fewest calls and the simplest arguments, saved next to the test,
/// and reported with a clause to paste. The exploration then goes on to other differences. Saved sequences
/// are tried first at the next run.
///
/// The calls are made in another process, which runs this test function only. If either side ends that
/// process or does not return, that is a difference like any other, and this process goes on.
///
/// By default the search takes one second for each fake if the reference is a fake too, and five seconds
/// otherwise; shrinking is not included. `CONTRACT_EXPLORE_SECONDS`, `CONTRACT_EXPLORE_RUNS` and
/// `CONTRACT_EXPLORE_SEED` override the settings.
///
/// - Parameters:
///   - fakes: The implementations to compare, each with the reference.
///   - reference: The implementation that is right by definition.
///   - observations: Reads that are compared after the calls.
///   - settings: The limits and the seed. ``ExplorationSettings/runLimit`` is the time limit of a sequence.
///   - filePath: The path of the test's file. Sequences are saved in a folder next to it.
///   - sourceLocation: The source location of the call.
///   - operations: The calls to make.
/// - Throws: `OutsideTestError` if no test is running; `EnvironmentError` for a variable with an invalid
///   value; ``OperationError`` if the operations can't be explored.
public func exploreDrift<Subject>(
  of fakes: Implementation<Subject>..., from reference: Implementation<Subject>,
  observing observations: Observation<Subject>..., settings: ExplorationSettings? = nil,
  filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation,
  @OperationBuilder<Subject> operations: () -> [AnyOperation<Subject>]
) async throws {
  try await findDrift(
    of: fakes, from: reference, observing: observations, settings: settings, filePath: filePath,
    sourceLocation: sourceLocation, operations()
  ) { result in
    if let reason = result.unavailability {
      Issue.record(Comment(rawValue: reason), severity: .warning, sourceLocation: sourceLocation)
      return
    }
    ExplorationProgressLine.say(result.summary)
    for problem in result.problems {
      Issue.record(Comment(rawValue: problem), sourceLocation: sourceLocation)
    }
  }
}

/// What an exploration found out about one fake.
package struct DriftResult: Sendable {
  /// What was done, in one line.
  package var summary: String
  /// The texts of the issues to record.
  package var problems: [String]
  /// The calls of each finding, with their arguments.
  package var findings: [[String]]
  /// Why a side cannot be explored here.
  package var unavailability: String?
  /// The number of calls on each side.
  package var calls: Int
}

/// Explores drift, and reports what it finds to a closure.
package func findDrift<Subject>(
  of fakes: [Implementation<Subject>], from reference: Implementation<Subject>,
  observing observations: [Observation<Subject>] = [], settings: ExplorationSettings? = nil,
  limit: Int = 12, filePath: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ operations: [AnyOperation<Subject>], report: (DriftResult) -> Void
) async throws {
  try OperationError.check(operations)
  for fake in fakes {
    let name = ExplorationProcess.name(
      "exploreDrift", reference.id, on: fake.id, at: sourceLocation)
    let settings = settings ?? .drift(fromFake: reference.kind == .fake)
    try await exploring(reference, "exploreDrift", settings, in: name, isElsewhere: true) { _ in
      try await exploring(fake, "exploreDrift", settings, in: name, isElsewhere: true) { settings in
        let processes = ExplorationProcess.starter(
          for: name, seed: settings.seed, isInMemory: true
        ).map(SubjectProcesses.init)
        defer { processes?.stop() }
        let explorer = DriftExplorer(
          live: reference, fake: fake, operations: operations, observations: observations,
          settings: settings, examples: ExampleStore(besideFile: filePath), limit: limit,
          processes: processes)
        if ExplorationProcess.isAssigned { return await explorer.serve() }
        if try await explorer.suggest(besideFile: filePath) { return }
        let found = await explorer.explore()
        report(
          DriftResult(
            summary: found.summary,
            problems: found.problems(operations, observations, besideFile: filePath),
            findings: found.findings.map { $0.failure.commands.map(\.description) },
            unavailability: found.unavailability, calls: found.calls))
      }
    }
  }
}

extension ExplorationSettings {
  /// The default settings of ``exploreDrift(of:from:observing:settings:filePath:sourceLocation:operations:)``.
  ///
  /// - Parameters:
  ///   - isFromFake: Whether the reference is in memory, so that calls are cheap.
  ///   - time: How long to search; by default one second if the reference is in memory, and five otherwise.
  ///   - seed: The seed of the first sequence.
  public static func drift(
    fromFake isFromFake: Bool = false, time: Duration? = nil,
    seed: UInt64 = .random(in: 0...0xffff_ffff)
  ) -> ExplorationSettings {
    // In long sequences, calls meet in the same values more often, and making fixtures takes less of the time.
    // A real thing may need a tenth of a second for a call.
    var settings = ExplorationSettings(
      runs: .max, time: time ?? .seconds(isFromFake ? 1 : 5), seed: seed, steps: 100,
      runLimit: .seconds(isFromFake ? 5 : 10), replays: 2, shrinkCalls: 4_000,
      shrinkTime: .seconds(10))
    settings.variesSteps = true
    return settings
  }
}

/// A fault of the operations of an exploration.
public enum OperationError: Error, Hashable, CustomStringConvertible {
  /// There are no operations.
  case none
  /// Two operations have the same name.
  case duplicate(String)
  /// An argument is a result of an operation that is not there.
  case unknown(String, in: String)
  /// Every operation needs a result of another, so none can be called first.
  case noFirst

  public var description: String {
    switch self {
    case .none: "there is no operation; declare at least one"
    case .duplicate(let name): "two operations are named '\(name)'; give one of them another name"
    case .unknown(let name, let user):
      "'\(user)' uses results of '\(name)', which is no operation; correct the name"
    case .noFirst: "every operation needs a result of another; add one that can be called first"
    }
  }

  static func check<Subject>(_ operations: [AnyOperation<Subject>]) throws(OperationError) {
    guard !operations.isEmpty else { throw .none }
    var names: Set<String> = []
    for operation in operations where !names.insert(operation.name).inserted {
      throw .duplicate(operation.name)
    }
    for operation in operations {
      for name in operation.references where !names.contains(name) {
        throw .unknown(name, in: operation.name)
      }
    }
    let specification = DriftSpecification(operations, [], live: "", fake: "")
    for seed: UInt64 in 0..<16 {
      var choices = Choices(seed: seed)
      if !specification.command(from: &choices, in: specification.initialState).operation.isEmpty {
        return
      }
    }
    throw .noFirst
  }
}
