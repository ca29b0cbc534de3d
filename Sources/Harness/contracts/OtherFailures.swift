import ContractEvidence

/// What the log of `swift test` says of failures that the journal doesn't contain: those of tests
/// that are not cases, such as explorations, and the end of the process.
struct OtherFailures {
  /// The issues, or the end of the log if nothing else explains the failure; empty if the matrix
  /// explains it.
  let text: String

  init(log: String, _ matrix: Matrix) {
    let issues = Self.issues(in: log).filter { issue in
      !issue.contains("to run only this case: CONTRACT='") && !issue.contains(": the saboteur '")
        && !matrix.problems.contains { issue.contains($0.prefix { $0 != "\n" }) }
    }
    if !issues.isEmpty {
      text = "\nother failures, from the log:\n" + issues.joined()
    } else if !matrix.isFailure {
      text =
        "\nthe end of the log:\n"
        + log.split(separator: "\n").suffix(20).map { "\($0)\n" }.joined()
    } else {
      text = ""
    }
  }

  /// The issues that Swift Testing printed, each with the lines that belong to it.
  private static func issues(in log: String) -> [String] {
    var issues: [String] = []
    var isInIssue = false
    for line in log.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("✘"), line.contains(" recorded an issue") {
        issues.append("")
        isInIssue = true
      } else if let first = line.first, "◇✔✘➜⚠±".contains(first) {
        isInIssue = false
      }
      if isInIssue { issues[issues.count - 1] += String(line).printable + "\n" }
    }
    return issues
  }
}
