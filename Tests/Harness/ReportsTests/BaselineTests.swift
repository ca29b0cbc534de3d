import ContractEvidence
import ContractReports
import EvidenceSamples
import Testing

@Suite struct BaselineTests {
  private func text(_ outcomes: [String: Outcome]) -> String {
    Baseline(of: Journal(records: EvidenceSample(outcomes: outcomes).records)).text
  }

  @Test func `nothing is declared if nothing fails`() {
    #expect(text([:]).isEmpty)
  }

  @Test func `clauses that fail alike share one declaration, with what was observed`() {
    #expect(
      text(["first@real": .failed, "third@real": .failed]) == """
        // things@real: add to the declaration of 'real'
        // first: Suite/Things.swift:42: got "2" <not> 1 | & more
        // third: Suite/Things.swift:42: got "2" <not> 1 | & more
        .deviating(
          from: "first", "third",
          because: "TODO", on: .linux)

        """)
  }

  @Test func `crashes and timeouts are declared with their manner, apart from failures`() {
    let text = text([
      "first@real": .crashed(signal: 11), "second@real": .timedOut(seconds: 1.5),
      "third@real": .failed,
    ])
    #expect(text.contains("from: \"first\",\n  by: .crashing, because: \"TODO\""))
    #expect(text.contains("by: .timingOut(after: .seconds(2)), because: \"TODO\""))
    #expect(text.components(separatedBy: ".deviating(").count == 4)
  }

  @Test func `a case that also passed is intermittent`() {
    let failing = EvidenceSample(outcomes: ["first@real": .failed]).records
    let passing = EvidenceSample(liveAge: 600).records.map { record in
      JournalRecord(run: record.run + "-before", time: record.time, event: record.event)
    }
    let text = Baseline(of: Journal(records: passing + failing)).text
    #expect(text.contains("intermittently: true, because: \"TODO\""), "\(text)")
  }

  /// A journal in which the live implementation ran once more.
  private func text(
    on outcomes: [String: Outcome], commit: String? = nil, _ reruns: EvidenceSample.Rerun...
  ) -> String {
    var sample = EvidenceSample(outcomes: outcomes)
    sample.commit = commit
    sample.reruns = reruns
    return Baseline(of: Journal(records: sample.records)).text
  }

  @Test func `a case that fails on one platform and passes on another is not intermittent`() {
    let text = text(
      on: [:], .init(platform: "macos", age: 30, outcomes: ["first": .failed]))
    #expect(text.contains("because: \"TODO\", on: .macOS)"), "\(text)")
    #expect(!text.contains("intermittently"))
  }

  @Test func `a case that fails alike on two platforms names both`() {
    let text = text(
      on: ["first@real": .failed],
      .init(platform: "macos", age: 30, outcomes: ["first": .failed]))
    #expect(text.contains("because: \"TODO\", on: [.linux, .macOS])"), "\(text)")
  }

  @Test func `a case that fails in another way on another platform has two declarations`() {
    let text = text(
      on: ["first@real": .failed],
      .init(platform: "macos", age: 30, outcomes: ["first": .crashed(signal: 11)]))
    #expect(text.contains("  because: \"TODO\", on: .linux)"), "\(text)")
    #expect(text.contains("  by: .crashing, because: \"TODO\", on: .macOS)"), "\(text)")
  }

  @Test func `a flaky case names the platform where it is flaky, and how it failed there`() {
    let text = text(
      on: [:], commit: "aaaa", .init(platform: "macos", commit: "aaaa", age: 30),
      .init(
        platform: "macos", commit: "aaaa", age: 20, outcomes: ["first": .crashed(signal: 11)]))
    #expect(
      text.contains("by: .crashing, intermittently: true, because: \"TODO\", on: .macOS)"),
      "\(text)")
  }

  @Test func `a case that passed on an earlier commit is not intermittent`() {
    let text = text(
      on: [:], commit: "aaaa", .init(commit: "bbbb", age: 30, outcomes: ["first": .failed]))
    #expect(text.contains("because: \"TODO\", on: .linux)"), "\(text)")
    #expect(!text.contains("intermittently"))
  }

  @Test func `a failing fake is a remark and not a declaration`() {
    let text = text(["first@fake": .failed, "second@fake": .failed])
    #expect(text == "// things@fake: 2 cases of this fake fail. Correct the fake.\n")
  }

  @Test func `all clauses that fail for one capability suggest to lack it`() {
    let records = EvidenceSample(outcomes: ["first@real": .failed, "second@real": .failed]).records
      .map { record in
        guard case .contract(var summary) = record.event else { return record }
        for index in 0..<2 { summary.clauses[index].requires = ["persistence"] }
        return JournalRecord(run: record.run, time: record.time, event: .contract(summary))
      }
    let text = Baseline(of: Journal(records: records)).text
    #expect(text.contains("// All 2 clauses that require 'persistence' fail."), "\(text)")
  }

  @Test func `a message can't end the comment that shows it`() {
    let records = EvidenceSample(outcomes: ["first@real": .failed]).records.map { record in
      guard case .caseFinished(var result) = record.event, result.outcome == .failed else {
        return record
      }
      result.issues[0].message = "one\r\u{2028}.deviating(from: \"x\")\u{1b}[2J"
      return JournalRecord(run: record.run, time: record.time, event: .caseFinished(result))
    }
    let text = Baseline(of: Journal(records: records)).text
    #expect(text.contains("Things.swift:42: one\n.deviating(\n  from: \"first\","), "\(text)")
    #expect(!text.unicodeScalars.contains("\u{1b}"))
  }

  @Test(arguments: [
    "a\nimport Evil", "\r\nfunc evil() {}", "\u{2028}x", "\\(evil())", "\", \"b", "é\u{0}", "*/ x",
  ])
  func `no id of a crafted journal becomes code`(id: String) {
    let records = EvidenceSample(outcomes: ["first@real": .failed]).records.map { record in
      var record = record
      switch record.event {
      case .contract(var summary):
        summary.clauses[0].id = id
        summary.clauses[0].requires = [id]
        summary.clauses[1].requires = [id]
        record.event = .contract(summary)
      case .implementation(var one) where one.kind == .live:
        one.id = id
        record.event = .implementation(one)
      case .caseFinished(var result):
        if result.id.clause == "first" { result.id.clause = id }
        if result.id.implementation == "real" { result.id.implementation = id }
        if !result.issues.isEmpty { (result.issues[0].message, result.issues[0].file) = (id, id) }
        record.event = .caseFinished(result)
      default: break
      }
      return record
    }
    let text = Baseline(of: Journal(records: records)).text
    let code = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("//") }
    #expect(code.count == 3, "\(text)")
    let literal = id.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    #expect(code[1] == "  from: \"\(literal)\",")
    #expect(literal.utf8.allSatisfy { 0x20..<0x7f ~= $0 })
  }
}
