import ContractEvidence
import ContractReports
import Foundation
import Testing

/// Compares the tool's output for journals with planted faults with the expected output.
///
/// Set `CONTRACT_UPDATE_EXPECTED=1` to replace the expected output, and read the difference.
@Suite struct PlantedTests {
  /// A folder of `Planted`, with the expected exit codes of `gate` and `diff`.
  struct Fault: CustomTestStringConvertible, Sendable {
    var name: String
    var gate: Int32
    var diff: Int32
    /// The folder to compare with.
    var base = "sound"
    /// Whether reports list the changes, and the gate forbids new deviations.
    var showsChanges = false

    var testDescription: String { name }
  }

  static let faults = [
    Fault(name: "sound", gate: 0, diff: 0),
    Fault(name: "lying-fake", gate: 1, diff: 1),
    Fault(name: "moved-reality", gate: 1, diff: 1),
    Fault(name: "dropped-clause", gate: 1, diff: 4),
    Fault(name: "removed-clause", gate: 0, diff: 4),
    Fault(name: "stale-live", gate: 1, diff: 0),
    Fault(name: "other-revision", gate: 1, diff: 2),
    Fault(name: "crash", gate: 1, diff: 3),
    Fault(name: "no-saboteur", gate: 1, diff: 0),
    Fault(name: "no-saboteur-foreign", gate: 0, diff: 0),
    Fault(name: "no-saboteur-old", gate: 0, diff: 0),
    Fault(name: "old-strength", gate: 1, diff: 0),
    Fault(name: "part-strength", gate: 1, diff: 0),
    Fault(name: "platform-failure", gate: 1, diff: 1),
    Fault(name: "flaky", gate: 1, diff: 3),
    Fault(name: "flaky-old", gate: 1, diff: 3),
    Fault(name: "later-commit", gate: 0, diff: 0),
    Fault(name: "impostor", gate: 1, diff: 2),
    Fault(name: "live-only", gate: 1, diff: 5),
    Fault(name: "described", gate: 0, diff: 0),
    Fault(name: "server-down", gate: 1, diff: 2),
    Fault(name: "new-deviation", gate: 1, diff: 8, showsChanges: true),
    Fault(name: "changed-deviation", gate: 0, diff: 0, base: "new-deviation", showsChanges: true),
    Fault(name: "deviation-gone", gate: 0, diff: 0, base: "new-deviation", showsChanges: true),
    Fault(name: "expired-deviation", gate: 1, diff: 8),
    Fault(name: "proven", gate: 0, diff: 0),
    Fault(name: "proven-long-ago", gate: 1, diff: 0),
    Fault(name: "not-run", gate: 1, diff: 2),
    Fault(name: "retried", gate: 1, diff: 3),
  ]

  @Test(arguments: faults, ReportFormat.allCases)
  func `reports the fault in every format`(fault: Fault, format: ReportFormat) async throws {
    let changes = fault.showsChanges ? ["--base", "base"] : []
    let run = try await run(
      ["report", "journal", "--format", format.rawValue] + changes, on: fault)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    try expect(run.output, toBe: "report.\(format.rawValue)", of: fault)
  }

  @Test(arguments: faults)
  func `the gate rejects the fault`(fault: Fault) async throws {
    let changes = fault.showsChanges ? ["--base", "base", "--forbid", "new-deviations"] : []
    let run = try await run(
      ["gate", "journal", "--require", "live", "--max-age", "7d"] + changes, on: fault)
    #expect(run.status == fault.gate)
    #expect(run.errors.isEmpty)
    try expect(run.output, toBe: "gate", of: fault)
  }

  @Test(arguments: faults)
  func `compares the fault with sound evidence`(fault: Fault) async throws {
    let run = try await run(["diff", "base", "journal"], on: fault)
    #expect(run.status == fault.diff)
    #expect(run.errors.isEmpty)
    try expect(run.output, toBe: "diff", of: fault)
  }

  private func run(_ arguments: [String], on fault: Fault) async throws -> ToolRun {
    try await ToolRun(
      arguments,
      files: [
        "journal": journal(of: fault.name), "base": journal(of: fault.base),
        "Suite/Things.swift": "",
      ])
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Planted")

  /// How much later the present is than 1,800,000,000 s, the present of the journals.
  private let shift = (Date().timeIntervalSince1970 - 1_800_000_000).rounded(.down)

  /// A journal moved in time, so that 1,800,000,000 in the file becomes the current time.
  private func journal(of name: String) throws -> String {
    let file = Self.folder.appendingPathComponent("\(name)/journal.jsonl")
    let journal = try Journal(contentsOf: file.path)
    #expect(journal.damage.isEmpty)
    return journal.records.map { record in
      var record = record
      record.time += shift
      if case .caseFinished(var result) = record.event, let time = result.evidenceTime {
        result.evidenceTime = time + shift
        if case .proven = result.outcome { result.outcome = .proven(at: time + shift) }
        record.event = .caseFinished(result)
      }
      return record.line + "\n"
    }.joined()
  }

  private func expect(_ output: String, toBe name: String, of fault: Fault) throws {
    let file = Self.folder.appendingPathComponent("\(fault.name)/\(name)")
    let output = withoutShift(Self.withoutStyle(output))
    if ProcessInfo.processInfo.environment["CONTRACT_UPDATE_EXPECTED"] != nil {
      try Data(output.utf8).write(to: file)
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(output == expected)
  }

  /// Moves the times of earlier evidence back: a number of seconds in JSON, a day elsewhere.
  private func withoutShift(_ output: String) -> String {
    var output = output
    for days in [2.0, 8.0] {
      let time = 1_800_000_000 - days * 86_400
      output = output.replacing("\(Day(at: time + shift))", with: "\(Day(at: time))")
        .replacing("\(Int(time + shift))", with: "\(Int(time))")
    }
    return output
  }

  /// Removes the style and the script of an HTML page, which don't depend on the fault.
  private static func withoutStyle(_ page: String) -> String {
    var page = page
    for tag in ["style", "script"] {
      guard let start = page.range(of: "<\(tag)>\n"), let end = page.range(of: "</\(tag)>") else {
        continue
      }
      page.removeSubrange(start.upperBound..<end.lowerBound)
    }
    return page
  }
}
