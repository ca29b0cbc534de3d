import Foundation
import Testing

/// Explorations of an implementation that ends or blocks its process, next to correct ones.
///
/// One after another, because each starts many processes, and shrinking has a time limit.
@Suite(.serialized) struct ExploredCrashTests {
  /// Calls a closure with a folder for examples, and removes the folder.
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("crashes-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private func run(_ name: String, in folder: URL) async throws -> SpecimenRun {
    try await SpecimenRun(
      name,
      environment: ["CONTRACT_SPECIMEN": folder.path, "TMPDIR": folder.path])
  }

  /// The commands of the saved examples, by the folder in which they are.
  private func examples(in folder: URL) throws -> [String: [String]] {
    let root = folder.appendingPathComponent(".examples/TallySpecification", isDirectory: true)
    guard FileManager.default.fileExists(atPath: root.path) else { return [:] }
    var found: [String: [String]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
    where path.hasSuffix(".json") {
      let data = try Data(contentsOf: root.appendingPathComponent(path))
      let example = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
      let name = path.split(separator: "/").dropLast().joined(separator: "/")
      found[name, default: []].append(
        try #require(example["commands"] as? [String]).joined(separator: ", "))
    }
    return found
  }

  /// The number of runs in one folder after the first one. `CONTRACT_SOAK_CRASH_RUNS` sets it.
  private static let rounds = max(
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_CRASH_RUNS"].flatMap(Int.init) ?? 1, 1)

  @Test func `an implementation in its own process is blamed at once, with a minimal example`()
    async throws
  {
    try await withFolder { folder in
      for round in 1...Self.rounds {
        let run = try await run("exploringACrashElsewhere", in: folder)
        let output = Comment(rawValue: "round \(round): \(run.output)")
        #expect(run.status == 1, output)
        #expect(run.output.contains("on trapping: "), output)
        #expect(run.output.contains("too much to add up"), output)
        #expect(!run.output.contains("on sound: ") && !run.output.contains("on steady: "), output)
        #expect(try examples(in: folder) == ["trapping": ["add(3), add(9), total"]], output)
      }
    }
  }

  @Test func `an implementation that ends the test process is blamed by every later run`()
    async throws
  {
    try await withFolder { folder in
      let first = try await run("exploringACrash", in: folder)
      #expect(first.status < 0, "\(first.output)")
      for round in 1...Self.rounds {
        let run = try await run("exploringACrash", in: folder)
        let output = Comment(rawValue: "round \(round): \(run.output)")
        #expect(run.status == 1, output)
        #expect(run.output.contains("on trapping: "), output)
        #expect(run.output.contains("too much to add up"), output)
        #expect(!run.output.contains("on sound: ") && !run.output.contains("on steady: "), output)
        #expect(try examples(in: folder) == ["trapping": ["add(3), add(9), total"]], output)
      }
    }
  }

  // MARK: - The model and the generator

  @Test(arguments: ["Model", "Generator"])
  func `code of the specification that ends the process is named by every later run`(
    part: String
  ) async throws {
    try await withFolder { folder in
      let first = try await run("exploringATrapping\(part)", in: folder)
      #expect(first.status < 0, "\(first.output)")
      for round in 1...Self.rounds + 1 {
        try expectBlame(
          of: part, await run("exploringATrapping\(part)", in: folder), "round \(round)")
      }
    }
  }

  @Test(arguments: ["Model", "Generator"])
  func `code of the specification that ends the process of the subjects is named at once`(
    part: String
  ) async throws {
    try await withFolder { folder in
      for round in 1...Self.rounds {
        try expectBlame(
          of: part, await run("exploringATrapping\(part)Elsewhere", in: folder), "round \(round)")
      }
    }
  }

  @Test func `a model that ends the process at a stored example is named by every later run`()
    async throws
  {
    try await withFolder { folder in
      _ = try await run("exploringACrashElsewhere", in: folder)
      let first = try await run("exploringAModelThatTrapsAtAnExample", in: folder)
      #expect(first.status < 0, "\(first.output)")
      for round in 1...Self.rounds + 1 {
        try expectBlame(
          of: "Model", await run("exploringAModelThatTrapsAtAnExample", in: folder),
          "round \(round)")
      }
    }
  }

  @Test func `given commands at which the model ends the process do not pass`() async throws {
    let run = try await SpecimenRun("pastedTrapOfAModel")
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("the model or the generator ended the process"), "\(run.output)")
    #expect(run.output.contains("too much to add up"), "\(run.output)")
  }

  /// The report must have the commands that end the process, and how to run them again.
  private func expectBlame(of part: String, _ run: SpecimenRun, _ comment: String) throws {
    let output = Comment(rawValue: "\(comment): \(run.output)")
    #expect(run.status == 1, output)
    #expect(run.output.ranges(of: "recorded an issue").count == 1, output)
    let match = try #require(
      run.output.firstMatch(
        of:
          #/the model or the generator ended its process: signal \d+: .*too much to .*; the last of these commands: (.*)/#
      ), output)
    let commands = match.output.1.split(separator: ", ")
    let numbers = commands.map { command in
      command.wholeMatch(of: #/add\((\d)\)/#).flatMap { Int($0.output.1) } ?? 0
    }
    // The last command exceeds the limit, and no earlier one does.
    #expect(numbers.reduce(0, +) > 11 && numbers.dropLast().reduce(0, +) <= 11, output)
    #expect(
      run.output.contains(#/run again: CONTRACT_EXPLORE_SEED=\d+ swift test --filter/#), output)
  }

  // MARK: - Several tasks

  /// What the report of the implementation that traps must have, and those of the others not.
  private func expectBlame(_ run: SpecimenRun, _ comment: String) {
    let output = Comment(rawValue: "\(comment): \(run.output)")
    #expect(run.status == 1, output)
    #expect(run.output.contains("on trapping: the process ended here (signal"), output)
    #expect(run.output.contains("too much to add up"), output)
    #expect(!run.output.contains("on sound: the"), output)
    #expect(!run.output.contains("on steady: the"), output)
    #expect(run.output.ranges(of: "recorded an issue").count == 1, output)
    // The implementation traps when it is asked for a total above 11, so no command can be left
    // out: one total, and numbers of which any one less gives at most 11.
    let tasks = run.output.split(separator: "\n").filter { $0.contains(#/task \d: /#) }
    let numbers = tasks.joined(separator: ",").matches(of: #/add\((\d)\)/#).compactMap {
      Int($0.output.1)
    }
    let sum = numbers.reduce(0, +)
    #expect(sum > 11 && sum - (numbers.min() ?? 0) <= 11, output)
    #expect(tasks.joined(separator: ",").ranges(of: "total").count == 1, output)
  }

  @Test(arguments: ["exploringACrashConcurrently", "exploringACrashInterleaved"])
  func `tasks that end another process are blamed on its implementation, and shrunk`(
    specimen: String
  ) async throws {
    try await withFolder { folder in
      for round in 1...Self.rounds {
        let run = try await run(specimen + "Elsewhere", in: folder)
        expectBlame(run, "round \(round)")
        guard specimen.hasSuffix("Interleaved") else { continue }
        #expect(run.output.contains("The process crashes in step"), "\(run.output)")
        #expect(run.output.contains("replay: try Schedule("), "\(run.output)")
      }
    }
  }

  @Test(arguments: ["exploringACrashConcurrently", "exploringACrashInterleaved"])
  func `tasks that end the test process are blamed by every later run`(
    specimen: String
  ) async throws {
    try await withFolder { folder in
      let first = try await run(specimen, in: folder)
      #expect(first.status < 0, "\(first.output)")
      for round in 1...Self.rounds {
        expectBlame(try await run(specimen, in: folder), "round \(round)")
      }
    }
  }

  @Test func `a lost update in another process is reported like one in this`() async throws {
    try await withFolder { folder in
      let run = try await run("exploringALostUpdateElsewhere", in: folder)
      #expect(run.status == 1, "\(run.output)")
      #expect(run.output.contains("on reentrant: "), "\(run.output)")
      #expect(run.output.contains("Not linearizable"), "\(run.output)")
    }
  }

  // MARK: - Other failures

  @Test func `a blocked process is shrunk like another failure`() async throws {
    try await withFolder { folder in
      let run = try await run("exploringABlockedProcess", in: folder)
      #expect(run.status == 1, "\(run.output)")
      #expect(run.output.contains("timed out after 1.0 seconds"), "\(run.output)")
      #expect(try examples(in: folder) == ["blocking": ["add(3), add(9), total"]], "\(run.output)")
    }
  }

  @Test func `a mismatch in another process is shrunk and shows the subject's response`()
    async throws
  {
    try await withFolder { folder in
      let run = try await run("exploringAMismatchElsewhere", in: folder)
      #expect(run.status == 1, "\(run.output)")
      #expect(run.output.contains(", got 100"), "\(run.output)")
      let found = try #require(try examples(in: folder)["capped"]?.first)
      #expect(found.split(separator: ",").count == 12, "\(found)")
    }
  }

  @Test func `a crash while the fixture is made is reported and not saved`() async throws {
    try await withFolder { folder in
      let run = try await run("exploringABrokenMaker", in: folder)
      #expect(run.status == 1, "\(run.output)")
      #expect(run.output.contains("creating the subject ended the process"), "\(run.output)")
      #expect(run.output.contains("no tally today"), "\(run.output)")
      #expect(try examples(in: folder).isEmpty)
    }
  }

  @Test func `a pasted test of a crash fails without ending the test process`() async throws {
    try await withFolder { folder in
      let run = try await run("pastedCrash", in: folder)
      #expect(run.status == 1, "\(run.output)")
      #expect(run.output.contains("the process ended here"), "\(run.output)")
      #expect(try examples(in: folder).isEmpty)
    }
  }
}
