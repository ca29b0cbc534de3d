/// The failures as workflow commands of GitHub Actions, each pointing into its clause.
public struct GitHubAnnotations: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// The folder that paths are written relative to: the root of the repository.
  public var root: String

  /// Annotations for `matrix`, with paths relative to `root`.
  public init(_ matrix: Matrix, root: String) {
    self.matrix = matrix
    self.root = root.hasSuffix("/") ? root : root + "/"
  }

  /// The commands, a line each.
  public var text: String {
    var lines = matrix.problems.map { "::error::\(Self.data($0))" }
    for result in matrix.results where result.outcome.isFailure {
      let issues = result.issues.isEmpty ? [nil] : result.issues.map(Optional.some)
      for issue in issues {
        let message = issue?.message ?? result.outcome.reason ?? result.outcome.name
        var properties: [String] = []
        if let path = issue?.path { properties.append("file=\(Self.property(relative(path)))") }
        if let line = issue?.line { properties.append("line=\(line)") }
        properties.append("title=\(Self.property(result.id.description))")
        lines.append("::error \(properties.joined(separator: ","))::\(Self.data(message))")
      }
    }
    for table in matrix.tables {
      for result in table.saboteurs where !result.isCaught {
        lines.append(
          "::error title=\(Self.property("\(table.contract.id)@saboteur.\(result.saboteur)"))"
            + "::\(Self.data("\(result.clause): \(result.message)"))")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func relative(_ path: String) -> String {
    path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
  }

  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
