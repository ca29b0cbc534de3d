public import ContractEvidence

/// The formats of a report.
public enum ReportFormat: String, Sendable, CaseIterable {
  /// Text for a terminal.
  case terminal
  /// GitHub-flavoured Markdown.
  case markdown
  /// A self-contained HTML page.
  case html
  /// Workflow commands of GitHub Actions that annotate the clauses.
  case github

  /// A report on a matrix in this format.
  ///
  /// - Parameters:
  ///   - matrix: The matrix.
  ///   - usesColour: Whether the terminal report is coloured.
  ///   - width: The width of the terminal report in columns, from 80 to 200.
  ///   - root: The folder that paths in annotations are relative to.
  ///   - showsAll: Whether a long terminal report is not abridged.
  ///   - changes: The changes from an earlier matrix, which the report lists.
  public func text(
    of matrix: Matrix, usesColour: Bool = false, width: Int = TerminalReport.width,
    root: String = "/", showsAll: Bool = false, changes: MatrixDifference? = nil
  ) -> String {
    switch self {
    case .terminal:
      var report = TerminalReport(
        matrix, usesColour: usesColour, showsAll: showsAll)
      report.width = width
      return report.text + (changes.map { "changes:\n" + $0.text } ?? "")
    case .markdown: return MarkdownReport(matrix, changes: changes).text
    case .html: return HTMLReport(matrix, changes: changes).text
    case .github: return GitHubAnnotations(matrix, root: root, changes: changes).text
    }
  }
}
