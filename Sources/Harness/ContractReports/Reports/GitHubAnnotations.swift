public import ContractEvidence
import Foundation

/// The failures of a matrix as workflow commands of GitHub Actions, which annotate the clauses.
///
/// Failures are errors. Missing evidence is a warning: a dropped clause, a case that the budget left out,
/// a result for another revision, or a contract of this package for which no saboteur ran. So is a
/// change from an earlier matrix that loses evidence, or that excuses a failure.
public struct GitHubAnnotations: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// The folder that paths are relative to: the root of the repository.
  public var root: String

  /// The changes from an earlier matrix, if there is one.
  public var changes: MatrixDifference?

  /// Creates annotations.
  public init(_ matrix: Matrix, root: String, changes: MatrixDifference? = nil) {
    self.matrix = matrix
    self.changes = changes
    self.root = root.hasSuffix("/") ? root : root + "/"
  }

  /// The commands, one a line.
  public var text: String {
    var lines = matrix.problems.map { command("error", title: nil, at: nil, nil, $0) }
    for table in matrix.tables { append(table, to: &lines) }
    // What fails is an error already.
    for change in changes?.changes ?? [] where change.kind.treatment != .ignored {
      let clause = matrix.tables.first { $0.contract.id == change.contract }?
        .contract.clauses.first { $0.id == change.clause }
      let isLoss = change.kind.exitBit != 0 || change.kind == .changedDeviation
      lines.append(
        command(
          isLoss ? "warning" : "notice", title: change.contract == nil ? nil : change.name,
          at: clause?.path, clause?.line, change.statement))
    }
    let shown = lines.prefix(Self.greatestCount)
    let rest = lines.count - shown.count
    let note =
      rest == 0 ? [] : [command("notice", title: nil, at: nil, nil, "\(rest) more are left out")]
    return (shown + note).map { $0 + "\n" }.joined()
  }

  /// The most commands. GitHub shows ten of a kind in each step.
  private static let greatestCount = 1_000

  /// The most characters of a message; GitHub cuts an annotation off after 64 KiB.
  private static let messageLength = 4_000

  private func append(_ table: Matrix.Table, to lines: inout [String]) {
    for row in table.rows {
      for cell in row.cells.compactMap(\.self) where cell.result.outcome.isFailure {
        lines += annotations(of: cell, on: row.clause)
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
      for cell in row.cells.compactMap(\.self) {
        guard case .notRun(let reason) = cell.result.outcome else { continue }
        lines.append(
          command(
            "warning", title: cell.name, at: row.clause.path, row.clause.line, "not run: \(reason)")
        )
      }
      guard let reason = table.contract.dropped[row.clause.id] else { continue }
      lines.append(
        command(
          "warning", title: "\(table.contract.id)/\(row.clause.id)", at: row.clause.path,
          row.clause.line, "not run: \(reason)"))
    }
    for remark in table.remarks {
      lines.append(
        command(
          "warning", title: "\(table.contract.id)@\(remark.subject)", at: nil, nil,
          remark.sentence))
    }
    if table.saboteurs.isEmpty {
      lines.append(
        command(
          table.contract.isOwn == true ? "warning" : "notice", title: table.contract.id, at: nil,
          nil, "strength: \(table.strength)"))
    }
  }

  private func annotations(of cell: Matrix.Cell, on clause: ClauseSummary) -> [String] {
    let result = cell.result
    let title = cell.name
    var isFlaky = false
    if case .flaky = result.outcome { isFlaky = true }
    guard !result.issues.isEmpty, !isFlaky else {
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

  /// The path relative to the root.
  ///
  /// If another machine ran the case, its root is unknown: this returns the longest end of the path
  /// that exists below the root here.
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
    text.clipped(to: messageLength).printable.escaping { scalar in
      switch scalar {
      case "%": "%25"
      case "\n": "%0A"
      default: nil
      }
    }
  }

  private static func property(_ text: String) -> String {
    data(text).escaping { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : nil }
  }
}
