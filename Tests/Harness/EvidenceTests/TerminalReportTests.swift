import ContractEvidence
import Testing

@Suite struct TerminalReportTests {
  private func records(
    implementations: [String], allBroken: Bool = false
  ) -> [JournalRecord] {
    func clause(_ id: String, group: String) -> ClauseSummary {
      ClauseSummary(
        id: id, sentence: "a \(id) does what a \(id) does", source: "RFC 9 §1", group: group,
        requires: [], absenceOf: nil, file: "M/F.swift", line: 1)
    }
    let contract = ContractSummary(
      id: "c", title: "Things", revision: 1,
      clauses: [clause("first", group: "One"), clause("second", group: "Two")])
    var events: [JournalRecord.Event] = [.contract(contract)]
    for (index, name) in implementations.enumerated() {
      events.append(
        .implementation(
          ImplementationSummary(
            contract: "c", id: name, kind: index == 0 ? .fake : .live, lacks: [:],
            deviations: [])))
      for clause in ["first", "second"] {
        let id = CaseID(contract: "c", clause: clause, implementation: name)
        let isBroken = allBroken || index == 0 && clause == "second"
        events.append(.caseStarted(id))
        events.append(
          .caseFinished(
            CaseResult(
              id: id, outcome: isBroken ? .failed : .passed, seconds: 0.5,
              issues: isBroken
                ? [IssueSummary(message: "got 2", file: "M/F.swift", path: nil, line: 9)] : [])))
      }
    }
    return events.enumerated().map {
      JournalRecord(run: "r", time: Double($0.offset), event: $0.element)
    }
  }

  @Test func `a report shows groups, cells, verdicts, failures and a summary`() {
    let report = TerminalReport(Matrix(records(implementations: ["fake", "real"])))
    #expect(
      report.text == """

        Things (c), 2 of 2 clauses
                  fake  real
        One
          first   ✓     ✓
        Two
          second  ✗     ✓     fake lies

        ✗ c/second@fake
          a second does what a second does
          from RFC 9 §1
          - M/F.swift:9: got 2

          strength: not shown, no saboteur ran

        ✓ holds  ✗ fails  ≠ deviates  · not applicable  ? unavailable  ‼ crashed  ∞ timed out  ~ flaky
        ✗ c/second@fake: got 2
        4 cases · 3 passed · 1 failed
        clauses: 1 agree · 1 fake lies

        """)
  }

  @Test(arguments: [1, 5, 12, 30])
  func `no line is wider than 100 columns`(count: Int) {
    let names = (0..<count).map { "implementation-\($0)" }
    let report = TerminalReport(Matrix(records(implementations: names)))
    for line in report.text.split(separator: "\n") {
      #expect(line.count <= TerminalReport.width, "\(line)")
    }
    for name in names { #expect(report.text.contains(name)) }
  }

  @Test func `the end repeats at most 20 failures`() {
    let names = (10..<22).map { "i\($0)" }
    let report = TerminalReport(Matrix(records(implementations: names, allBroken: true)))
    let end = report.text.split(separator: "\n").suffix(23)
    #expect(end.first == "✗ c/first@i10: got 2")
    #expect(end.dropLast(3).allSatisfy { $0.hasPrefix("✗ c/") })
    #expect(end.dropLast(2).last == "  and 4 more")
    #expect(end.last == "clauses: 2 contract wrong?")
  }

  @Test func `colours are used only on request`() {
    let matrix = Matrix(records(implementations: ["fake", "real"]))
    #expect(!TerminalReport(matrix).text.contains("\u{1B}"))
    #expect(TerminalReport(matrix, usesColour: true).text.contains("\u{1B}[31m✗\u{1B}[0m"))
  }
}
