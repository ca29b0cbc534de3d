import Foundation

/// The failures as workflow commands of GitHub Actions, each pointing into its clause.
///
/// What is no failure and no evidence either is a warning: a clause that was dropped, or run on
/// another revision of its contract.
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
    var lines = matrix.problems.map { command("error", title: nil, at: nil, nil, $0) }
    for table in matrix.tables {
      for row in table.rows {
        for case let result? in row.cells.map({ $0?.result }) where result.outcome.isFailure {
          lines += annotations(of: result, on: row.clause)
        }
      }
      for result in table.saboteurs where !result.isCaught {
        let clause = table.contract.clauses.first { $0.id == result.clause }
        lines.append(
          command(
            "error", title: "\(table.contract.id)@saboteur.\(result.saboteur)", at: clause?.path,
            clause?.line, "\(result.clause): \(result.message)"))
      }
      for row in table.rows {
        guard let reason = table.contract.dropped[row.clause.id] else { continue }
        lines.append(
          command(
            "warning", title: "\(table.contract.id)/\(row.clause.id)", at: row.clause.path,
            row.clause.line, "not run: \(reason)"))
      }
      for outdated in table.outdated {
        lines.append(
          command(
            "warning", title: "\(table.contract.id)@\(outdated.implementation)", at: nil, nil,
            outdated.sentence))
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func annotations(of result: CaseResult, on clause: ClauseSummary) -> [String] {
    let title = result.id.description
    guard !result.issues.isEmpty else {
      return [
        command(
          "error", title: title, at: clause.path, clause.line,
          result.outcome.reason ?? result.outcome.name)
      ]
    }
    return result.issues.map { issue in
      command("error", title: title, at: issue.path, issue.line, issue.message)
    }
  }

  private func command(
    _ name: String, title: String?, at path: String?, _ line: Int?, _ message: String
  ) -> String {
    var properties: [String] = []
    if let path {
      properties.append("file=\(Self.property(relative(path)))")
      if let line { properties.append("line=\(line)") }
    }
    if let title { properties.append("title=\(Self.property(title))") }
    let list = properties.isEmpty ? "" : " " + properties.joined(separator: ",")
    return "::\(name)\(list)::\(Self.data(message))"
  }

  /// The path from the root on: its end that is there, where another machine ran the case.
  private func relative(_ path: String) -> String {
    if path.hasPrefix(root) { return String(path.dropFirst(root.count)) }
    var rest = path[...]
    while let slash = rest.firstIndex(of: "/") {
      rest = rest[rest.index(after: slash)...]
      if !rest.isEmpty, root != "/", FileManager.default.fileExists(atPath: root + rest) {
        return String(rest)
      }
    }
    return path
  }

  private static func data(_ text: String) -> String {
    text.escaping { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      case _ where scalar.value < 0x20 && scalar != "\t": "\u{FFFD}"
      default: nil
      }
    }
  }

  private static func property(_ text: String) -> String {
    data(text).escaping { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : nil }
  }
}
