import Foundation
import HarnessSupport
import Testing

@testable import ContractMutation

@Suite struct MutationResultsTests {
  private static let text = "func f(a: Int) -> Bool {\n  a < 3\n}\n"

  private static func mutant(_ id: String, line: Int = 2) -> Mutant {
    Mutant(
      id: id, file: "Sources/F.swift", declaration: "f", operator: .comparison,
      original: "a < 3", replacement: "a <= 3", start: .init(line: line, column: 3),
      end: .init(line: line, column: 8))
  }

  private static func line(_ id: String, _ verdict: MutantVerdict, fileKey: String = "k") -> String
  {
    MutationJournal.line(
      .init(mutant: mutant(id), verdict: verdict, key: "\(fileKey)-j", fileKey: fileKey))
  }

  private static let run = MutationJournal.line(
    .init(
      targets: ["F"], mutants: 5, cases: ["c/a@x", "c/b@x"], leftOut: [:],
      excluded: [
        .init(file: "Sources/F.swift", line: 9, reason: "only a hint", isComment: true),
        .init(file: "Sources/F.swift", line: 8, reason: "an assertion", isComment: false),
      ]))

  private static let verdicts = [
    line("one", MutantVerdict(.killed, killer: "c/a@x", message: "no")),
    line("two", MutantVerdict(.survived, reachedBy: ["c/a@x", "c/b@x"])),
    line("three", MutantVerdict(.unreached)),
    line("four", MutantVerdict(.unviable)),
  ].joined()

  /// Calls a function with a package that has results.
  private static func withPackage<Result>(
    _ journal: String, _ body: (_ folder: String, _ path: String) throws -> Result
  ) throws -> Result {
    try SampleFolder.with(["Sources/F.swift": text]) { folder in
      let path = MutationRun.journalPath(of: ["F"], package: folder.path)
      try folder.write(journal, to: String(path.dropFirst(folder.path.count + 1)))
      return try body(folder.path, path)
    }
  }

  @Test func `the report has the score, the survivor as a diff, and how to run it alone`() throws {
    try Self.withPackage(Self.run + Self.verdicts) { folder, path in
      let report = MutationReport(of: try MutationJournal(contentsOf: [path]), root: folder)
      #expect(
        report.summary == """
          mutation score 33.3 %: 1 of 3 mutants noticed, 50.0 % of those that cases reach
          survived 1, unreached 1; not counted: 1 that do not compile, 2 places that are excluded; \
          not judged yet: 1
          """)
      let text = report.text
      #expect(
        text.contains(
          """
          survived Sources/F.swift:2 in f: comparison
          -   a < 3
          +   a <= 3
            reached by c/a@x, c/b@x
            contracts mutate --target F --mutant two
          """))
      #expect(text.contains("unreached Sources/F.swift f: 1 in line 2"))
      #expect(text.contains("excluded Sources/F.swift:9: only a hint"))
      #expect(text.contains("c/a@x                         1\n1 others, each                0\n"))
    }
  }

  @Test func `a live implementation that does not reach its adapter is an impostor`() throws {
    func column(
      _ contract: String, _ name: String, fake: Bool = false, _ port: Int, _ adapter: Int
    ) -> ImplementationReach {
      ImplementationReach(
        contract: contract, implementation: name, isFake: fake,
        mutants: ["Port": port, "Adapter": adapter])
    }
    let fake = column("c", "memory", fake: true, 90, 0)
    let sound = column("c", "file", 80, 40)
    let impostor = column("c", "file", 90, 0)
    let sentence = "impostor: no case of c@file reaches any code of Adapter"
    #expect([fake, sound].impostors == [])
    #expect([fake, impostor].impostors == [sentence])
    #expect([impostor].impostors == [sentence])
    // It has an adapter of its own, which is not mutated.
    #expect([fake, sound, column("c", "other", 80, 0)].impostors == [])
    #expect([sound, column("d", "other", 0, 0)].impostors == [])
    // In another contract it does reach its adapter.
    #expect([fake, impostor, column("d", "file", 10, 5)].impostors == [sentence])
    // The fake reaches the target too, so that it is no adapter.
    #expect([column("c", "memory", fake: true, 90, 1), impostor].impostors == [])

    let run = MutationJournal.line(
      .init(
        targets: ["F"], mutants: 5, cases: [], leftOut: [:], excluded: [],
        columns: [fake, impostor]))
    try Self.withPackage(run) { folder, path in
      let journal = try MutationJournal(contentsOf: [path])
      #expect(MutationReport(of: journal, root: folder).text.contains(sentence))
    }
  }

  @Test func `journals of shards merge, and a later result replaces an earlier one`() throws {
    try Self.withPackage(Self.run + Self.line("one", MutantVerdict(.survived))) { folder, path in
      let other = "\(folder)/other.jsonl"
      try (Self.run + Self.verdicts).write(toFile: other, atomically: true, encoding: .utf8)
      let journal = try MutationJournal(contentsOf: [path, other])
      #expect(journal.results.count == 4)
      #expect(journal.results["one"]?.verdict.status == .killed)
    }
  }

  @Test func `a journal that was cut off keeps its whole lines; another file is refused`() throws {
    let cut = String((Self.run + Self.verdicts).dropLast(30))
    try Self.withPackage(cut) { _, path in
      let journal = try MutationJournal(contentsOf: [path])
      #expect(journal.results.count == 3)
    }
    try Self.withPackage("not json\n" + Self.run) { _, path in
      let error = #expect(throws: MutationError.self) { try MutationJournal(contentsOf: [path]) }
      #expect(error?.description.contains(":1: not a line of 'contracts mutate'") == true)
    }
  }

  @Test func `the gate wants a score, all mutants, and the same code`() throws {
    let key = Keys.fingerprint(Self.text)
    func journal(_ count: Int, _ verdicts: [MutantVerdict], key: String) -> String {
      MutationJournal.line(
        .init(targets: ["F"], mutants: count, cases: [], leftOut: [:], excluded: []))
        + verdicts.enumerated().map { Self.line("\($0)", $1, fileKey: key) }.joined()
    }
    let killed = MutantVerdict(.killed, killer: "c/a@x")
    let survived = MutantVerdict(.survived)
    func problems(_ text: String) throws -> [String] {
      try Self.withPackage(text) { folder, _ in
        MutationGate(targets: ["F"], score: 0.5).problems(in: folder)
      }
    }
    #expect(try problems(journal(2, [killed, survived], key: key)) == [])
    #expect(
      try problems(journal(3, [killed, survived, survived], key: key)) == [
        "the mutation score of F is 33.3 %, below 50.0 %"
      ])
    let pending = try problems(journal(2, [killed], key: key))
    #expect(pending.first?.hasPrefix("1 mutants are not judged") == true)
    let old = try problems(journal(1, [killed], key: "old"))
    #expect(old.first?.contains("has changed since") == true)
    #expect(
      MutationGate(targets: ["F"], score: 0.5).problems(in: "/nowhere")[0]
        .contains("there are no results of mutation"))
  }

  @Test func `places are files, lines and ranges of lines`() throws {
    let mutant = Self.mutant("x", line: 12)
    func contains(_ text: String) -> Bool? { MutationOptions.Place(text)?.contains(mutant) }
    for text in ["F.swift", "Sources/F.swift:12", "F.swift:10-20"] {
      #expect(contains(text) == true, "\(text)")
    }
    for text in ["F.swift:13", "AF.swift"] { #expect(contains(text) == false, "\(text)") }
    #expect(MutationOptions.Place("F.swift:x") == nil)
    #expect(MutationOptions.Place("F.swift:9-3") == nil)
  }

  @Test func `changed lines are read from git's diff`() {
    let diff = """
      diff --git a/Sources/F.swift b/Sources/F.swift
      --- a/Sources/F.swift
      +++ b/Sources/F.swift
      @@ -3 +3,2 @@ func f() {
      @@ -9,2 +10,0 @@
      --- a/Gone.swift
      +++ /dev/null
      @@ -1,5 +0,0 @@
      """
    #expect(
      ChangedLines.places(in: diff) == [
        .init(file: "Sources/F.swift", lines: 3...4),
        .init(file: "Sources/F.swift", lines: 10...11),
      ])
  }
}
