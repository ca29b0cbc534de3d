import Foundation
import Testing

/// Tests of `contracts new` as a command: its output, its exit codes and what it leaves behind.
@Suite struct NewTests {
  private static let sample = [
    "Package.swift": "// swift-tools-version: 6.3\n",
    "Sources/App/Clock.swift": "protocol Clock: Sendable { func now() throws -> Int }\n",
  ]

  private static func files(in folder: ToolFolder) -> [String] {
    (FileManager.default.subpaths(atPath: folder.url.path) ?? [])
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  @Test
  func `it writes the files, and prints them, what it could not guess and the manifest's lines`()
    async throws
  {
    let folder = try ToolFolder(files: Self.sample)
    defer { folder.remove() }
    let run = try await ToolRun(
      ["new", "Clock", "--protocol", "Sources/App/Clock.swift"], in: folder)
    #expect(run.status == 0, "\(run.errors)")
    let paths = [
      "Sources/App/InMemoryClock.swift", "Tests/AppTests/ClockContract.swift",
      "Tests/AppTests/ClockContractTests.swift",
    ]
    #expect(run.output.hasPrefix("wrote:\n" + paths.map { "  \($0)\n" }.joined()))
    for path in paths { #expect(Self.files(in: folder).contains(path)) }
    #expect(run.output.contains("could not guess:\n  which type is the real thing"))
    #expect(run.output.contains(".product(name: \"DriftExploration\""))
  }

  @Test func `a file that exists is named, and nothing is written`() async throws {
    for existing in ["Sources/App/InMemoryClock.swift", "Tests/AppTests/ClockContractTests.swift"] {
      let folder = try ToolFolder(files: Self.sample.merging([existing: "// mine\n"]) { $1 })
      defer { folder.remove() }
      let before = Self.files(in: folder)
      let run = try await ToolRun(["new", "Clock"], in: folder)
      #expect(run.status == 73)
      #expect(run.errors.contains("\(existing) exists, and nothing is overwritten"))
      #expect(Self.files(in: folder) == before)
      let text = try String(
        contentsOf: folder.url.appendingPathComponent(existing), encoding: .utf8)
      #expect(text == "// mine\n")
    }
  }

  @Test func `if the last files can't be written, the first ones are removed`() async throws {
    let folder = try ToolFolder(files: Self.sample.merging(["Tests": "a file, no folder"]) { $1 })
    defer { folder.remove() }
    let before = Self.files(in: folder)
    let run = try await ToolRun(["new", "Clock"], in: folder)
    #expect(run.status == 73)
    #expect(run.errors.contains("can't create"))
    #expect(Self.files(in: folder) == before)
  }

  @Test func `mistakes exit with 64 for arguments and 65 for sources`() async throws {
    func run(_ arguments: String...) async throws -> ToolRun {
      try await ToolRun(["new"] + arguments, files: Self.sample)
    }
    #expect(try await run().errors.contains("needs the name of a protocol"))
    #expect(try await run("A", "B").errors.contains("unexpected argument 'B'"))
    #expect(try await run("Clock", "--type", "A").errors.contains("give NAME=TYPE"))
    #expect(try await run("Clock", "--type", "A").status == 64)
    let unknown = try await run("Clok")
    #expect(unknown.status == 65)
    #expect(unknown.errors.contains("no Swift file of the package declares the protocol 'Clok'"))
    let alone = try await ToolRun(["new", "Clock"])
    #expect(alone.status == 65)
    #expect(alone.errors.contains("has no Package.swift"))
  }

  @Test func `a test for each clause is written again, and only over what the tool wrote`()
    async throws
  {
    let folder = try ToolFolder(files: [
      ".build/contracts/latest.jsonl": SampleJournal.text(), "Tests/keep": "",
    ])
    defer { folder.remove() }
    func run(_ arguments: String...) async throws -> ToolRun {
      let expression = "Contract<Fixture>.things.cases(for: .fake, .real)"
      return try await ToolRun(
        ["new", "--one-test-per-clause", expression, "--tests", "Tests"] + arguments, in: folder)
    }
    let file = folder.url.appendingPathComponent("Tests/ThingsClauseTests.swift")
    #expect(try await run().output == "wrote Tests/ThingsClauseTests.swift\n  + first\n")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("'Contract<Fixture>.things.cases(for: .fake, .real)' --tests Tests\n"))
    #expect(try await run().output == "wrote Tests/ThingsClauseTests.swift\n")
    try text.replacing("cases(\"first\")", with: "cases(\"old\")")
      .write(to: file, atomically: true, encoding: .utf8)
    #expect(
      try await run().output == "wrote Tests/ThingsClauseTests.swift\n  + first\n  - old\n")
    try "// mine".write(to: file, atomically: true, encoding: .utf8)
    let mine = try await run()
    #expect(mine.status == 73)
    #expect(mine.errors.contains("the tool did not write it"))
    let other = try await run("--contract", "other")
    #expect(other.status == 65)
    #expect(other.errors.contains("has no contract 'other'; run its tests first"))
    let wrong = try await ToolRun(["new", "--one-test-per-clause", "Contract.things"])
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("give an expression such as"))
  }
}
