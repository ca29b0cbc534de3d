/// The matrix as JUnit XML: a suite for each contract on each implementation, a test for each case.
public struct JUnitReport: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// A report on `matrix`.
  public init(_ matrix: Matrix) { self.matrix = matrix }

  /// The report, newline-terminated.
  public var text: String {
    var suites: [Suite] = []
    for table in matrix.tables {
      for (index, implementation) in table.implementations.enumerated() {
        var suite = Suite(name: "\(table.contract.id)@\(implementation.id)")
        for row in table.rows {
          guard let result = row.cells[index]?.result else { continue }
          suite.add(result, in: implementation, of: row.clause)
        }
        suites.append(suite)
      }
      if !table.saboteurs.isEmpty {
        var suite = Suite(name: "\(table.contract.id)@saboteurs")
        for result in table.saboteurs { suite.add(result) }
        suites.append(suite)
      }
    }
    if !matrix.problems.isEmpty {
      var suite = Suite(name: "problems")
      for (index, problem) in matrix.problems.enumerated() {
        suite.add(
          name: "problem-\(index + 1)", in: "problems", seconds: 0,
          content: Self.failure(type: "problem", message: problem, details: problem))
        suite.failures += 1
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

  /// The tests of one suite, with their counts.
  private struct Suite {
    var name: String
    var lines: [String] = []
    var tests = 0
    var failures = 0
    var errors = 0
    var skipped = 0
    var seconds = 0.0

    init(name: String) { self.name = name }

    mutating func add(
      _ result: CaseResult, in implementation: ImplementationSummary, of clause: ClauseSummary
    ) {
      let details = result.issues.map { issue in
        (issue.line.map { "\(issue.file ?? "?"):\($0): " } ?? "") + issue.message
      }.joined(separator: "\n")
      let reason = result.outcome.reason
      let content: String?
      switch result.outcome {
      case .passed: content = nil
      case .failed:
        failures += 1
        content = JUnitReport.failure(
          type: "failed", message: result.issues.first?.message ?? clause.sentence,
          details: details)
      case .crashed, .timedOut:
        errors += 1
        content =
          "<error type=\"\(result.outcome.name)\" "
          + "message=\"\(JUnitReport.escaped(reason ?? ""))\">"
          + "\(JUnitReport.escaped(details))</error>"
      case .deviates, .notApplicable, .unavailable:
        skipped += 1
        content =
          "<skipped message=\"\(result.outcome.name): \(JUnitReport.escaped(reason ?? ""))\"/>"
      }
      add(
        name: result.id.clause, in: "\(result.id.contract).\(result.id.implementation)",
        seconds: result.seconds, content: content)
    }

    mutating func add(_ result: SaboteurResult) {
      if !result.isCaught { failures += 1 }
      add(
        name: "\(result.saboteur)/\(result.clause)", in: "\(result.contract).saboteurs", seconds: 0,
        content: result.isCaught
          ? nil
          : JUnitReport.failure(type: "escaped", message: result.message, details: result.message))
    }

    mutating func add(name: String, in className: String, seconds: Double, content: String?) {
      tests += 1
      self.seconds += seconds
      let tag =
        "    <testcase classname=\"\(JUnitReport.escaped(className))\" "
        + "name=\"\(JUnitReport.escaped(name))\" time=\"\(JUnitReport.time(seconds))\""
      lines.append(content.map { "\(tag)>\($0)</testcase>" } ?? "\(tag)/>")
    }
  }

  private static func failure(type: String, message: String, details: String) -> String {
    "<failure type=\"\(type)\" message=\"\(escaped(message))\">\(escaped(details))</failure>"
  }

  /// Seconds with three decimals.
  private static func time(_ seconds: Double) -> String {
    let milliseconds = Int((max(0, seconds) * 1000).rounded())
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  /// The text for an attribute or an element; what XML 1.0 §2.2 does not allow becomes U+FFFD.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\r": result += "&#13;"
      case "\t": result += "&#9;"
      case _ where scalar.value < 0x20 || scalar.value == 0xfffe || scalar.value == 0xffff:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
