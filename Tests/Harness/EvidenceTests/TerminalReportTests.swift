import ContractEvidence
import ContractReports
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
    let end = report.text.split(separator: "\n").suffix(24)
    #expect(end.first == "✗ c/first@i10: got 2")
    #expect(end.dropLast(4).allSatisfy { $0.hasPrefix("✗ c/") })
    #expect(end.dropLast(3).last == "  and 4 more")
    #expect(end.dropLast().last == "clauses: 2 contract or shared code?")
    #expect(end.last == "abridged; every row and reason: contracts report --all")
  }

  @Test func `a fixture that can't be made is one failure with the clauses that it fails`() {
    var events = records(implementations: ["fake", "real"]).map(\.event).filter { event in
      guard case .caseFinished(let result) = event else { return true }
      return result.id.implementation != "real"
    }
    for clause in ["first", "second"] {
      events.append(
        .caseFinished(
          CaseResult(
            id: CaseID(contract: "c", clause: clause, implementation: "real"), outcome: .failed,
            seconds: 0,
            issues: [
              IssueSummary(
                message: "no server", file: "M/F.swift", path: nil, line: 7, isFixture: true)
            ])))
    }
    let report = TerminalReport(
      Matrix(
        run: events.enumerated().map {
          JournalRecord(run: "r", time: Double($0.offset), event: $0.element)
        })
    ).text
    #expect(
      report.contains("\n✗ c@real, 2 clauses\n  - M/F.swift:7: no server\n    first, second\n"),
      "\(report)")
    #expect(!report.contains("✗ c/first@real\n"))
  }

  @Test func `saboteurs that did not run are not said to be caught`() {
    var contract = ContractSummary(id: "c", title: "Things", revision: 1, clauses: [])
    contract.saboteurResults = 3
    let result = SaboteurResult(
      contract: "c", saboteur: "s", clause: "a", isCaught: true, message: "got 2")
    let records = [JournalRecord.Event.contract(contract), .saboteur(result)].map {
      JournalRecord(run: "r", time: 1, event: $0)
    }
    let report = TerminalReport(Matrix(records)).text
    #expect(report.contains("saboteurs caught 1 of 3, 2 did not run"), "\(report)")
  }

  @Test func `a live column names its version, and its witness with the kind`() {
    var events = records(implementations: ["fake", "real", "other"]).map(\.event)
    events.insert(.runStarted(RunSummary(platform: "linux", versions: ["swift": "6.3"])), at: 0)
    events.append(
      .implementation(
        ImplementationSummary(
          contract: "c", id: "real", kind: .live, lacks: [:], deviations: [],
          version: "SQLite 3.40.1")))
    for (clause, kinds) in [("first", [WitnessKind.program]), ("second", [])] {
      events.append(
        .caseFinished(
          CaseResult(
            id: CaseID(contract: "c", clause: clause, implementation: "real"), outcome: .passed,
            seconds: 0,
            witness: WitnessSummary(name: "the rows", isTouched: !kinds.isEmpty, kinds: kinds))))
    }
    let report = TerminalReport(
      Matrix(
        run: events.enumerated().map {
          JournalRecord(run: "r", time: Double($0.offset), event: $0.element)
        })
    ).text
    for line in [
      "  real: SQLite 3.40.1, 1 of 2 cases touched the rows (printed by another program)",
      "  other: no witness",
    ] { #expect(report.contains("\n\(line)\n"), "\(report)") }
  }

  /// A matrix of 60 clauses in two groups, with some outcomes other than passed.
  private func longMatrix(_ outcomes: [String: Outcome] = [:]) -> Matrix {
    let contract = ContractSummary(
      id: "c", title: "Things", revision: 1,
      clauses: (10..<70).map { number in
        ClauseSummary(
          id: "c\(number)", sentence: "it holds", source: nil,
          group: number < 40 ? "One" : "Two", requires: [], absenceOf: nil, file: "M/F.swift",
          line: 1)
      })
    var events: [JournalRecord.Event] = [.contract(contract)]
    for (name, kind) in [
      ("fake", ImplementationKind.fake), ("real", .live), ("spare", .live), ("twin", .live),
    ] {
      events.append(
        .implementation(
          ImplementationSummary(contract: "c", id: name, kind: kind, lacks: [:], deviations: [])))
      for clause in contract.clauses {
        let id = CaseID(contract: "c", clause: clause.id, implementation: name)
        let outcome = outcomes["\(clause.id)@\(name)"] ?? .passed
        let issues =
          outcome == .failed
          ? [IssueSummary(message: "got 2", file: "M/F.swift", path: nil, line: 9)] : []
        events.append(
          .caseFinished(CaseResult(id: id, outcome: outcome, seconds: 0, issues: issues)))
      }
    }
    return Matrix(
      events.enumerated().map {
        JournalRecord(run: "r", time: Double($0.offset), event: $0.element)
      })
  }

  private func abridged(_ outcomes: [String: Outcome] = [:]) -> String {
    let text = TerminalReport(longMatrix(outcomes)).text
    #expect(text.contains("\nabridged; every row and reason: contracts report --all\n"), "\(text)")
    return text
  }

  @Test func `a long report counts what agrees, and --all shows it`() {
    let text = abridged()
    #expect(text.hasPrefix("✓ every clause agrees: c (60)\n"), "\(text)")
    #expect(!text.contains("c10"))
    let all = TerminalReport(longMatrix(), showsAll: true).text
    #expect(all.contains("  c10  ✓     ✓     ✓      ✓\n"), "\(all)")
    #expect(!all.contains("abridged"))
  }

  @Test func `a clause that applies nowhere is not counted as one that agrees`() {
    let text = abridged(
      Dictionary(
        uniqueKeysWithValues: ["fake", "real", "spare", "twin"].map {
          ("c10@\($0)", .notApplicable(capability: "clock", reason: "none"))
        }))
    #expect(text.hasPrefix("✓ every clause agrees: c (59, 1 not applicable)\n"), "\(text)")
  }

  @Test func `a long report says a reason that implementations share once, with its clauses`() {
    let text = abridged([
      "c10@real": .deviates(reason: "slow"), "c11@real": .deviates(reason: "slow"),
      "c10@twin": .deviates(reason: "slow"), "c11@twin": .deviates(reason: "slow"),
    ])
    #expect(
      text.hasPrefix(
        """
        Things (c), 58 of 60 clauses agree
          ≠ real, twin: slow: c10, c11

        """), "\(text)")
  }

  @Test func `a long report counts the deviations of each group if they have many reasons`() {
    var outcomes: [String: Outcome] = [:]
    for number in 10..<16 { outcomes["c\(number)@real"] = .deviates(reason: "reason \(number)") }
    let text = abridged(outcomes)
    #expect(
      text.hasPrefix(
        """
        Things (c), 54 of 60 clauses agree, 6 reasons for ≠
          One  24 of 30 agree  ≠ real 6: c10, c11, c12, c13, c14, c15
          Two  30 of 30 agree

        """), "\(text)")
  }

  @Test func `a long report keeps every detail of what fails, and of what is unproven`() {
    let text = abridged([
      "c10@fake": .failed, "c11@real": .deviates(reason: "r"), "c11@twin": .deviates(reason: "r"),
      "c11@spare": .deviates(reason: "s"), "c12@real": .unavailable(reason: "down"),
      "c12@twin": .unavailable(reason: "down"), "c12@spare": .unavailable(reason: "down"),
    ])
    for line in [
      "  c10  ✗     ✓     ✓      ✓     fake lies", "  c11  ✓     ≠     ≠      ≠     unproven",
      "  c12  ✓     ?     ?      ?     unproven", "✗ c/c10@fake", "  - M/F.swift:9: got 2",
      "  ? real, spare, twin: down: 1 clause", "  ≠ real, twin: r: c11", "  ≠ spare: s: c11",
      "✗ c/c10@fake: got 2",
    ] {
      #expect(text.contains("\(line)\n"), "\(line)\n\(text)")
    }
    #expect(!text.contains("c13"))
  }

  @Test func `colours are used only on request`() {
    let matrix = Matrix(records(implementations: ["fake", "real"]))
    #expect(!TerminalReport(matrix).text.contains("\u{1B}"))
    #expect(TerminalReport(matrix, usesColour: true).text.contains("\u{1B}[31m✗\u{1B}[0m"))
  }
}
