public import ContractEvidence

/// A matrix as GitHub-flavoured Markdown, for a step summary or a pull request.
public struct MarkdownReport: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// The changes from an earlier matrix, if there is one.
  public var changes: MatrixDifference?

  /// Creates a report.
  public init(_ matrix: Matrix, changes: MatrixDifference? = nil) {
    self.matrix = matrix
    self.changes = changes
  }

  /// The most bytes of a report. A step summary of GitHub Actions may have 1 MiB, with what other steps write.
  package var greatestLength = 1_000_000

  /// The most characters of a sentence, reason or message.
  private static let messageLength = 1_000

  /// The report, newline-terminated. Failures come first, and lines beyond 1 MB are left out, as the last line then says.
  public var text: String {
    var text = ""
    for (index, line) in lines.enumerated() {
      if text.utf8.count + line.utf8.count > greatestLength - 200 {
        return text
          + "\n**\(lines.count - index) lines are left out**, because a summary may have 1 MiB; "
          + "`contracts report` shows all\n"
      }
      text += line + "\n"
    }
    return text
  }

  private var lines: [String] {
    var lines: [String] = []
    let mark = matrix.isFailure ? "✗" : "✓"
    for (index, line) in matrix.summary.text.split(separator: "\n").enumerated() {
      lines.append(index == 0 ? "**\(mark) \(Self.escaped(String(line)))**" : String(line))
      lines.append("")
    }
    for run in matrix.runs { lines += ["run: \(Self.escaped(run))", ""] }
    for problem in matrix.problems { lines.append("- ✗ \(Self.escaped(problem))") }
    appendFailures(to: &lines)
    appendChanges(to: &lines)
    for table in matrix.tables { append(table, to: &lines) }
    return lines
  }

  private func appendFailures(to lines: inout [String]) {
    var failures: [(clause: ClauseSummary, cell: Matrix.Cell)] = []
    for row in matrix.tables.flatMap(\.rows) {
      failures += row.cells.compactMap(\.self).filter(\.result.outcome.isFailure).map {
        (row.clause, $0)
      }
    }
    if !failures.isEmpty { lines += ["", "## Failures", ""] }
    for (clause, cell) in failures {
      let result = cell.result
      lines.append(
        "- \(result.outcome.symbol) **\(Self.code(cell.name))** \(Self.escaped(clause.sentence))")
      if let reason = result.outcome.reason { lines.append("  - \(Self.escaped(reason))") }
      for issue in result.issues {
        let location = issue.location.map { Self.code($0) + " " } ?? ""
        lines.append("  - \(location)\(Self.escaped(issue.message))")
      }
    }
  }

  private func appendChanges(to lines: inout [String]) {
    guard let changes else { return }
    lines += ["", "## Changes", ""]
    if changes.isEmpty { lines.append("no difference") }
    for (kind, changes) in changes.sections {
      lines.append("- **\(kind.rawValue)** (\(changes.count))")
      lines += changes.map { change in
        "  - \(Self.code(change.name))" + (change.note.map { " \(Self.escaped($0))" } ?? "")
      }
    }
  }

  private func append(_ table: Matrix.Table, to lines: inout [String]) {
    lines += ["", "## \(Self.escaped(table.contract.title)) (\(Self.code(table.contract.id)))", ""]
    let heads = table.columns.map { column in
      ([column.name] + [column.versionText, column.witnessText].compactMap(\.self))
        .map(Self.escaped).joined(separator: "<br>")
    }
    lines.append("| clause | " + heads.joined(separator: " | ") + " | verdict |")
    lines.append("|---" + String(repeating: "|:-:", count: heads.count) + "|---|")
    for row in table.rows {
      let cells = row.cells.map { $0.map { String($0.result.outcome.symbol) } ?? " " }
      let name =
        "<span title=\"\(Self.quoted(row.clause.sentence))\">"
        + "\(Self.escaped(row.clause.id))</span>"
      let dropped = table.contract.dropped[row.clause.id] == nil ? nil : "not run"
      lines.append(
        "| \(name) | " + cells.joined(separator: " | ")
          + " | \(dropped ?? row.verdict?.rawValue ?? "") |")
    }
    let remarks = table.remarks
    if !table.notes.isEmpty || !remarks.isEmpty || !table.contract.dropped.isEmpty
      || table.saboteurs.contains(where: { !$0.isCaught })
    {
      lines += ["", "### Reasons", ""]
    }
    for note in table.notes {
      let link = note.link.map { " (\(Self.address($0)))" } ?? ""
      lines.append(
        "- \(note.outcome.symbol) **\(Self.escaped(note.implementations.joined(separator: ", ")))** "
          + "\(Self.escaped(note.outcome.reason ?? ""))\(link): "
          + note.clauses.map(Self.code).joined(separator: ", "))
    }
    for remark in remarks { lines.append("- \(Self.escaped(remark.sentence))") }
    for (clause, reason) in table.contract.dropped.sorted(by: { $0.key < $1.key }) {
      lines.append("- not run: \(Self.code(clause)), \(Self.escaped(reason))")
    }
    for result in table.saboteurs where !result.isCaught {
      lines.append(
        "- ✗ saboteur **\(Self.escaped(result.saboteur))** on \(Self.code(result.clause)): "
          + Self.escaped(result.message)
      )
    }
    lines += ["", "strength: \(table.strength)"]
  }

  /// The text with Markdown's and HTML's special characters escaped.
  private static func escaped(_ text: String) -> String {
    text.clipped(to: messageLength).printable.escaping { scalar in
      switch scalar {
      case "\n": " "
      case "<": "&lt;"
      case ">": "&gt;"
      case "&": "&amp;"
      case "|", "*", "_", "`", "[", "]", "\\", "~": "\\\(scalar)"
      default: nil
      }
    }
  }

  /// The address as a link, or as plain text if it is not a safe web address.
  private static func address(_ link: String) -> String {
    link.isWebAddress ? "<\(link)>" : escaped(link)
  }

  /// The text as the value of an HTML attribute, in which Markdown's escapes have no effect.
  private static func quoted(_ text: String) -> String {
    text.clipped(to: messageLength).printable.escaping { scalar in
      switch scalar {
      case "\n": " "
      case "<", ">", "&", "\"", "|", "`", "[", "]", "\\": "&#\(scalar.value);"
      default: nil
      }
    }
  }

  /// The text as a code span, delimited by more backticks than it contains in a row (GFM §6.3).
  private static func code(_ text: String) -> String {
    let text = text.clipped(to: messageLength).printable.escaping {
      $0 == "\n" ? " " : $0 == "|" ? "\\|" : nil
    }
    let longest = text.split(omittingEmptySubsequences: true) { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    return longest == 0 ? "`\(text)`" : "\(fence) \(text) \(fence)"
  }
}
