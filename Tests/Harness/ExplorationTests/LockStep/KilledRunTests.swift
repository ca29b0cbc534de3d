import ExplorationEngine
import Foundation
import LockStepExploration
import SystemLocks
import Testing

@testable import example_writer

/// The stored examples after a run is killed.
///
/// `CONTRACT_SOAK_EXAMPLE_KILLS` sets the number of killed runs, 1,000 in the full campaign.
@Suite struct KilledRunTests {
  private static let kills =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_EXAMPLE_KILLS"].flatMap { Int($0) } ?? 50

  @Test func `killing a run loses no saved example`() async throws {
    var acknowledged = 0
    var halfWritten = 0
    var remaining = Self.kills
    // Doubled while no run of a folder lives long enough to save an example: the machine may be busy.
    var lifetime = Duration.milliseconds(120)
    // A very busy machine takes more kills than that until a run saves one.
    while remaining > 0 || acknowledged == 0 && lifetime < .seconds(60) {
      // A new folder for every ten runs, so that some are killed while they create it.
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "killed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var expected: Set<Int> = []
      for round in 0..<max(1, min(10, remaining)) {
        expected.formUnion(
          try await killedRun(
            in: folder, first: round * 100_000, within: lifetime))
        let stored = try await examples(in: folder)
        #expect(expected.isSubset(of: stored), "lost \(expected.subtracting(stored).sorted())")
        remaining -= 1
      }
      acknowledged += expected.count
      if expected.isEmpty { lifetime = lifetime * 2 }
      let spec = folder.appending(path: "NumberSpecification")
      halfWritten += ((try? FileManager.default.contentsOfDirectory(atPath: spec.path)) ?? [])
        .count { $0.hasPrefix(".") }
    }
    print(
      "\(Self.kills - remaining) kills, \(halfWritten) while writing a file; \(acknowledged) examples saved, "
        + "none lost")
    #expect(acknowledged > 0)
  }

  /// Starts a run, kills it at a random moment, and returns the examples that it reported as saved.
  private func killedRun(
    in folder: URL, first: Int, within lifetime: Duration
  ) async throws -> Set<Int> {
    let output = folder.appending(path: "acknowledged-\(first)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "example-writer")
    process.arguments = [folder.path, "\(first)"]
    // What a killed run says of its commands is in its temporary folder, and is not for other runs.
    let temporary = folder.appending(path: "temporary-\(first)")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let own = ["TMPDIR": temporary.path]
    process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
    process.standardOutput = try FileHandle(forWritingTo: output)
    let end = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.continuation.finish() }
    try process.run()
    try await Task.sleep(for: lifetime * Double.random(in: 0...1))
    kill(process.processIdentifier, SIGKILL)
    for await _ in end.stream {}
    try #require(
      process.terminationReason == .uncaughtSignal, "example-writer exited before the kill")
    let text = try String(contentsOf: output, encoding: .utf8)
    // The last element is empty, or an incomplete line.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return Set(lines.compactMap { Int($0) })
  }

  /// The numbers of the examples that the next run replays.
  private func examples(in folder: URL) async throws -> Set<Int> {
    let said = Mutex<Set<Int>>([])
    let report = await LockStep(
      NumberSpecification(drawn: 0...0), settings: ExplorationSettings(runs: 1, steps: 0)
    ) {
      { number in
        said.withLock { _ = $0.insert(number) }
        return number
      }
    }.storing(in: ExampleStore(folder)).explore()
    #expect(report.isClean, "\(report)")
    return said.withLock { $0 }
  }
}
