import ContractEvidence
import ContractReports
import EvidenceSamples
import Foundation
import Testing

/// Reports on journals whose text tries to control a terminal, a page or a CI system.
@Suite struct HostileTextTests {
  private static let hostileText = [
    "\u{1B}[2J\u{1B}]0;owned\u{7}", "a\r\n::error::planted", "a\n::error::planted\rb",
    "\u{85}\u{9B}31m", "\u{202E}evil\u{2066}\u{200F}", "</script><script>alert(1)</script>",
    "<\u{301}script>", "a|\u{301}b", "`` ` ``", "x]]>y", "nul \u{0} \u{FFFF} \u{B}",
    "[a](javascript:alert(1))", "'; rm -rf / #", "%0A::error::planted", "\" onclick=\"alert(1)",
    "::error::planted", "\u{A0}\u{3000}::error::planted", "a\n \u{A0}::error::planted",
    String(repeating: "y", count: 98) + "::error::planted", String(repeating: "::", count: 200),
    "x ##[add-matcher]planted", "\u{600}##[group]planted", "##vso[task.complete result=Failed;]",
    "###teamcity[buildStop comment='planted']",
    String(repeating: "long ", count: 4000), String(repeating: "x", count: 20_000),
    "soft\u{AD}zero\u{200B}join\u{200D}mark\u{FEFF}", "tag\u{E0001}\u{E0061}\u{E007F}",
    "o" + String(repeating: "\u{301}", count: 300),
  ]

  /// A matrix that contains the text in every field that accepts one.
  private func matrix(containing text: String) -> Matrix {
    let clause = ClauseSummary(
      id: "c\(text)", sentence: text, source: text, group: text, requires: [text], absenceOf: nil,
      file: text, path: "/p/\(text)", line: 1)
    let other = ClauseSummary(
      id: "d\(text)", sentence: text, source: text, group: text, requires: [], absenceOf: nil,
      file: text, path: text, line: 1)
    let contract = ContractSummary(
      id: "k", title: text, revision: 1, clauses: [clause, other], dropped: [other.id: text],
      clausesWithoutSaboteur: [text])
    let issue = IssueSummary(message: text, file: text, path: "/p/\(text)", line: 1)
    var events: [JournalRecord.Event] = [.contract(contract), .problem(text)]
    let outcomes: [Outcome] = [
      .failed, .deviates(reason: text), .unavailable(reason: text),
      .notApplicable(capability: text, reason: text),
    ]
    for (index, outcome) in outcomes.enumerated() {
      let name = "i\(index)\(text)"
      let deviation = DeviationSummary(
        clause: clause.id, kind: "bug", reason: text, link: "https://a/\(text)",
        isIntermittent: false)
      events.append(
        .implementation(
          ImplementationSummary(
            contract: "k", id: name, kind: .live, lacks: [text: text], deviations: [deviation])))
      events.append(
        .caseFinished(
          CaseResult(
            id: CaseID(contract: "k", clause: clause.id, implementation: name), outcome: outcome,
            seconds: 1, issues: [issue])))
    }
    events.append(
      .saboteur(
        SaboteurResult(
          contract: "k", saboteur: text, clause: clause.id, isCaught: false, message: text)))
    return Matrix(events.map { JournalRecord(run: "r", time: 1, event: $0) })
  }

  @Test(arguments: hostileText)
  func `the terminal report has no control characters and no line that is too wide`(text: String) {
    let report = TerminalReport(matrix(containing: text)).text
    #expect(
      report.unicodeScalars.allSatisfy { scalar in
        scalar == "\n"
          || scalar.properties.generalCategory != .control
            && !(0x202a...0x202e).contains(scalar.value)
            && !(0x2066...0x2069).contains(scalar.value)
      })
    for line in report.split(separator: "\n") {
      #expect(line.count <= TerminalReport.width)
    }
    expectNoCommands(in: report)
  }

  @Test(
    arguments: hostileText.filter { $0.utf8.count < 1000 },
    ReportFormat.allCases)
  func `no report for readers has invisible characters or towers of marks`(
    text: String, format: ReportFormat
  ) {
    let report = format.text(of: matrix(containing: text))
    var marks = 0
    var tallest = 0
    for scalar in report.unicodeScalars {
      let isMark = scalar.value >= 0x80 && scalar.properties.generalCategory == .nonspacingMark
      marks = isMark ? marks + 1 : 0
      tallest = max(tallest, marks)
    }
    #expect(tallest <= 8)
    let hidden = report.unicodeScalars.filter { scalar in
      [0xad, 0x200b, 0x200d, 0xfeff].contains(scalar.value)
        || (0xe0000...0xe007f).contains(scalar.value)
    }
    #expect(hidden.isEmpty)
  }

  @Test func `emoji keep their joiners, and letters their accents`() {
    let text = "👩🏽‍💻 caf\u{65}\u{301} ❤️ कार्‍य"
    #expect(text.printable.unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(
    arguments: ReportFormat.allCases, ["é", "o\u{301}\u{302}", "\u{301}"])
  func `the length of sentences and messages is limited`(
    format: ReportFormat, unit: String
  ) {
    let text = String(repeating: unit, count: 300_000 / unit.utf8.count)
    let records = EvidenceSample(outcomes: [
      "first@fake": .failed, "second@real": .unavailable(reason: text),
    ]).records.map { record in
      var record = record
      switch record.event {
      case .contract(var contract):
        for index in contract.clauses.indices { contract.clauses[index].sentence = text }
        record.event = .contract(contract)
      case .caseFinished(var result) where !result.issues.isEmpty:
        result.issues[0].message = text
        record.event = .caseFinished(result)
      default: break
      }
      return record
    }
    let length = format.text(of: Matrix(records)).utf8.count
    #expect(length < 200_000)
  }

  @Test func `Markdown that is too long for a summary ends early and says so, failures first`() {
    let sample = EvidenceSample(
      clauses: (1...500).map { "clause-\($0)" }, outcomes: ["clause-499@fake": .failed])
    var report = MarkdownReport(sample.matrix)
    report.greatestLength = 20_000
    let text = report.text
    let length = text.utf8.count
    #expect(length <= 20_000)
    let hasFailure = text.contains("things/clause-499@fake")
    #expect(hasFailure)
    let end = String(text.suffix(300))
    #expect(end.contains(/\n\*\*[0-9]+ lines are left out\*\*, because a summary may have 1 MiB/))
  }

  @Test
  func `a page about very many cases is bounded, failures first, and says what it leaves out`() {
    let sample = EvidenceSample(
      clauses: (1...500).map { "clause-\($0)" }, outcomes: ["clause-499@fake": .failed])
    var report = HTMLReport(sample.matrix)
    report.greatestLength = 100_000
    let page = report.text
    let length = page.utf8.count
    let hasFailure = page.contains("id=\"things/clause-499@fake\"")
    let saysSo = page.contains(" clauses are left out, because the page would be too long.")
    #expect(length < 150_000)
    #expect(hasFailure && saysSo)
  }

  @Test(arguments: hostileText)
  func `a comparison of two matrices has one line for each change, and none is a command`(
    text: String
  ) {
    let difference = MatrixDifference(from: Matrix([]), to: matrix(containing: text))
    #expect(!difference.isEmpty)
    expectNoCommands(in: difference.text)
  }

  @Test(arguments: hostileText)
  func `no line of a history is a command`(text: String) {
    let journal = Journal(records: [JournalRecord(run: "r", time: 1, event: .problem(text))])
    let report = HistoryReport(EvidenceHistory([(text, journal)])).text
    #expect(report.split(separator: "\n").count == 4)
    expectNoCommands(in: report)
  }

  /// Expects that no CI system takes a line for a command.
  private func expectNoCommands(in text: String) {
    for line in text.unicodeScalars.split(separator: "\n") {
      let start = line.drop { $0.properties.isWhitespace }
      #expect(!start.starts(with: "::".unicodeScalars), "GitHub Actions would run '\(line)'")
      for mark in ["##[", "##vso[", "##teamcity["] {
        #expect(!line.contains(mark.unicodeScalars), "a CI system would run '\(line)'")
      }
    }
  }

  @Test(arguments: hostileText)
  func `each annotation is one line and begins with a command of the report`(text: String) {
    let annotations = GitHubAnnotations(matrix(containing: text), root: "/").text
    // GitHub Actions ends a line at either character.
    let lines = annotations.unicodeScalars.split { "\r\n".unicodeScalars.contains($0) }
    #expect(lines.count == 4)
    for line in lines {
      let line = String(line)
      #expect(line.hasPrefix("::error") || line.hasPrefix("::warning"))
    }
  }

  @Test(arguments: hostileText)
  func `HTML contains no element or attribute from the text`(text: String) throws {
    let page = HTMLReport(matrix(containing: text)).text
    #expect(page.components(separatedBy: "<script").count == 2)
    #expect(!page.contains("\" onclick"))
    #expect(!page.contains("href=\"javascript"))
    #expect(!page.unicodeScalars.contains("\u{1B}"))
    #expect(!page.unicodeScalars.contains("\u{202E}"))
  }

  @Test(arguments: hostileText)
  func `Markdown keeps its table, code spans and links intact`(text: String) {
    let report = MarkdownReport(matrix(containing: text)).text
    #expect(!Self.withoutCode(report).contains("<script"))
    #expect(!report.unicodeScalars.contains("\u{1B}"))
    #expect(!Self.withoutCode(report).contains("](javascript"))
    let rows = report.split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(rows.count == 4, "a header, a delimiter row and two clauses")
    for row in rows {
      let bars = row.unicodeScalars.reduce(into: (count: 0, isEscaped: false)) { state, scalar in
        if scalar == "|", !state.isEscaped { state.count += 1 }
        state.isEscaped = scalar == "\\" && !state.isEscaped
      }
      #expect(bars.count == 7, "\(row.prefix(300))")
    }
  }

  /// Removes code spans and escaped characters (GFM §6.1, §6.3).
  private static func withoutCode(_ text: String) -> String {
    var result = ""
    var rest = Array(text.unicodeScalars)[...]
    func fence(at start: Int) -> Int { rest[start...].prefix { $0 == "`" }.count }
    while let scalar = rest.first {
      let length = fence(at: rest.startIndex)
      guard length > 0 else {
        // A backslash escapes the next character.
        if scalar != "\\" { result.unicodeScalars.append(scalar) }
        rest = rest.dropFirst(scalar == "\\" ? 2 : 1)
        continue
      }
      var end = rest.startIndex + length
      while end < rest.endIndex, rest[end] != "\n", fence(at: end) != length {
        end += max(1, fence(at: end))
      }
      rest = rest[min(end + length, rest.endIndex)...]
    }
    return result
  }
}
