import ContractEvidence
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Journals that were cut, glued, garbled, or written by somebody who means harm.
@Suite struct HostileJournalTests {
  private static let good = JournalRecord(run: "r", time: 1, event: .runFinished).line

  private func journal(_ lines: [UInt8]...) throws -> Journal {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("journal-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(lines.joined(separator: [0x0a])).write(to: file)
    return try Journal(contentsOf: file.path)
  }

  @Test(
    arguments: [
      Array("\u{0}\u{0}\u{0}\u{0}".utf8), [0xff, 0xfe, 0x80, 0x22],
      Array(repeating: 0xf0, count: 9),
      Array(String(repeating: "[", count: 100_000).utf8),
      Array(String(repeating: "{\"a\":", count: 100_000).utf8),
      Array(String(repeating: "{\"version\":", count: 10_000).utf8),
      Array("{\"version\":1,\"run\":\"\\ud800\",\"time\":1,\"event\":\"run-finished\"}".utf8),
      Array("[]".utf8), Array("null".utf8), Array("1".utf8), Array("\"version\"".utf8),
    ])
  func `garbage is damage, and its neighbours are read`(line: [UInt8]) throws {
    let good = Array(Self.good.utf8)
    let journal = try journal(good, line, good)
    #expect(journal.damage.map(\.line) == [2])
    #expect(journal.records.count == 2)
  }

  @Test func `a line of many megabytes is damage`() throws {
    let journal = try journal(
      Array(Self.good.utf8), [UInt8](repeating: 0x7b, count: 30_000_000), Array(Self.good.utf8))
    #expect(journal.damage.map(\.line) == [2])
    #expect(journal.records.count == 2)
  }

  @Test(
    arguments: [
      ("\"time\":-1", "'time' can't be -1"), ("\"time\":1e300", "'time' can't be 1e+300"),
      ("\"time\":1e999", ""), ("\"time\":NaN", ""), ("\"version\":0", "there is no format 0"),
      ("\"version\":-1", "there is no format -1"), ("\"version\":2", "written in format 2"),
      ("\"version\":1e40", ""), ("\"seconds\":-0.5", "'seconds' can't be -0.5"),
      ("\"seconds\":1e19", "'seconds' can't be 1e+19"),
      ("\"outcome\":\"timed-out\",\"limit\":1e19", "'limit' can't be"),
      ("\"outcome\":\"crashed\",\"signal\":99999999999", "not a journal record: "),
    ])
  func `numbers that no clock has measured are damage`(field: String, reason: String) {
    var fields = [
      "version": "\"version\":1", "time": "\"time\":1", "seconds": "\"seconds\":0",
      "outcome": "\"outcome\":\"passed\"",
    ]
    let name = field.split(separator: "\"")[0]
    fields[String(name)] = field
    let line =
      "{\(fields.values.joined(separator: ",")),\"run\":\"r\",\"event\":\"case-finished\","
      + "\"case\":\"a/b@c\"}"
    let error = #expect(throws: JournalLineError.self) { try JournalRecord(line: line) }
    #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func `an unknown kind is named`() {
    let line =
      #"{"version":1,"run":"r","time":1,"event":"implementation","implementation":{"contract":"#
      + #""c","id":"i","kind":"alive","lacks":{},"deviations":[]}}"#
    let error = #expect(throws: JournalLineError.self) { try JournalRecord(line: line) }
    #expect(error?.reason == "not a journal record: 'implementation.kind' is not understood")
  }

  @Test func `a record after a stump is read, and the stump is damage`() {
    let stump = Self.good.dropLast(9)
    let journal = Journal(text: "\(stump)\(Self.good)\n\(Self.good)\n")
    #expect(journal.damage.map(\.line) == [1])
    #expect(journal.records.count == 2)
  }

  @Test func `two whole records on one line are both read`() {
    let journal = Journal(text: Self.good + Self.good)
    #expect(journal.damage.isEmpty)
    #expect(journal.records.count == 2)
  }

  @Test func `a journal cut at any byte keeps every whole line and merges with the next`() {
    let text = EvidenceSample(
      outcomes: ["second@fake": .failed, "third@real": .deviates(reason: "é \"quoted\" 🍪")]
    ).text
    let whole = Array(text.utf8)
    let all = Journal(text: text).records
    var lines = 0
    for length in 0...whole.count {
      if length > 0, whole[length - 1] == 0x0a { lines += 1 }
      let cut = String(decoding: whole[..<length], as: UTF8.self)
      let isWhole =
        length == 0 || whole[length - 1] == 0x0a || length == whole.count || whole[length] == 0x0a
      let journal = Journal(text: cut)
      let kept = isWhole && length > 0 && whole[length - 1] != 0x0a ? lines + 1 : lines
      #expect(journal.records == Array(all[..<kept]))
      #expect(journal.damage.map(\.line) == (isWhole ? [] : [lines + 1]))
      guard length.isMultiple(of: 41) else { continue }
      let merged = Journal(text: cut + text)
      #expect(merged.records == Array(all[..<kept]) + all)
      #expect(merged.damage.count == (isWhole ? 0 : 1))
      // What is in the journal twice changes nothing.
      let matrix = Matrix(merged.records)
      #expect(matrix == Matrix(all))
    }
  }

  @Test func `a case in flight has crashed, wherever the journal ends`() {
    let records = EvidenceSample().records
    for count in 0...records.count {
      let matrix = Matrix(Array(records[..<count]))
      if case .caseStarted(let id) = records[..<count].last?.event {
        let crashed = matrix.results.filter { $0.outcome == .crashed(signal: 0) }
        #expect(crashed.map(\.id) == [id])
      } else {
        #expect(matrix.results.allSatisfy { $0.outcome == .passed })
      }
    }
  }

  @Test func `results that no record declares are a problem`() {
    let records = EvidenceSample().records.filter { record in
      if case .implementation(let one) = record.event { one.kind == .fake } else { true }
    }
    #expect(
      Matrix(records).problems == [
        "there are results of things@real and no record that declares it: a part of the journal is "
          + "missing"
      ])
    #expect(Matrix(records).isFailure)
  }

  // MARK: - Text that means harm

  /// What somebody would like a reader to take for their own.
  private static let harm = [
    "\u{1B}[2J\u{1B}]0;owned\u{7}", "a\r\n::error::planted", "a\n::error::planted\rb",
    "\u{85}\u{9B}31m", "\u{202E}evil\u{2066}\u{200F}", "</script><script>alert(1)</script>",
    "<\u{301}script>", "a|\u{301}b", "`` ` ``", "x]]>y", "nul \u{0} \u{FFFF} \u{B}",
    "[a](javascript:alert(1))", "'; rm -rf / #", "%0A::error::planted", "\" onclick=\"alert(1)",
    String(repeating: "long ", count: 4000), String(repeating: "x", count: 20_000),
  ]

  /// A matrix with a text in every place that a journal can put one.
  private func matrix(saying text: String) -> Matrix {
    let clause = ClauseSummary(
      id: "c\(text)", sentence: text, source: text, group: text, requires: [text], absenceOf: nil,
      file: text, path: "/p/\(text)", line: 1)
    let other = ClauseSummary(
      id: "d\(text)", sentence: text, source: text, group: text, requires: [], absenceOf: nil,
      file: text, path: text, line: 1)
    let contract = ContractSummary(
      id: "k", title: text, revision: 1, clauses: [clause, other], dropped: [other.id: text],
      unproven: [text])
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

  @Test(arguments: harm)
  func `a terminal gets no control characters and no line that is too wide`(text: String) {
    let report = TerminalReport(matrix(saying: text), slowest: 5).text
    #expect(
      report.unicodeScalars.allSatisfy { scalar in
        scalar == "\n"
          || scalar.properties.generalCategory != .control
            && !(0x202a...0x202e).contains(scalar.value)
            && !(0x2066...0x2069).contains(scalar.value)
      })
    for line in report.split(separator: "\n") {
      #expect(line.count <= TerminalReport.width)
      #expect(!line.drop { $0 == " " }.hasPrefix("::"), "a runner would obey \(line)")
    }
  }

  @Test(arguments: harm)
  func `annotations are one line each, and each begins as one of ours`(text: String) {
    let annotations = GitHubAnnotations(matrix(saying: text), root: "/").text
    // Runners end lines at either character.
    let lines = annotations.unicodeScalars.split { "\r\n".unicodeScalars.contains($0) }
    #expect(lines.count == 4)
    for line in lines {
      let line = String(line)
      #expect(line.hasPrefix("::error") || line.hasPrefix("::warning"))
    }
  }

  @Test(arguments: harm)
  func `JUnit stays well-formed, with one element for each case`(text: String) throws {
    let document = try XMLDocument(xmlString: JUnitReport(matrix(saying: text)).text)
    let cases = try document.nodes(forXPath: "//testcase")
    // Four implementations, of two clauses each, a saboteur and a problem.
    #expect(cases.count == 10)
    #expect(try document.nodes(forXPath: "//script").isEmpty)
  }

  @Test(arguments: harm)
  func `HTML holds no element and no attribute that is not ours`(text: String) throws {
    let page = HTMLReport(matrix(saying: text)).text
    #expect(page.components(separatedBy: "<script").count == 2)
    #expect(!page.contains("\" onclick"))
    #expect(!page.contains("href=\"javascript"))
    #expect(!page.unicodeScalars.contains("\u{1B}"))
    #expect(!page.unicodeScalars.contains("\u{202E}"))
  }

  @Test(arguments: harm)
  func `Markdown keeps its table, and code and addresses their ends`(text: String) {
    let report = MarkdownReport(matrix(saying: text)).text
    #expect(!Self.withoutCode(report).contains("<script"))
    #expect(!report.unicodeScalars.contains("\u{1B}"))
    #expect(!Self.withoutCode(report).contains("](javascript"))
    let rows = report.split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(rows.count == 4, "a head, a rule and two clauses")
    for row in rows {
      let bars = row.unicodeScalars.reduce(into: (count: 0, isEscaped: false)) { state, scalar in
        if scalar == "|", !state.isEscaped { state.count += 1 }
        state.isEscaped = scalar == "\\" && !state.isEscaped
      }
      #expect(bars.count == 7, "\(row.prefix(300))")
    }
  }

  /// Markdown without code spans and escaped characters (GFM §6.1, §6.3).
  private static func withoutCode(_ text: String) -> String {
    var result = ""
    var rest = Array(text.unicodeScalars)[...]
    func fence(at start: Int) -> Int { rest[start...].prefix { $0 == "`" }.count }
    while let scalar = rest.first {
      let length = fence(at: rest.startIndex)
      guard length > 0 else {
        // A backslash takes the next character's meaning.
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
