public import ContractEvidence

/// The declarations that would make a journal's failing cases deviations, as Swift source.
///
/// For the first run of an implementation, or on a system where it never ran. Cases that fail alike
/// share one declaration. The reason is `TODO`, which the harness refuses, so that a person decides
/// about each cause.
public struct Baseline: Sendable {
  /// The declarations and remarks; empty if nothing fails.
  public let text: String

  /// Finds the failing cases of a journal.
  ///
  /// A case that also passed in the journal becomes an intermittent deviation. Failing fakes and
  /// declared deviations that no longer hold are remarks, because they need a correction.
  ///
  /// - Parameters:
  ///   - journal: The records of one or several runs.
  ///   - isWanted: Whether to include an implementation, by its id.
  public init(of journal: Journal, where isWanted: (String) -> Bool = { _ in true }) {
    let runs = Self.runs(in: journal)
    var sections: [String] = []
    for table in Matrix(journal).tables {
      for (index, column) in table.columns.enumerated()
      where isWanted(column.implementation.id) {
        let failures = table.rows.compactMap { row -> Failure? in
          guard let cell = row.cells[index], cell.result.outcome.isFailure else { return nil }
          return Failure(
            clause: row.clause, result: cell.result, seen: runs[cell.result.id] ?? [])
        }
        sections += Self.section(failures, of: column.implementation, in: table)
      }
    }
    text = sections.joined(separator: "\n")
  }

  private static func runs(in journal: Journal) -> [CaseID: [Run]] {
    var platforms: [String: String] = [:]
    var runs: [CaseID: [Run]] = [:]
    for record in journal.records {
      if case .runStarted(let run) = record.event { platforms[record.run] = run.platform }
    }
    for record in journal.records {
      guard case .caseFinished(let result) = record.event else { continue }
      runs[result.id, default: []].append(
        Run(hasPassed: result.outcome == .passed, platform: platforms[record.run]))
    }
    return runs
  }

  private static func section(
    _ failures: [Failure], of implementation: ImplementationSummary, in table: Matrix.Table
  ) -> [String] {
    guard !failures.isEmpty else { return [] }
    let name = "\(table.contract.id)@\(implementation.id)"
    if implementation.kind == .fake {
      return [
        "// \(name): \(failures.count) cases of this fake fail. Correct the fake.\n"
      ]
    }
    let declared = Set(implementation.deviations.map(\.clause))
    var lines = ["// \(name): add to the declaration of '\(implementation.id)'"]
    for failure in failures where declared.contains(failure.clause.id) {
      lines.append("// \(failure.clause.id) is declared already: \(failure.message)")
    }
    let new = failures.filter { !declared.contains($0.clause.id) }
    lines += capabilities(that: new, suggest: table, for: implementation)
    for (cause, group) in groups(of: new) {
      lines += declaration(of: group, cause: cause)
    }
    return [lines.joined(separator: "\n") + "\n"]
  }

  /// Suggests to declare a capability as lacking if each clause that requires it fails.
  private static func capabilities(
    that failures: [Failure], suggest table: Matrix.Table, for implementation: ImplementationSummary
  ) -> [String] {
    let failed = Set(failures.map(\.clause.id))
    let requiring = Dictionary(
      grouping: table.rows.map(\.clause).flatMap { clause in
        clause.requires.map { (capability: $0, clause: clause.id) }
      }, by: \.capability)
    return requiring.sorted { $0.key < $1.key }.compactMap { capability, clauses in
      guard implementation.lacks[capability] == nil, clauses.count > 1,
        clauses.allSatisfy({ failed.contains($0.clause) })
      else { return nil }
      return "// All \(clauses.count) clauses that require '\(capability.printable)' fail. If the "
        + "implementation can't do that, declare it with .lacking(…) instead."
    }
  }

  private static func groups(of failures: [Failure]) -> [(Cause, [Failure])] {
    var groups: [(cause: Cause, failures: [Failure])] = []
    for failure in failures {
      if let index = groups.firstIndex(where: { $0.cause == failure.cause }) {
        groups[index].failures.append(failure)
      } else {
        groups.append((failure.cause, [failure]))
      }
    }
    return groups.map { ($0.cause, $0.failures) }
  }

  private static func declaration(of group: [Failure], cause: Cause) -> [String] {
    let clauses = group.map { "\"\($0.clause.id)\"" }.joined(separator: ", ")
    var arguments: [String] = []
    if let manner = cause.manner { arguments.append("by: \(manner)") }
    if cause.isIntermittent { arguments.append("intermittently: true") }
    arguments.append("because: \"TODO\"")
    if let platform = cause.platform { arguments.append("on: .\(platform)") }
    return group.map { "// \($0.clause.id): \($0.message)" } + [
      ".deviating(", "  from: \(clauses),", "  \(arguments.joined(separator: ", ")))",
    ]
  }
}

/// The results of one case in one run.
private struct Run {
  var hasPassed: Bool
  var platform: String?
}

/// What failing cases have in common if one declaration covers them.
private struct Cause: Hashable {
  /// The argument `by:`, or `nil` for a failed expectation.
  var manner: String?
  var isIntermittent: Bool
  /// The argument `on:`, or `nil` if it is not known or the case failed on several systems.
  var platform: String?
  /// The message without the values that differ between clauses.
  var message: String
}

private struct Failure {
  var clause: ClauseSummary
  var cause: Cause
  /// The first line of the first issue, for a comment.
  var message: String

  init(clause: ClauseSummary, result: CaseResult, seen: [Run]) {
    self.clause = clause
    let issue = result.issues.first
    let text = issue?.message ?? result.outcome.reason ?? "failed"
    let line = text.printable.split(separator: "\n").first.map(String.init) ?? ""
    message = (issue?.location.map { "\($0): " } ?? "").printable + line.clipped(to: 100)
    let platforms = Set(seen.filter { !$0.hasPassed }.compactMap(\.platform))
    cause = Cause(
      manner: Self.manner(of: result.outcome), isIntermittent: seen.contains(where: \.hasPassed),
      platform: platforms.count == 1 ? platforms.first.flatMap(Self.argument) : nil,
      message: Self.pattern(of: line))
  }

  private static func manner(of outcome: Outcome) -> String? {
    switch outcome {
    case .crashed: ".crashing"
    case .timedOut(let seconds): ".timingOut(after: .seconds(\(Int(seconds.clamped.rounded(.up)))))"
    default: nil
    }
  }

  /// The constant of `Platform` for a journal's platform.
  private static func argument(_ platform: String) -> String? {
    ["linux": "linux", "macos": "macOS", "apple-mobile": "appleMobile"][platform]
  }

  /// Replaces numbers and quoted texts by placeholders.
  private static func pattern(of line: String) -> String {
    line.replacing(/"[^"]*"|'[^']*'|`[^`]*`/, with: "…").replacing(/[0-9]+/, with: "0")
  }
}
