import ContractEvidence
import ContractReports
import Foundation
import Testing

@testable import ContractTesting

/// With `CONTRACT_FRESH`, a live case that passed with the same code does not run again.
@Suite struct FreshEvidenceTests {
  private static let all = ["first@one", "first@two", "second@one", "second@two"]

  @Test func `a second run makes no live call, and says when each clause was proven`() async throws
  {
    try await withLivePackage { package in
      #expect(try await package.run().calls == Self.all)
      let second = try await package.run()
      #expect(second.calls.isEmpty)
      #expect(second.matrix.results.count == 4)
      let today = "proven on \(Day(at: Date().timeIntervalSince1970))"
      for result in second.matrix.results {
        #expect(result.outcome.name == "proven")
        #expect(result.outcome.reason == today)
      }
      #expect(second.matrix.tables[0].rows.map(\.verdict) == [.agree, .agree])
      #expect(second.matrix.summary.text.contains("0 passed · 4 proven earlier"))
      let report = TerminalReport(second.matrix).text
      #expect(report.contains("first   ◷    ◷"), "\(report)")
      #expect(report.contains("◷ proven earlier, with the same code"))
    }
  }

  @Test func `without the variable every case runs`() async throws {
    try await withLivePackage { package in
      try await package.run()
      #expect(try await package.run(nil, on: nil, [:]).calls == Self.all)
    }
  }

  @Test func `a third run counts the age from the run that made the calls`() async throws {
    try await withLivePackage { package in
      try await package.run()
      let week = 7 * 86_400.0
      try package.age(by: week - 60)
      let second = try await package.run()
      #expect(second.calls.isEmpty)
      let times = second.matrix.results.compactMap(\.evidenceTime)
      #expect(times.count == 4)
      #expect(times.allSatisfy { Date().timeIntervalSince1970 - $0 > week - 61 })
      try package.age(by: 120)
      #expect(try await package.run().calls == Self.all, "the evidence is a week old")
    }
  }

  /// The sources of these tests, and Swift Testing's own account of a case that was spared.
  @Test func `a later process spares the live cases, which Swift Testing shows as cancelled`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("fresh-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var cancelled: [Int] = []
    for number in 1...2 {
      let events = folder.appendingPathComponent("events-\(number)").path
      let run = try await SpecimenRun(
        "fresh",
        environment: ["CONTRACT_FRESH": "1h", "CONTRACT_JOURNAL_FOLDER": folder.path],
        arguments: ["--event-stream-output-path", events, "--event-stream-version", "6.3"])
      #expect(run.status == 0)
      let stream = try String(contentsOfFile: events, encoding: .utf8)
      cancelled.append(stream.components(separatedBy: "\"testCaseCancelled\"").count - 1)
      let isSpared = run.output.contains("2 passed · 2 proven earlier")
      #expect(isSpared == (number == 2), "\(run.output)")
    }
    // The clause that does not apply is cancelled on both implementations.
    #expect(cancelled == [2, 4])
    let latest = folder.appendingPathComponent("latest.jsonl").path
    let outcomes = Matrix(try Journal(contentsOf: latest)).outcomes
    #expect(outcomes["adds@sound-live"]?.name == "proven")
    #expect(outcomes["adds@sound"] == .passed)
  }

  // MARK: - Code

  @Test func `changing one clause makes exactly its cases live again`() async throws {
    try await withLivePackage { package in
      try await package.run()
      try package.edit("== 3) // \"", to: "== 3) // changed")
      #expect(try await package.run().calls == ["second@one", "second@two"])
      #expect(try await package.run().calls.isEmpty)
    }
  }

  @Test func `adding a clause makes only the new one live`() async throws {
    try await withLivePackage { package in
      try await package.run()
      try package.edit(
        "  Clause(\"second\"", to: "  Clause(\"third\", \"new\") { _ in }\n  Clause(\"second\"")
      let contract = try package.contract(["first", "third", "second"])
      #expect(try await package.run(contract).calls == ["third@one", "third@two"])
    }
  }

  @Test func `changing one line of an adapter makes exactly its cases live again`() async throws {
    try await withLivePackage { package in
      try await package.run()
      try package.write("struct Two { var added = 1 }", to: "Sources/Two/Two.swift")
      #expect(try await package.run().calls == ["first@two", "second@two"])
      try package.write("struct New {}", to: "Sources/One/New.swift")
      #expect(try await package.run().calls == ["first@one", "second@one"])
    }
  }

  /// A file that two implementations or all clauses share.
  @Test(
    arguments: [
      ("Tests/Shop/Fixtures.swift", "let one = live(\"changed\")"),
      ("Package.resolved", "// other versions"), ("Package.swift", "// other flags"),
      ("Tests/Shop/Clauses.swift", LivePackage.clauses.replacing("Int { 3 }", with: "Int { 4 }")),
    ])
  func `changing what all cases share makes all live again`(
    path: String, text: String
  ) async throws {
    try await withLivePackage { package in
      try await package.run()
      try package.write(text, to: path)
      #expect(try await package.run().calls == Self.all)
    }
  }

  @Test func `without named sources every source file of the package counts`() async throws {
    try await withLivePackage { package in
      let implementations = [try package.live("one")]
      let calls = ["first@one", "second@one"]
      #expect(try await package.run(on: implementations).calls == calls)
      try package.write("Read me.", to: "README.md")
      try package.write("struct Nested {}", to: "Example/Sources/Nested.swift")
      try package.write("// manifest", to: "Example/Package.swift")
      try package.write("struct Built {}", to: ".build/debug/Built.swift", at: Date() + 3600)
      #expect(try await package.run(on: implementations).calls.isEmpty, "neither is its code")
      try package.edit("= 3) // \"", to: "= 3) // changed")
      #expect(try await package.run(on: implementations).calls == ["second@one"])
      try package.write("struct Other { var added = 1 }", to: "Sources/Other/Other.swift")
      #expect(try await package.run(on: implementations).calls == calls)
    }
  }

  /// The page says that such a change is not noticed.
  @Test func `a helper in a file that nothing names is not seen`() async throws {
    try await withLivePackage { package in
      try await package.run()
      try package.write("func helper() -> Int { 4 }", to: "Sources/Other/Other.swift")
      #expect(try await package.run().calls.isEmpty)
    }
  }

  @Test func `another revision of the contract makes all live again`() async throws {
    try await withLivePackage { package in
      try await package.run()
      #expect(try await package.run(try package.contract(revision: 2)).calls == Self.all)
    }
  }

  @Test func `a file newer than the test program is no evidence for a later run`() async throws {
    try await withLivePackage { package in
      try package.write("struct Two {}", to: "Sources/Two/Two.swift", at: Date() + 3600)
      let first = try await package.run()
      #expect(first.matrix.results.compactMap(\.code).count == 2)
      #expect(try await package.run().calls == ["first@two", "second@two"])
    }
  }

  // MARK: - Evidence

  @Test(
    arguments: [
      Outcome.failed, .crashed(signal: 11), .timedOut(seconds: 1),
      .unavailable(reason: "no network"),
      .flaky(reason: "failed in 1 of 2 tries"), .deviates(reason: "not declared any more"),
    ])
  func `a case that did not pass runs again`(outcome: Outcome) async throws {
    try await withLivePackage { package in
      try await package.run()
      try package.rewrite { result in
        if result.id.description == "shop/first@two" { result.outcome = outcome }
      }
      #expect(try await package.run().calls == ["first@two"])
    }
  }

  /// What is unavailable, and what older journals say, has no digests.
  @Test(arguments: [Outcome.unavailable(reason: "no network"), .failed])
  func `a bad result whose code is not known makes the case run, if it is later`(
    outcome: Outcome
  ) async throws {
    for isLater in [true, false] {
      try await withLivePackage { package in
        try await package.run()
        let file = try #require(package.journalFiles.first)
        let records = try Journal(contentsOf: file.path).records
        let id = CaseID(contract: "shop", clause: "first", implementation: "two")
        let bad = JournalRecord(
          run: try #require(records.first?.run),
          time: Date().timeIntervalSince1970 - (isLater ? 0 : 60),
          event: .caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0)))
        try Data((records + [bad]).map { $0.line + "\n" }.joined().utf8).write(to: file)
        #expect(try await package.run().calls == (isLater ? ["first@two"] : []))
      }
    }
  }

  @Test func `a pass after a failure of the same code does not count`() async throws {
    try await withLivePackage { package in
      try await package.run()
      try package.rewrite { result in
        if result.id.clause == "first" { result.outcome = .failed }
      }
      #expect(try await package.run().calls == ["first@one", "first@two"])
      #expect(try await package.run().calls == ["first@one", "first@two"], "it may be flaky")
    }
  }

  @Test func `evidence that is too old, from the future or of another platform does not count`()
    async throws
  {
    for age in [8 * 86_400.0, -86_400] {
      try await withLivePackage { package in
        try await package.run()
        try package.age(by: age)
        #expect(try await package.run().calls == Self.all)
      }
    }
    try await withLivePackage { package in
      try await package.run()
      let file = try #require(package.journalFiles.first)
      let text = try String(contentsOf: file, encoding: .utf8)
      try Data(text.replacing("\"platform\":\"linux\"", with: "\"platform\":\"beos\"").utf8)
        .write(to: file)
      #expect(try await package.run().calls == Self.all)
    }
  }

  @Test func `a run that ended during a case is no evidence about it`() async throws {
    try await withLivePackage { package in
      try await package.run()
      let file = try #require(package.journalFiles.first)
      let lines = try Journal(contentsOf: file.path).records
      let run = try #require(lines.first?.run)
      let id = CaseID(contract: "shop", clause: "second", implementation: "one")
      let start = JournalRecord(
        run: run, time: Date().timeIntervalSince1970, event: .caseStarted(id))
      try Data((lines + [start]).map { $0.line + "\n" }.joined().utf8).write(to: file)
      #expect(try await package.run().calls == ["second@one"])
    }
  }

  @Test func `a damaged line is no evidence`() async throws {
    try await withLivePackage { package in
      try await package.run()
      let file = try #require(package.journalFiles.first)
      let text = try String(contentsOf: file, encoding: .utf8)
      try Data(text.replacing("\"outcome\":\"passed\"", with: "\"outcome\":\"pa").utf8)
        .write(to: file)
      #expect(try await package.run().calls == Self.all)
    }
  }

  @Test func `the store can be other files and folders`() async throws {
    try await withLivePackage { package in
      try await package.run()
      let file = try #require(package.journalFiles.first)
      let copy = package.root.appendingPathComponent("night.jsonl")
      try FileManager.default.moveItem(at: file, to: copy)
      #expect(try await package.run().calls == Self.all, "the folder has no journal left")
      for path in [copy.path, "/nowhere,\(copy.path)", package.root.path] {
        let run = try await package.run(
          nil, on: nil, ["CONTRACT_FRESH": "1h", "CONTRACT_FRESH_FROM": path])
        #expect(run.calls.isEmpty)
      }
    }
  }

  @Test func `a deviation counts as long as it is declared`() async throws {
    try await withLivePackage { package in
      let stuck = try package.live("one").built(from: "Sources/One")
      let declared = stuck.deviating(from: "first", because: "it is stuck")
      package.answers.withLock { $0 = [4] }
      try await package.run(on: [declared])
      let second = try await package.run(on: [declared])
      #expect(second.calls.isEmpty)
      let day = Day(at: Date().timeIntervalSince1970)
      #expect(
        second.matrix.outcomes["first@one"] == .deviates(reason: "it is stuck; seen on \(day)"))
      #expect(second.matrix.results.first?.evidenceTime != nil)
      #expect(try await package.run(on: [stuck]).calls == ["first@one"], "no longer declared")
      let intermittent = stuck.deviating(
        from: "first", intermittently: true, because: "it is stuck at times")
      #expect(try await package.run(on: [intermittent]).calls == ["first@one"])
    }
  }

  @Test func `a fake is never spared`() async throws {
    try await withLivePackage { package in
      let calls = ["first@fake", "second@fake"]
      for _ in 1...2 {
        let made = try package.live("fake").make
        #expect(try await package.run(on: [.fake("fake", made)]).calls == calls)
      }
    }
  }

  @Test func `what the witnesses saw is kept`() async throws {
    try await withLivePackage { package in
      let plain = try package.live("one").make
      let witnessed = Implementation<Shop>.live(
        "one", sourceLocation: try package.live("one").sourceLocation
      ) { scope in
        scope.witness("the origin") { Date() }
        return try await plain(scope)
      }
      try await package.run(on: [witnessed])
      let second = try await package.run(on: [witnessed])
      #expect(second.calls.isEmpty)
      #expect(second.matrix.tables[0].columns[0].witness?.touchingCases == 2)
    }
  }

  @Test func `a value that is no span of time is a problem, and every case runs`() async throws {
    try await withLivePackage { package in
      try await package.run()
      let run = try await package.run(nil, on: nil, ["CONTRACT_FRESH": "a week"])
      #expect(run.calls == Self.all)
      #expect(
        run.matrix.problems == [
          "CONTRACT_FRESH='a week' is not valid: give a number and d, h, m or s, such as 7d"
        ])
    }
  }
}
