import ExplorationEngine
import Foundation
import LockStepExploration
import Testing

@Suite struct ExampleStoreTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "examples-\(UUID().uuidString)")

  private func explore<Spec: SynchronousSpecification>(
    _ spec: Spec, _ bug: DictionaryBug?, runs: Int = 5000
  ) async -> LockStepReport<Spec>
  where Spec.Subject == BuggyDictionary, Spec.Command: Codable {
    await LockStep(spec, settings: ExplorationSettings(runs: runs, seed: 4)) {
      BuggyDictionary(bug)
    }.storing(in: ExampleStore(folder)).explore()
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  /// The same specification under the same name, with a generator that draws in another order.
  private enum Changed {
    struct DictionarySpecification: SynchronousSpecification {
      let base = ExplorationTests.DictionarySpecification()
      var initialState: [Int: Int] { [:] }

      func command(
        from choices: inout Choices, in state: [Int: Int]
      ) -> ExplorationTests.DictionarySpecification.Command {
        let key = choices.integer(in: 100...115)
        return choices.bool() ? .put(key, 1) : .get(key)
      }

      func apply(
        _ command: ExplorationTests.DictionarySpecification.Command,
        to state: inout [Int: Int]
      ) -> ExplorationTests.DictionarySpecification.Response {
        base.apply(command, to: &state)
      }

      func perform(
        _ command: ExplorationTests.DictionarySpecification.Command,
        on subject: BuggyDictionary
      ) throws -> ExplorationTests.DictionarySpecification.Response {
        try base.perform(command, on: subject)
      }
    }
  }

  @Test func `a failure is saved and replayed before any run`() async throws {
    defer { remove() }
    let first = await explore(DictionarySpecification(), .b2)
    let file = try #require(first.savedExample)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("\"put(0, 0)\""))

    let second = await explore(DictionarySpecification(), .b2)
    #expect(second.runs == 0)
    #expect(second.replayedExamples == 1)
    let failure = try #require(second.failure)
    #expect(failure.example.map(file.hasSuffix) == true)
    #expect(failure.commands == first.failure?.commands)
    #expect(failure.failedReplays == 3)

    // When the bug is fixed, the example passes and stays.
    let third = await explore(DictionarySpecification(), nil, runs: 10)
    #expect(third.isClean)
    #expect(third.replayedExamples == 1)
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `an example with stale choices is replayed by its stored commands`() async throws {
    defer { remove() }
    let first = await explore(DictionarySpecification(), .b2)
    let second = await explore(Changed.DictionarySpecification(), .b2, runs: 1)
    #expect(second.failure?.commands == first.failure?.commands)
    #expect(second.staleExamples.isEmpty)
  }

  @Test func `a damaged file is reported and kept, and a temporary one is not read`()
    async throws
  {
    defer { remove() }
    let first = await explore(DictionarySpecification(), .b2)
    let file = URL(filePath: try #require(first.savedExample))
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacing("put(0, 0)", with: "put(0, 1)").write(
      to: file, atomically: true, encoding: .utf8)
    let specFolder = file.deletingLastPathComponent()
    try "{".write(to: specFolder.appending(path: "x.json"), atomically: true, encoding: .utf8)
    try "{".write(to: specFolder.appending(path: ".y.json.tmp"), atomically: true, encoding: .utf8)
    let second = await explore(DictionarySpecification(), nil, runs: 1)
    #expect(second.storeProblems.count == 2, "\(second.storeProblems)")
    #expect(second.storeProblems.contains { $0.contains("do not match its digest") })
    #expect(second.storeProblems.contains { $0.contains("x.json cannot be read") })
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a folder that cannot be written is reported`() async throws {
    defer { remove() }
    try "a file at the folder's path".write(to: folder, atomically: true, encoding: .utf8)
    let report = await explore(DictionarySpecification(), .b2)
    #expect(report.failure != nil)
    #expect(report.storeProblems.contains { $0.contains("cannot be written") })
  }

  @Test func `no temporary file stays in the folder`() async throws {
    defer { remove() }
    for bug in [DictionaryBug.b1, .b2, .twelve] {
      _ = await explore(DictionarySpecification(), bug)
    }
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "DictionarySpecification").path)
    #expect(names.allSatisfy { $0.hasSuffix(".json") && $0.count == 21 })
    #expect(!names.isEmpty)
  }
}
