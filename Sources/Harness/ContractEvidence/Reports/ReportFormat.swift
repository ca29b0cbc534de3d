/// The forms that a report comes in.
public enum ReportFormat: String, Sendable, CaseIterable {
  /// Text for a terminal of 100 columns.
  case terminal
  /// GitHub-flavoured Markdown.
  case markdown
  /// One self-contained page.
  case html
  /// JUnit XML.
  case junit
  /// JSON, by `Schemas/report.schema.json`.
  case json
  /// Workflow commands of GitHub Actions that annotate the clauses.
  case github

  /// A matrix in this form.
  ///
  /// - Parameters:
  ///   - matrix: The matrix.
  ///   - usesColour: Whether a terminal may be coloured.
  ///   - root: The folder that annotations name files relative to.
  public func text(of matrix: Matrix, usesColour: Bool = false, root: String = "/") -> String {
    switch self {
    case .terminal: TerminalReport(matrix, usesColour: usesColour, slowest: 5).text
    case .markdown: MarkdownReport(matrix).text
    case .html: HTMLReport(matrix).text
    case .junit: JUnitReport(matrix).text
    case .json: JSONReport(matrix).text
    case .github: GitHubAnnotations(matrix, root: root).text
    }
  }
}
