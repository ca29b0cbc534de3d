public import ContractEvidence

/// A matrix as JUnit XML: a suite for each contract and implementation, a test case for each case.
public struct JUnitReport: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// Creates a report.
  public init(_ matrix: Matrix) { self.matrix = matrix }

  /// The report, newline-terminated.
  public var text: String {
    var suites: [Suite] = []
    for table in matrix.tables {
      let contract = table.contract
      for (index, column) in table.columns.enumerated() {
        var suite = Suite(
          name: "\(contract.id)@\(column.name)",
          className: "\(contract.id).\(column.name)")
        for row in table.rows {
          if let reason = contract.dropped[row.clause.id] {
            suite.skip(row.clause.id, because: "not run: \(reason)")
          } else if let cell = row.cells[index] {
            suite.add(cell, of: row.clause)
          }
        }
        suites.append(suite)
      }
      var saboteurs = Suite(
        name: "\(contract.id)@saboteurs", className: "\(contract.id).saboteurs")
      for result in table.saboteurs { saboteurs.add(result) }
      if table.saboteurs.isEmpty {
        saboteurs.skip("strength", because: "strength: \(table.strength)")
      }
      suites.append(saboteurs)
    }
    if !matrix.problems.isEmpty {
      var suite = Suite(name: "problems", className: "problems")
      for (index, problem) in matrix.problems.enumerated() {
        suite.fail("problem-\(index + 1)", type: "problem", message: problem, details: problem)
      }
      suites.append(suite)
    }
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append(
      "<testsuites tests=\"\(suites.map(\.tests).reduce(0, +))\" "
        + "failures=\"\(suites.map(\.failures).reduce(0, +))\" "
        + "errors=\"\(suites.map(\.errors).reduce(0, +))\" "
        + "time=\"\(Self.time(suites.map(\.seconds).reduce(0, +)))\">")
    for suite in suites {
      lines.append(
        "  <testsuite name=\"\(Self.escaped(suite.name))\" tests=\"\(suite.tests)\" "
          + "failures=\"\(suite.failures)\" errors=\"\(suite.errors)\" "
          + "skipped=\"\(suite.skipped)\" time=\"\(Self.time(suite.seconds))\">")
      lines += suite.lines
      lines.append("  </testsuite>")
    }
    lines.append("</testsuites>")
    return lines.map { $0 + "\n" }.joined()
  }

  /// The elements of one suite's test cases, with their counts.
  private struct Suite {
    var name: String
    var className: String
    var lines: [String] = []
    var tests = 0
    var failures = 0
    var errors = 0
    var skipped = 0
    var seconds = 0.0

    init(name: String, className: String) {
      self.name = name
      self.className = className
    }

    mutating func add(_ cell: Matrix.Cell, of clause: ClauseSummary) {
      let result = cell.result
      let outcome = result.outcome
      let details = result.issues.map { $0.text() }.joined(separator: "\n")
      switch outcome {
      case .passed where !cell.isCurrent:
        skip(
          clause.id, because: "ran another revision of the contract", seconds: result.seconds)
      case .passed: add(clause.id, seconds: result.seconds, content: nil)
      case .failed, .flaky:
        fail(
          clause.id, type: outcome.name,
          message: outcome.reason ?? result.issues.first?.message ?? clause.sentence,
          details: details, seconds: result.seconds)
      case .crashed, .timedOut:
        errors += 1
        add(
          clause.id, seconds: result.seconds,
          content: JUnitReport.element(
            "error", type: outcome.name, message: outcome.reason ?? "", details: details))
      case .notRun(let reason): skip(clause.id, because: "not run: \(reason)")
      case .deviates, .notApplicable, .unavailable:
        skip(
          clause.id, because: "\(outcome.name): \(outcome.reason ?? "")", seconds: result.seconds)
      }
    }

    mutating func add(_ result: SaboteurResult) {
      let name = "\(result.saboteur)/\(result.clause)"
      if result.isCaught {
        add(name, seconds: 0, content: nil)
      } else {
        fail(name, type: "escaped", message: result.message, details: result.message)
      }
    }

    mutating func skip(_ name: String, because reason: String, seconds: Double = 0) {
      skipped += 1
      add(
        name, seconds: seconds,
        content: "<skipped message=\"\(JUnitReport.escaped(reason.clipped(to: 1000)))\"/>")
    }

    mutating func fail(
      _ name: String, type: String, message: String, details: String, seconds: Double = 0
    ) {
      failures += 1
      add(
        name, seconds: seconds,
        content: JUnitReport.element("failure", type: type, message: message, details: details))
    }

    private mutating func add(_ name: String, seconds: Double, content: String?) {
      tests += 1
      self.seconds += seconds
      let tag =
        "    <testcase classname=\"\(JUnitReport.escaped(className))\" "
        + "name=\"\(JUnitReport.escaped(name))\" time=\"\(JUnitReport.time(seconds))\""
      lines.append(content.map { "\(tag)>\($0)</testcase>" } ?? "\(tag)/>")
    }
  }

  /// A `failure` or `error` element, with clipped text: XML parsers reject very long attributes.
  private static func element(
    _ name: String, type: String, message: String, details: String
  ) -> String {
    "<\(name) type=\"\(type)\" message=\"\(escaped(message.clipped(to: 1000)))\">"
      + "\(escaped(details.clipped(to: 20_000)))</\(name)>"
  }

  /// Seconds with three decimal places.
  private static func time(_ seconds: Double) -> String {
    let milliseconds = Int((seconds.clamped * 1000).rounded())
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  /// The text for an attribute or an element. Characters that XML 1.0 §2.2 forbids become U+FFFD.
  private static func escaped(_ text: String) -> String {
    text.escaping { scalar in
      switch scalar {
      case "<": "&lt;"
      case ">": "&gt;"
      case "&": "&amp;"
      case "\"": "&quot;"
      case "\n": "&#10;"
      case "\r": "&#13;"
      case "\t": "&#9;"
      case _ where scalar.value < 0x20 || scalar.value == 0xfffe || scalar.value == 0xffff:
        "\u{FFFD}"
      default: nil
      }
    }
  }
}
