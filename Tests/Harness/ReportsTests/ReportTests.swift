import ContractEvidence
import ContractReports
import EvidenceSamples
import Foundation
import Testing

@Suite struct ReportTests {
  @Test(arguments: EvidenceSample.planted, ReportFormat.allCases)
  func `every format reports every planted fault`(sample: EvidenceSample, format: ReportFormat) {
    let text = format.text(of: sample.matrix, root: "/repo")
    for part in sample.expectedText(in: format) {
      #expect(text.contains(part), "\(format) of \(sample) lacks '\(part)':\n\(text)")
    }
  }

  @Test func `HTML loads nothing, and links each cell to its case`() {
    let html = HTMLReport(EvidenceSample(outcomes: ["first@real": .failed]).matrix).text
    #expect(!html.contains("src="))
    #expect(!html.contains("http-equiv"))
    #expect(!html.contains("<link"))
    #expect(html.contains("href=\"#things/first@real\""))
    #expect(html.contains("id=\"things/first@real\""))
    #expect(
      html.contains("CONTRACT=&#39;things/first@real&#39; swift test")
        || html.contains("CONTRACT='things/first@real' swift test"))
  }

  @Test
  func `a page lists failures first, links changes to their cells, and tells flaky from failing`() {
    var sample = EvidenceSample(outcomes: [
      "first@fake": .failed, "second@fake": .flaky(reason: "failed in 1 of 2 tries"),
      "third@real": .unavailable(reason: "down"),
    ])
    sample.version = "Redis 7.2.4"
    let changes = MatrixDifference(from: EvidenceSample().matrix, to: sample.matrix)
    let page = HTMLReport(sample.matrix, changes: changes).text
    for part in [
      "<a href=\"#things/first@fake\"><code>things/first@fake</code></a>",
      "<a href=\"#things/third\"><code>things/third</code></a>",
      "<a href=\"#things\"><code>things@real</code></a> was not recorded, is Redis 7.2.4",
      "<td class=\"verdict bad\">fake lies</td>", "<td class=\"verdict odd\">unproven</td>",
      "<p class=\"legend\">✓ holds", "<span>Failing (1)</span>", "<span>Flaky (1)</span>",
      "<tr class=\"clause flaky\" id=\"things/second\">", "<small>Redis 7.2.4</small>",
    ] {
      #expect(page.contains(part), "no \(part)")
    }
    let list = page.range(of: "<h2>Failures</h2>")
    let table = page.range(of: "<section class=\"contract\"")
    #expect(list.map { list in table.map { list.lowerBound < $0.lowerBound } ?? false } == true)
    #expect(!page.contains("2 ✗"))
  }

  @Test(arguments: [ReportFormat.terminal, .markdown, .html])
  func `a live column without a version is shown as such, and a fake is not`(format: ReportFormat) {
    var sample = EvidenceSample()
    let text = format.text(of: sample.matrix)
    #expect(text.components(separatedBy: "version not recorded").count == 2)
    sample.version = "Redis 7.2.4"
    let known = format.text(of: sample.matrix)
    #expect(known.contains("Redis 7.2.4") && !known.contains("not recorded"))
  }

  @Test func `a version that differs between platforms names each`() {
    var sample = EvidenceSample()
    sample.version = "Redis 7"
    sample.reruns = [.init(platform: "macos", age: 30)]
    let records = sample.records.map { record in
      guard record.run == "rerun-0", case .implementation(var one) = record.event else {
        return record
      }
      one.version = "Redis 8"
      return JournalRecord(run: record.run, time: record.time, event: .implementation(one))
    }
    #expect(Matrix(records).versions == ["things@real: Redis 7 (linux), Redis 8 (macos)"])
  }

  @Test func `an annotation names the issue's line, relative to the repository`() {
    let sample = EvidenceSample(outcomes: ["second@fake": .failed])
    #expect(
      GitHubAnnotations(sample.matrix, root: "/repo").text
        == "::error file=Suite/Things.swift,line=42,title=things/second@fake"
        + "::got \"2\" <not> 1 | & more\n")
  }

  @Test func `an annotation finds the file of a case that another machine ran`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("root-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let suite = folder.appendingPathComponent("Suite")
    try FileManager.default.createDirectory(at: suite, withIntermediateDirectories: true)
    try Data().write(to: suite.appendingPathComponent("Things.swift"))
    let sample = EvidenceSample(outcomes: ["second@fake": .failed])
    #expect(
      GitHubAnnotations(sample.matrix, root: folder.path).text
        .hasPrefix("::error file=Suite/Things.swift,line=42,"))
  }

  @Test func `a crash is annotated at the clause's declaration`() {
    #expect(
      GitHubAnnotations(EvidenceSample(crash: "second@real").matrix, root: "/repo").text
        == "::error file=Suite/Things.swift,line=7,title=things/second@real"
        + "::the process ended during the case\n")
  }

  @Test func `escapes line breaks and percent signs in annotations`() {
    var matrix = EvidenceSample().matrix
    matrix.problems = ["one\ntwo % three"]
    #expect(GitHubAnnotations(matrix, root: "/").text == "::error::one%0Atwo %25 three\n")
  }

  @Test func `reports a truncated journal, in which the last case has no result`() {
    let text = EvidenceSample(outcomes: ["second@fake": .failed]).text
    let whole = Array(text.utf8)
    for length in stride(from: 0, through: whole.count, by: 7) {
      let journal = Journal(text: String(decoding: whole[..<length], as: UTF8.self), path: "j")
      #expect(journal.damage.count <= 1)
      let matrix = Matrix(journal)

      #expect(matrix.defects == matrix.problems)
      for format in ReportFormat.allCases { _ = format.text(of: matrix) }
    }
    let cut = text.range(of: "\"event\":\"case-finished\"")
    let upTo = cut.map { String(text[..<$0.lowerBound]) } ?? ""
    let matrix = Matrix(Journal(text: upTo))
    #expect(matrix.cells.map(\.result.outcome.name) == ["not-run"])
    #expect(matrix.cells.first?.name == "things/first@fake")
    #expect(matrix.problems.count == 1, "\(matrix.problems)")
  }
}

extension EvidenceSample {
  /// A sample of each fault that reports must show.
  static let planted: [EvidenceSample] = [
    EvidenceSample(),
    EvidenceSample(outcomes: ["second@fake": .failed]),
    EvidenceSample(outcomes: ["second@real": .failed]),
    EvidenceSample(outcomes: ["second@fake": .failed, "second@real": .failed]),
    EvidenceSample(outcomes: ["second@real": .deviates(reason: "a known bug")]),
    EvidenceSample(outcomes: ["second@real": .unavailable(reason: "no network")]),
    EvidenceSample(outcomes: ["second@real": .timedOut(seconds: 2)]),
    EvidenceSample(
      outcomes: ["second@real": .notApplicable(capability: "x", reason: "lacks x: tiny")]),
    EvidenceSample(crash: "second@real"),
    EvidenceSample(dropped: ["third": "too slow"]),
    EvidenceSample(saboteur: .escaped),
    EvidenceSample(saboteur: .notRun),
    EvidenceSample(saboteur: .notRun, isOwn: false),
    EvidenceSample(saboteur: .notRun, isOwn: nil),
    EvidenceSample(outcomes: ["second@fake": .deviates(reason: "a known bug")]),
    rerun(.init(platform: "macos", age: 90, outcomes: ["second": .failed])),
    rerun(.init(age: 90, outcomes: ["second": .failed])),
  ]

  private static func rerun(_ rerun: Rerun) -> EvidenceSample {
    var sample = EvidenceSample()
    sample.reruns = [rerun]
    sample.version = "Redis 7.2.4"
    return sample
  }

  /// Text that a report on this sample must contain.
  func expectedText(in format: ReportFormat) -> [String] {
    var parts: [String] = []
    let isTable = [.terminal, .markdown, .html].contains(format)
    for (key, outcome) in outcomes {
      if let reason = outcome.reason, format != .github || outcome.isFailure {
        parts.append(reason)
      }
      if outcome == .failed { parts.append("got ") }
      if outcome.isFailure { parts.append("things/\(key)") }
    }
    if isTable, case .failed? = outcomes["second@fake"] {
      parts.append(outcomes["second@real"] == .failed ? "contract or shared code?" : "fake lies")
    } else if isTable, case .failed? = outcomes["second@real"] {
      parts.append("reality moved")
    }
    if isTable, case .deviates? = outcomes["second@fake"] { parts.append("deviates") }
    if isTable, outcomes["second@real"]?.reason != nil, outcomes["second@real"]?.isFailure == false
    {
      parts.append("unproven")
    }
    for rerun in reruns {
      if rerun.platform != "linux" {
        parts.append("real (macos)")
      } else {
        parts.append("failed in 1 of 2 runs")
      }
      if isTable { parts.append("Redis 7.2.4") }
    }
    if crash != nil { parts.append("the process ended during the case") }
    if saboteur == .escaped { parts.append("twister") }
    if saboteur == .notRun { parts.append("not shown, no saboteur ran") }
    if isTable { parts += dropped.values }
    return parts
  }
}
