import ContractInterleavings
import ContractTesting
import Foundation
import Testing

/// Explorations of implementations of which one ends or blocks its process.
extension Specimens {
  /// The file next to which a specimen saves its examples: in the folder that the variable names.
  private static var file: String {
    (ProcessInfo.processInfo.environment["CONTRACT_SPECIMEN"] ?? "/nonexistent")
      + "/Test.swift"
  }

  private static let settings = ExplorationSettings(runs: 40, steps: 20)

  /// How many programs are explored: few of implementations that are here to raise no alarm beside the one that traps.
  private static func programs(of implementation: Implementation<any Tally>, most: Int = 20) -> Int
  {
    implementation.id == "trapping" ? most : 3
  }

  private static func settings(for implementation: Implementation<any Tally>) -> ExplorationSettings
  {
    var settings = settings
    settings.runs = programs(of: implementation, most: settings.runs)
    return settings
  }

  @Test(arguments: [Implementation<any Tally>.sound, .trapping, .steady])
  func exploringACrash(_ implementation: Implementation<any Tally>) async throws {
    try await explore(
      .tally, on: implementation, settings: Self.settings, filePath: Self.file)
  }

  @Test(arguments: [Implementation<any Tally>.sound, .trapping, .steady])
  func exploringACrashElsewhere(_ implementation: Implementation<any Tally>) async throws {
    try await explore(
      .tally, on: implementation.inOwnProcess(), settings: Self.settings, filePath: Self.file)
  }

  @Test(arguments: [Implementation<any Tally>.sound, .trapping, .steady])
  func exploringACrashConcurrently(_ implementation: Implementation<any Tally>) async throws {
    try await exploreConcurrently(
      .tally, on: implementation,
      settings: Self.settings(for: implementation))
  }

  @Test(arguments: [Implementation<any Tally>.sound, .trapping, .steady])
  func exploringACrashConcurrentlyElsewhere(
    _ implementation: Implementation<any Tally>
  ) async throws {
    try await exploreConcurrently(
      .tally, on: implementation.inOwnProcess(),
      settings: Self.settings(for: implementation))
  }

  @Test(arguments: [Implementation<any Tally>.sound, .trapping, .steady])
  func exploringACrashInterleaved(_ implementation: Implementation<any Tally>) async throws {
    try await exploreInterleavings(
      .tally, on: implementation, commands: 3, programs: Self.programs(of: implementation))
  }

  @Test(arguments: [Implementation<any Tally>.sound, .trapping, .steady])
  func exploringACrashInterleavedElsewhere(
    _ implementation: Implementation<any Tally>
  ) async throws {
    try await exploreInterleavings(
      .tally, on: implementation.inOwnProcess(), commands: 3,
      programs: Self.programs(of: implementation))
  }

  @Test func exploringALostUpdateElsewhere() async throws {
    try await exploreInterleavings(.tally, on: .reentrant.inOwnProcess(), programs: 5)
  }

  @Test func exploringABlockedProcess() async throws {
    var settings = Self.settings
    settings.runLimit = .seconds(1)
    try await explore(
      .tally, on: .blocking.inOwnProcess(), settings: settings, filePath: Self.file)
  }

  @Test func exploringABrokenMaker() async throws {
    try await explore(
      .tally,
      on: .fake("unmade") { () async throws -> any Tally in fatalError("no tally today") }
        .inOwnProcess(), settings: Self.settings, filePath: Self.file)
  }

  @Test func exploringAMismatchElsewhere() async throws {
    try await explore(
      .tally, on: .capped.inOwnProcess(),
      settings: ExplorationSettings(runs: 200, seed: 3_009_186_609), filePath: Self.file)
  }

  @Test func exploringATrappingModel() async throws {
    try await explore(
      TallySpecification(modelLimit: 11), on: .sound, settings: Self.settings, filePath: Self.file)
  }

  @Test func exploringATrappingModelElsewhere() async throws {
    try await explore(
      TallySpecification(modelLimit: 11), on: .sound.inOwnProcess(), settings: Self.settings,
      filePath: Self.file)
  }

  @Test func exploringATrappingGenerator() async throws {
    try await explore(
      TallySpecification(generatorLimit: 11), on: .sound, settings: Self.settings,
      filePath: Self.file)
  }

  @Test func exploringATrappingGeneratorElsewhere() async throws {
    try await explore(
      TallySpecification(generatorLimit: 11), on: .sound.inOwnProcess(), settings: Self.settings,
      filePath: Self.file)
  }

  /// The model traps at what an example has stored.
  @Test func exploringAModelThatTrapsAtAnExample() async throws {
    try await explore(
      TallySpecification(modelLimit: 11), on: .trapping.inOwnProcess(),
      settings: ExplorationSettings(runs: 1, steps: 0), filePath: Self.file)
  }

  @Test func pastedTrapOfAModel() async throws {
    try await explore(
      TallySpecification(modelLimit: 11), on: .sound.inOwnProcess(),
      commands: [.add(3), .add(9), .total])
  }

  @Test func pastedCrash() async throws {
    try await explore(
      .tally, on: .trapping.inOwnProcess(), commands: [.add(3), .add(9), .total])
  }
}

extension Implementation<any Tally> {
  static let steady: Self = fake("steady") { ActorTally() }
  static let trapping: Self = fake("trapping") {
    FailingTally { preconditionFailure("too much to add up") }
  }
  static let blocking: Self = fake("blocking") {
    FailingTally { DispatchSemaphore(value: 0).wait() }
  }
}

/// Fails when it is asked for a total above 11.
actor FailingTally: Tally {
  private var sum = 0
  private let fail: @Sendable () -> Void

  init(_ fail: @escaping @Sendable () -> Void) { self.fail = fail }

  func add(_ number: Int) -> Int {
    sum += number
    return sum
  }

  func total() -> Int {
    if sum > 11 { fail() }
    return sum
  }
}
