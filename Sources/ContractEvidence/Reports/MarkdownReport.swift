/// The matrix as GitHub-flavoured Markdown, for a step summary or a pull request.
public struct MarkdownReport: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// A report on `matrix`.
  public init(_ matrix: Matrix) { self.matrix = matrix }

  /// The report, newline-terminated.
  public var text: String {
    var lines: [String] = []
    let mark = matrix.isFailure ? "✗" : "✓"
    for (index, line) in matrix.summary.text.split(separator: "\n").enumerated() {
      lines.append(index == 0 ? "**\(mark) \(Self.escaped(String(line)))**" : String(line))
      lines.append("")
    }
    for problem in matrix.problems { lines.append("- ✗ \(Self.escaped(problem))") }
    for table in matrix.tables { append(table, to: &lines) }
    let slowest = matrix.slowest(5)
    if !slowest.isEmpty { lines += ["", "## Slowest cases", ""] }
    for result in slowest {
      lines.append("- `\(result.id)` \(Int(result.seconds * 1000)) ms")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func append(_ table: Matrix.Table, to lines: inout [String]) {
    lines += ["", "## \(Self.escaped(table.contract.title)) (`\(table.contract.id)`)", ""]
    lines.append(
      "| clause | " + table.implementations.map(\.id).joined(separator: " | ") + " | verdict |")
    lines.append("|---" + String(repeating: "|:-:", count: table.implementations.count) + "|---|")
    for row in table.rows {
      let cells = row.cells.map { $0.map { String($0.result.outcome.symbol) } ?? " " }
      let name = "<span title=\"\(Self.quoted(row.clause.sentence))\">\(row.clause.id)</span>"
      let dropped = table.contract.dropped[row.clause.id] == nil ? nil : "not run"
      lines.append(
        "| \(name) | " + cells.joined(separator: " | ")
          + " | \(dropped ?? row.verdict?.rawValue ?? "") |")
    }
    let failures = table.rows.flatMap { row in
      row.cells.compactMap { $0?.result }.filter(\.outcome.isFailure).map { (row.clause, $0) }
    }
    if !failures.isEmpty { lines += ["", "### Failures", ""] }
    for (clause, result) in failures {
      lines.append("- **`\(result.id)`** \(Self.escaped(clause.sentence))")
      if let reason = result.outcome.reason { lines.append("  - \(Self.escaped(reason))") }
      for issue in result.issues {
        let place = issue.line.map { "`\(issue.file ?? "?"):\($0)` " } ?? ""
        lines.append("  - \(place)\(Self.escaped(issue.message))")
      }
    }
    if !table.notes.isEmpty { lines += ["", "### Reasons", ""] }
    for note in table.notes {
      let link = note.link.map { " (<\($0)>)" } ?? ""
      lines.append(
        "- \(note.outcome.symbol) **\(note.implementation)** "
          + "\(Self.escaped(note.outcome.reason ?? ""))\(link): "
          + note.clauses.map { "`\($0)`" }.joined(separator: ", "))
    }
    for (clause, reason) in table.contract.dropped.sorted(by: { $0.key < $1.key }) {
      lines.append("- not run: `\(clause)`, \(Self.escaped(reason))")
    }
    for result in table.saboteurs where !result.isCaught {
      lines.append(
        "- ✗ saboteur **\(result.saboteur)** on `\(result.clause)`: \(Self.escaped(result.message))"
      )
    }
    if !table.saboteurs.isEmpty {
      lines += [
        "",
        "Strength: \(table.provenClauses) of \(table.contract.clauses.count) clauses seen to fail.",
      ]
    }
  }

  /// The text with everything that Markdown or HTML would take for its own made harmless.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\n", "\r", "\r\n": result += " "
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "|", "*", "_", "`", "[", "]", "\\": result += "\\\(character)"
      default: result.append(character)
      }
    }
    return result
  }

  private static func quoted(_ text: String) -> String {
    escaped(text).replacing("\"", with: "&quot;")
  }
}
