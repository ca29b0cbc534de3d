import ContractEvidence
import Foundation
import Testing

@Suite struct JournalTests {
  /// A record of each kind, with text that needs escaping.
  static let records: [JournalRecord] = {
    let id = CaseID(contract: "c", clause: "a", implementation: "i")
    let text = "quote \" backslash \\ newline \n tab \t bell \u{7} é 🍪 \u{2028}"
    let issue = IssueSummary(message: text, file: "M/F.swift", path: "/p/F.swift", line: 7)
    let outcomes: [Outcome] = [
      .passed, .failed, .deviates(reason: text),
      .notApplicable(capability: "x", reason: text), .unavailable(reason: text),
      .crashed(signal: 11), .timedOut(seconds: 0.25), .flaky(reason: text),
      .notRun(reason: text),
    ]
    let clause = ClauseSummary(
      id: "a", sentence: text, source: nil, group: "G", requires: ["x"], absenceOf: nil,
      file: "M/F.swift", line: 3)
    let deviation = DeviationSummary(
      clause: "a", kind: "bug", reason: text, link: nil, isIntermittent: true, until: "2027-01-31")
    var events: [JournalRecord.Event] = [
      .runStarted(RunSummary(platform: "linux")),
      .runStarted(
        RunSummary(
          platform: "linux", commit: "1a2b", isDirty: true,
          versions: ["harness": "1.0", "swift": "6.3.1", "os": text])),
      .contract(
        ContractSummary(
          id: "c", title: "C", revision: 2, clauses: [clause], dropped: ["b": "why"],
          clausesWithoutSaboteur: ["a"], leftToMutants: ["d"])),
      .implementation(
        ImplementationSummary(
          contract: "c", id: "i", kind: .live, lacks: ["x": text], deviations: [deviation],
          version: text)),
      .caseStarted(id), .caseSlow(id, seconds: 30), .processCrashed(id, signal: 5), .problem(text),
      .leftOut(12, reason: text), .runFinished,
      .saboteur(
        SaboteurResult(
          contract: "c", saboteur: "s", clause: "a", isCaught: true, message: text)),
    ]
    for outcome in outcomes {
      events.append(
        .caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0.125, issues: [issue])))
    }
    for isTouched in [true, false] {
      let witness = WitnessSummary(name: text, isTouched: isTouched)
      events.append(
        .caseFinished(
          CaseResult(id: id, outcome: .passed, seconds: 0, witness: witness, expectations: 3)))
    }
    return events.map { JournalRecord(run: "r", time: 1_700_000_000.123456, event: $0) }
  }()

  @Test(arguments: records)
  func `every record is one line and decodes to itself`(record: JournalRecord) throws {
    #expect(!record.line.utf8.contains(UInt8(ascii: "\n")))
    #expect(try JournalRecord(line: record.line) == record)
  }

  @Test(
    arguments: [
      ("", "it isn't JSON"),
      ("{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-sta", "it isn't JSON"),
      ("{\"run\":\"r\",\"time\":1,\"event\":\"run-finished\"}", "'version' is missing"),
      (
        "{\"version\":1,\"run\":\"r\",\"time\":\"x\",\"event\":\"run-finished\"}",
        "'time' has the wrong type"
      ),
      ("{\"version\":9,\"run\":\"r\",\"time\":1,\"event\":\"run-finished\"}", "format 9"),
      ("{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"dance\"}", "'dance' is unknown"),
      ("{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-started\"}", "'case' is missing"),
      (
        "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-started\",\"case\":\"x\"}",
        "'x' is not a case id"
      ),
      (
        "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-finished\",\"case\":\"a/b@c\","
          + "\"outcome\":\"maybe\",\"seconds\":0}", "'maybe' is unknown"
      ),
    ])
  func `an invalid line is rejected with the reason`(line: String, reason: String) {
    let error = #expect(throws: JournalLineError.self) { try JournalRecord(line: line) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func `a journal of format 1 is read`() throws {
    let lines = [
      #"{"version":1,"run":"r","time":1,"event":"run-started","platform":"linux"}"#,
      #"{"version":1,"run":"r","time":2,"event":"implementation","implementation":{"contract":"c","#
        + #""deviations":[{"clause":"a","isIntermittent":false,"kind":"bug","reason":"x"}],"id":"i","#
        + #""kind":"fake","lacks":{}}}"#,
    ]
    let journal = Journal(text: lines.joined(separator: "\n"))
    #expect(journal.damage.isEmpty)
    #expect(journal.records.map(\.event).first == .runStarted(RunSummary(platform: "linux")))
    let cut = Journal(text: lines[0].dropLast(9) + lines[1])
    #expect(cut.records.count == 1)
    #expect(cut.damage.count == 1)
  }

  @Test func `damaged lines are reported with their numbers, and the others are read`() {
    let good = Self.records[0].line
    let journal = Journal(text: "\(good)\nrubbish\n\n\(good)\n{\"half\":", path: "j.jsonl")
    #expect(journal.records.count == 2)
    #expect(journal.damage.map(\.line) == [2, 5])
    #expect(journal.damage.allSatisfy { $0.path == "j.jsonl" })
  }

  @Test func `writers append complete lines from concurrent tasks`() async throws {
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

  @Test func `an error names the file that can't be used`() {
    let writing = #expect(throws: JournalFileError.self) {
      try JournalWriter(path: "/dev/null/no/journal.jsonl")
    }
    #expect(writing?.description.contains("/dev/null/no/journal.jsonl") == true)
    #expect(throws: JournalFileError.self) { try Journal(contentsOf: "/nonexistent/j.jsonl") }
  }
}
