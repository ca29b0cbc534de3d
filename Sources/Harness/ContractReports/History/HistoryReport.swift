import ContractEvidence

/// A history as text.
public struct HistoryReport: Sendable {
  /// The history.
  public var history: EvidenceHistory

  /// Creates a report.
  public init(_ history: EvidenceHistory) { self.history = history }

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
    return lines.map { $0.printable.replacing("\n", with: " ").inert + "\n" }.joined()
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
}
