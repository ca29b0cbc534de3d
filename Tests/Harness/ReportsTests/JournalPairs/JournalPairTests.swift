import ContractEvidence
import ContractReports
import Testing

/// What the comparison, the gate, the history and the reports say of journals that differ in one known way.
@Suite struct JournalPairTests {
  @Test func `there are pairs of every kind`() {
    #expect(JournalPair.all.count >= 200)
    #expect(Set(JournalPair.all.map(\.testDescription)).count == JournalPair.all.count)
  }

  @Test(arguments: JournalPair.all)
  func `the comparison names what changed, and nothing else`(pair: JournalPair) {
    let text = pair.difference.text
    let sections = JournalPair.sections(of: text)
    for (title, names) in pair.changes {
      let entries = sections[title] ?? []
      for name in names {
        #expect(entries.contains { $0.hasPrefix(name) }, "no '\(name)' under '\(title)':\n\(text)")
      }
      // A damaged journal may have lost more than what one change names.
      if !pair.mayAlsoList.contains(title) { #expect(entries.count == names.count, "\(text)") }
    }
    let extra = Set(sections.keys).subtracting(pair.changes.keys).subtracting(pair.mayAlsoList)
    #expect(extra.isEmpty, "\(text)")
    let bits = Set(sections.keys.map { JournalPair.bits[$0] ?? 0 })
    #expect(pair.difference.exitStatus == bits.reduce(0, +), "\(text)")
    for words in pair.mustNotSay { #expect(!text.contains(words), "\(text)") }
  }

  @Test(arguments: JournalPair.all)
  func `the gate names what is wrong, and passes otherwise`(pair: JournalPair) {
    let (head, changes) = (pair.matrix, pair.difference)
    var forbidding = Gate()
    forbidding.forbidsNewDeviations = true
    for (name, gate, changes, expected) in [
      ("gate", Gate(), nil, pair.gate),
      ("with a base", Gate(), changes, pair.gate + pair.gateWithBase),
      (
        "forbidding", forbidding, changes, pair.gate + pair.gateWithBase + pair.gateForbidding
      ),
    ] {
      let problems = gate.problems(in: head, changes: changes, now: EvidenceTime.now)
        .map(\.sentence)
      for part in expected {
        #expect(problems.contains { $0.contains(part) }, "\(name): no '\(part)' in \(problems)")
      }
      #expect(problems.isEmpty == expected.isEmpty, "\(name): \(problems)")
      for words in pair.mustNotSay {
        #expect(!problems.contains { $0.contains(words) }, "\(name): \(problems)")
      }
    }
  }

  @Test(arguments: JournalPair.all)
  func `the history names what fails and what is damaged`(pair: JournalPair) {
    // The base is a day older.
    var base = pair.journals.base
    for index in base.records.indices { base.records[index].time -= 86_400 }
    let history = EvidenceHistory([("base", base), ("head", pair.journals.head)])
    let text = HistoryReport(history).text
    for part in pair.history {
      #expect(text.contains(part), "no '\(part)':\n\(text)")
    }
    if pair.history.isEmpty {
      #expect(text.contains("0 failing, 0 flaky, 0 with problems"), "\(text)")
    }
    for words in pair.mustNotSay { #expect(!text.contains(words), "\(text)") }
  }

  @Test(arguments: JournalPair.all)
  func `every format of the report shows the changes and the problems`(pair: JournalPair) {
    let (head, changes) = (pair.matrix, pair.difference)
    for format in [ReportFormat.terminal, .markdown, .html] {
      let text = format.text(of: head, showsAll: true, changes: changes)
      let words = text.split(whereSeparator: { $0.isWhitespace }).joined(separator: " ")
      for (title, names) in pair.changes {
        #expect(text.contains(title), "\(format)")
        for name in names {
          // Details follow the name in another field or element.
          let name = title.hasPrefix("changed") ? String(name.prefix { $0 != " " }) : name
          #expect(words.contains(name), "\(format) lacks '\(name)'")
        }
      }
    }
    let annotations = GitHubAnnotations(head, root: "/repo").text
    for problem in pair.changes["new problems"] ?? [] {
      #expect(annotations.contains(problem))
    }
    for words in pair.mustNotSay {
      for format in ReportFormat.allCases {
        // The legend of some formats names every outcome.
        let text = format.text(of: head).replacing("‼ crashed", with: "")
          .replacing(/<style>[\s\S]*<\/style>/, with: "")
        #expect(!text.contains(words), "\(format):\n\(text)")
      }
    }
  }
}
