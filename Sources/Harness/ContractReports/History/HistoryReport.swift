import ContractEvidence

/// A history as text or as a self-contained HTML page.
public struct HistoryReport: Sendable {
  /// The history.
  public var history: EvidenceHistory

  /// Creates a report.
  public init(_ history: EvidenceHistory) { self.history = history }

  // MARK: - Text

  /// The report as text, newline-terminated.
  public var text: String {
    var lines = [summary, ""]
    let heads = ["date", "commit", "cases", "failed", "deviate", "problems", "seen to fail"]
    let rows = history.points.map(cells)
    let widths = heads.indices.map { index in
      ([heads] + rows).map { $0[index].count }.max() ?? 0
    }
    for row in [heads] + rows {
      lines.append(
        zip(row, widths).enumerated().map { index, cell in
          let space = String(repeating: " ", count: cell.1 - cell.0.count)
          return index < 2 ? cell.0 + space : space + cell.0
        }.joined(separator: "  "))
    }
    for (title, entries) in sections where !entries.isEmpty {
      lines += ["", "\(title):"] + entries.map { "  \($0.name): \($0.sentence)" }
    }
    return lines.map { $0.printable.replacing("\n", with: " ") + "\n" }.joined()
  }

  private var summary: String {
    let damaged = Set(history.problems.map(\.journal)).count
    guard let first = history.points.first, let last = history.points.last else {
      return "no journal has results" + (damaged == 0 ? "" : ", \(damaged) with problems")
    }
    let count = history.points.count
    return "\(count) journal\(count == 1 ? "" : "s") from \(Day(at: first.time)) to "
      + "\(Day(at: last.time)): \(history.failing.count) failing, \(history.flaky.count) flaky, "
      + "\(damaged) with problems"
  }

  private func cells(of point: EvidenceHistory.Point) -> [String] {
    [
      "\(Day(at: point.time))", point.commit.map { String($0.prefix(12)) } ?? "", "\(point.cases)",
      "\(point.failed)", "\(point.deviating)", "\(point.problems)",
      "\(point.shownClauses) of \(point.clauses)",
    ]
  }

  private var sections: [(title: String, entries: [(name: String, sentence: String)])] {
    [
      ("failing", history.failing.map { ($0.name, $0.sentence) }),
      ("flaky", history.flaky.map { ($0.name, $0.sentence) }),
      ("problems", history.problems.map { ($0.journal, $0.sentence) }),
      (
        "changes",
        history.changes.map { ($0.change.name, "\($0.change.statement), since \($0.point.text)") }
      ),
    ]
  }

  // MARK: - HTML

  /// The report as a page.
  public var html: String {
    var body = "<header>\n<h1>Contract history</h1>\n"
    let isGood = history.failing.isEmpty && history.problems.isEmpty
    body += "<p class=\"state \(isGood ? "good" : "bad")\">"
    body += "\(HTMLPage.escaped(summary))</p>\n</header>\n<main>\n"
    for (title, values) in series { body += chart(title, values) }
    for (title, entries) in sections where !entries.isEmpty {
      body += "<section><h2>\(title.capitalized)</h2><ul class=\"slow\">\n"
      for entry in entries {
        body += "<li><code>\(HTMLPage.escaped(entry.name))</code> "
        body += "\(HTMLPage.escaped(entry.sentence))</li>\n"
      }
      body += "</ul></section>\n"
    }
    return HTMLPage(title: "Contract history", body: body + table + "</main>\n").text
  }

  private var series: [(title: String, values: [Int])] {
    [
      ("Failing cases", history.points.map(\.failed)),
      ("Deviating cases", history.points.map(\.deviating)),
      ("Clauses seen to fail", history.points.map(\.shownClauses)),
    ]
  }

  /// A line over the journals, each at the same distance, with its last value in words.
  private func chart(_ title: String, _ values: [Int]) -> String {
    guard let last = values.last, let greatest = values.max() else { return "" }
    let step = values.count > 1 ? 600 / Double(values.count - 1) : 0
    let points = values.enumerated().map { index, value in
      let height = greatest == 0 ? 0 : 70 * Double(value) / Double(greatest)
      return "\(Int(Double(index) * step) + 5),\(75 - Int(height))"
    }
    return """
      <section><h2>\(title)</h2>
      <p class="numbers">now \(last), at most \(greatest)</p>
      <svg class="chart" viewBox="0 0 610 80" role="img" aria-label="\(title): now \(last)">
      <polyline points="\(points.joined(separator: " "))"/>
      <circle cx="\(values.count > 1 ? 605 : 5)" cy="\(points.last?.split(separator: ",").last ?? "75")" r="4"/>
      </svg></section>

      """
  }

  private var table: String {
    var html = "<section><h2>Journals</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
    for head in [
      "Date", "Commit", "Cases", "Failed", "Deviate", "Problems", "Seen to fail", "Journal",
    ] {
      html += "<th scope=\"col\">\(head)</th>"
    }
    html += "</tr></thead>\n<tbody>\n"
    for point in history.points.reversed() {
      html += "<tr class=\"clause\">"
      for cell in cells(of: point) + [point.name] { html += "<td>\(HTMLPage.escaped(cell))</td>" }
      html += "</tr>\n"
    }
    return html + "</tbody></table></div></section>\n"
  }
}
