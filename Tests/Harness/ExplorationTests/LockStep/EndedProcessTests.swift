import Foundation
import SystemProcesses
import Testing

@testable import ExplorationEngine
@testable import LockStepExploration
@testable import example_writer

/// The runs after a subject has ended the process.
@Suite struct EndedProcessTests {
  private struct Run {
    var wasKilled: Bool
    var output: String
    var errors: String
  }

  @Test func `commands that end the process are announced, confirmed, reported and saved`()
    async throws
  {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }

    let first = try await run("trapping", in: folder)
    #expect(first.wasKilled)
    #expect(first.errors == "")

    // The second announces the commands, runs them, and ends as well.
    let second = try await run("trapping", in: folder)
    #expect(second.wasKilled)
    #expect(second.errors.contains("Running the commands during which an earlier process ended"))
    let last = try #require(second.errors.split(separator: "\n").last { $0.contains("ended here") })
    #expect(last.contains("say(8)") || last.contains("say(9)"), "\(second.errors)")
    #expect(second.errors.contains("@Test func"))

    // The third runs nothing and fails with the commands.
    let third = try await run("trapping", in: folder)
    #expect(!third.wasKilled)
    #expect(third.output.contains(last))
    #expect(third.output.contains("0 runs, 0 live calls"), "\(third.output)")
    #expect(third.output.contains("saved as"))

    // From now on the example is announced before it is replayed.
    let fourth = try await run("trapping", in: folder)
    #expect(fourth.wasKilled)
    #expect(fourth.errors.contains("Running the commands of the stored example"))
    #expect(fourth.errors.contains(last))

    // With a fixed subject, the leftover commands run again, then the example, then new runs.
    let fifth = try await run("fixed", in: folder)
    #expect(!fifth.wasKilled)
    #expect(fifth.output.contains("20 runs"), "\(fifth.output)")
    #expect(fifth.output.contains("stored examples replayed first: 1"))
    let sixth = try await run("fixed", in: folder)
    #expect(!sixth.errors.contains("an earlier process ended"))
  }

  @Test
  func `a model that ends the process is announced, confirmed and reported until it is mended`()
    async throws
  {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }

    let first = try await run("trapping-model", in: folder)
    #expect(first.wasKilled)
    #expect(first.errors == "")

    // The model runs again before it is reported: a signal may have ended the first process.
    let second = try await run("trapping-model", in: folder)
    #expect(second.wasKilled)
    #expect(second.errors.contains("The model or the generator runs again from seed "))

    let third = try await run("trapping-model", in: folder)
    #expect(!third.wasKilled)
    #expect(third.output.contains("0 runs, 0 live calls"), "\(third.output)")
    #expect(
      third.output.contains(
        #/the model or the generator ended its process \(seed \d+\); .*: (say\(\d\), )*say\([89]\)/#
      ),
      "\(third.output)")

    // After a report the model runs again, and again before the next report.
    let fourth = try await run("trapping-model", in: folder)
    #expect(fourth.wasKilled)
    let fifth = try await run("trapping-model", in: folder)
    #expect(!fifth.wasKilled)
    let mended = try await run("fixed", in: folder)
    #expect(mended.output.contains("20 runs"), "\(mended.output)")
  }

  @Test func `a process that a signal ends while it draws commands says nothing about the model`()
    async throws
  {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let lockStep = LockStep(
      NumberSpecification(drawn: 0...9), settings: ExplorationSettings(runs: 20)
    ) { { $0 } }.storing(in: ExampleStore(folder))
    let key = try #require(lockStep.crashKey)
    CrashRecord.leave(
      .init(
        plan: .init(origin: .seeds(SeededRuns(lockStep.settings, literals: []))), run: 0,
        commands: 3, isInSpecification: true), key: key)
    for _ in 0..<2 {
      let report = await lockStep.explore()
      #expect(report.isClean, "\(report)")
      #expect(report.runs == 20)
    }
    #expect(CrashRecord.leftovers(key: key).isEmpty)
  }

  @Test func `a run that ends normally leaves no record`() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try await run("fixed", in: folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(names.allSatisfy { $0.hasPrefix("contract-exploration-") && !$0.contains("/") })
  }

  private func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "ended-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private func run(_ mode: String, in folder: URL) async throws -> Run {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "example-writer")
    let run = try await ProgramRun(
      [program.path, folder.appending(path: "Examples").path, mode],
      environment: ["TMPDIR": folder.path])
    return Run(wasKilled: run.status < 0, output: run.output, errors: run.errors)
  }
}
