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
  /// A flaky case becomes an intermittent deviation. A declaration names the platforms on which its
  /// cases failed. Failing fakes and declared deviations that no longer hold are remarks, because
  /// they need a correction.
  ///
  /// - Parameters:
  ///   - journal: The records of one or several runs.
  ///   - isWanted: Whether to include an implementation, by its id.
  public init(of journal: Journal, where isWanted: (String) -> Bool = { _ in true }) {
    let outcomes = Self.failures(in: journal)
    var sections: [String] = []
    for table in Matrix(journal).tables {
      for (index, column) in table.columns.enumerated()
      where isWanted(column.implementation.id) {
        let failures = table.rows.compactMap { row -> Failure? in
          guard let cell = row.cells[index], cell.result.outcome.isFailure else { return nil }
          let failed = column.platforms.flatMap { outcomes[cell.result.id]?[$0] ?? [] }
          return Failure(
            clause: row.clause, result: cell.result, failed: failed, platforms: column.platforms)
        }
        sections += Self.section(failures, of: column.implementation, in: table)
      }
    }
    text = sections.joined(separator: "\n")
  }

  /// The failed results of each case by platform. A flaky cell does not say how its case failed.
  private static func failures(in journal: Journal) -> [CaseID: [String: [Outcome]]] {
    var platforms: [String: String] = [:]
    for record in journal.records {
      if case .runStarted(let run) = record.event { platforms[record.run] = run.platform }
    }
    var failures: [CaseID: [String: [Outcome]]] = [:]
    for record in journal.records {
      guard case .caseFinished(let result) = record.event, result.outcome.isFailure else {
        continue
      }
      failures[result.id, default: [:]][platforms[record.run] ?? "", default: []]
        .append(result.outcome)
    }
    return failures
  }

  private static func section(
    _ failures: [Failure], of implementation: ImplementationSummary, in table: Matrix.Table
  ) -> [String] {
    guard !failures.isEmpty else { return [] }
    let name = "\(table.contract.id)@\(implementation.id)".inComment
    if implementation.kind == .fake {
      return [
        "// \(name): \(failures.count) cases of this fake fail. Correct the fake.\n"
      ]
    }
    let declared = Set(implementation.deviations.map(\.clause))
    var lines = ["// \(name): add to the declaration of '\(implementation.id.inComment)'"]
    for failure in failures where declared.contains(failure.clause.id) {
      lines.append("// \(failure.clause.id.inComment) is declared already: \(failure.message)")
    }
    let new = failures.filter { !declared.contains($0.clause.id) }
    lines += capabilities(that: new, suggest: table, for: implementation)
    for (cause, group) in groups(of: new) {
      lines += declaration(of: group, cause: cause)
    }
    return [lines.map { $0 + "\n" }.joined()]
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
      return "// All \(clauses.count) clauses that require '\(capability.inComment)' fail. If the "
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
    let clauses = group.map { $0.clause.id.swiftLiteral }.joined(separator: ", ")
    var arguments: [String] = []
    if let manner = cause.manner { arguments.append("by: \(manner)") }
    if cause.isIntermittent { arguments.append("intermittently: true") }
    arguments.append("because: \"TODO\"")
    if let platforms = cause.platforms { arguments.append("on: \(platforms)") }
    return group.map { "// \($0.clause.id.inComment): \($0.message)" } + [
      ".deviating(", "  from: \(clauses),", "  \(arguments.joined(separator: ", ")))",
    ]
  }
}

/// What failing cases have in common if one declaration covers them.
private struct Cause: Hashable {
  /// The argument `by:`, or `nil` for a failed expectation.
  var manner: String?
  var isIntermittent: Bool
  /// The argument `on:`, or `nil` if a platform is not known or the case failed on every platform.
  var platforms: String?
  /// The message without the values that differ between clauses.
  var message: String
}

private struct Failure {
  var clause: ClauseSummary
  var cause: Cause
  /// The first line of the first issue, for a comment.
  var message: String

  init(clause: ClauseSummary, result: CaseResult, failed: [Outcome], platforms: [String]) {
    self.clause = clause
    let issue = result.issues.first
    let text = issue?.message ?? result.outcome.reason ?? "failed"
    let line = text.printable.split(separator: "\n").first.map(String.init) ?? ""
    message = ((issue?.location.map { "\($0): " } ?? "") + line.clipped(to: 100)).inComment
    var isIntermittent = false
    var outcome = result.outcome
    if case .flaky = outcome {
      isIntermittent = true
      // A case that ended this process left no result.
      outcome = failed.last ?? .crashed(signal: 0)
    }
    cause = Cause(
      manner: Self.manner(of: outcome), isIntermittent: isIntermittent,
      platforms: Self.argument(platforms), message: Self.pattern(of: line))
  }

  private static func manner(of outcome: Outcome) -> String? {
    switch outcome {
    case .crashed: ".crashing"
    case .timedOut(let seconds): ".timingOut(after: .seconds(\(Int(seconds.clamped.rounded(.up)))))"
    default: nil
    }
  }

  /// The argument `on:` for the platforms of a column, or `nil` if one of them has no constant.
  private static func argument(_ platforms: [String]) -> String? {
    let constants = ["linux": ".linux", "macos": ".macOS", "apple-mobile": ".appleMobile"]
    let known = platforms.compactMap { constants[$0] }
    guard known.count == platforms.count, let first = known.first else { return nil }
    return known.count == 1 ? first : "[\(known.joined(separator: ", "))]"
  }

  /// Replaces numbers and quoted texts by placeholders.
  private static func pattern(of line: String) -> String {
    line.replacing(/"[^"]*"|'[^']*'|`[^`]*`/, with: "…").replacing(/[0-9]+/, with: "0")
  }
}

extension String {
  /// The text as a Swift string literal, which escapes interpolations and all that is not printable ASCII.
  fileprivate var swiftLiteral: String {
    "\"" + unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
  }

  /// The text on one line, for a comment.
  fileprivate var inComment: String { clipped(to: 200).printable.replacing("\n", with: " ") }
}
