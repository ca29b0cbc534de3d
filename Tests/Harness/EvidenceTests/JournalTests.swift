import ContractEvidence
import Foundation
import Testing

@Suite struct JournalTests {
  /// One record of every kind, with awkward text.
  static let records: [JournalRecord] = {
    let id = CaseID(contract: "c", clause: "a", implementation: "i")
    let awkward = "quote \" backslash \\ newline \n tab \t bell \u{7} é 🍪 \u{2028}"
    let issue = IssueSummary(message: awkward, file: "M/F.swift", path: "/p/F.swift", line: 7)
    let outcomes: [Outcome] = [
      .passed, .failed, .deviates(reason: awkward),
      .notApplicable(capability: "x", reason: awkward), .unavailable(reason: awkward),
      .crashed(signal: 11), .timedOut(seconds: 0.25),
    ]
    let clause = ClauseSummary(
      id: "a", sentence: awkward, source: nil, group: "G", requires: ["x"], absenceOf: nil,
      file: "M/F.swift", line: 3)
    let deviation = DeviationSummary(
      clause: "a", kind: "bug", reason: awkward, link: nil, isIntermittent: true)
    var events: [JournalRecord.Event] = [
      .runStarted(platform: "linux"),
      .contract(
        ContractSummary(
          id: "c", title: "C", revision: 2, clauses: [clause], dropped: ["b": "why"],
          unproven: ["a"])),
      .implementation(
        ImplementationSummary(
          contract: "c", id: "i", kind: .live, lacks: ["x": awkward], deviations: [deviation])),
      .caseStarted(id), .problem(awkward), .runFinished,
      .saboteur(
        SaboteurResult(
          contract: "c", saboteur: "s", clause: "a", isCaught: true, message: awkward)),
    ]
    for outcome in outcomes {
      events.append(
        .caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0.125, issues: [issue])))
    }
    return events.map { JournalRecord(run: "r", time: 1_700_000_000.123456, event: $0) }
  }()

  @Test(arguments: records)
  func `every record reads back what was written, on one line`(record: JournalRecord) throws {
    #expect(!record.line.utf8.contains(UInt8(ascii: "\n")))
    #expect(try JournalRecord(line: record.line) == record)
  }

  @Test(
    arguments: [
      ("", "it isn't JSON"),
      ("{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-sta", "it isn't JSON"),
      ("{\"run\":\"r\",\"time\":1,\"event\":\"run-finished\"}", "'version' is missing"),
      ("{\"version\":1,\"run\":\"r\",\"time\":\"x\",\"event\":\"run-finished\"}", "'time' is of"),
      ("{\"version\":9,\"run\":\"r\",\"time\":1,\"event\":\"run-finished\"}", "format 9"),
      ("{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"dance\"}", "'dance' is not known"),
      ("{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-started\"}", "'case' is missing"),
      (
        "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-started\",\"case\":\"x\"}",
        "'x' is not a case"
      ),
      (
        "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-finished\",\"case\":\"a/b@c\","
          + "\"outcome\":\"maybe\",\"seconds\":0}", "'maybe' is not known"
      ),
    ])
  func `a line that is no record says why`(line: String, reason: String) {
    let error = #expect(throws: JournalLineError.self) { try JournalRecord(line: line) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func `damage is kept with its line number, and the rest still reads`() {
    let good = Self.records[0].line
    let journal = Journal(text: "\(good)\nrubbish\n\n\(good)\n{\"half\":", path: "j.jsonl")
    #expect(journal.records.count == 2)
    #expect(journal.damage.map(\.line) == [2, 5])
    #expect(journal.damage.allSatisfy { $0.path == "j.jsonl" })
  }

  @Test func `a writer appends whole lines from many tasks at once`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("journal-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("deep/run.jsonl").path
    let writer = try JournalWriter(path: path)
    let second = try JournalWriter(path: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          try (number.isMultiple(of: 2) ? writer : second).append(
            JournalRecord(run: "r\(number)", time: Double(number), event: .runFinished))
        }
      }
      try await group.waitForAll()
    }
    let journal = try Journal(contentsOf: path)
    #expect(journal.damage.isEmpty)
    #expect(Set(journal.records.map(\.run)).count == 200)
  }

  @Test func `a file that can't be used is an error with its path`() {
    let writing = #expect(throws: JournalFileError.self) {
      try JournalWriter(path: "/dev/null/no/journal.jsonl")
    }
    #expect(writing?.description.contains("/dev/null/no/journal.jsonl") == true)
    #expect(throws: JournalFileError.self) { try Journal(contentsOf: "/nonexistent/j.jsonl") }
  }
}
