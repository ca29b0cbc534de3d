import ContractEvidence
import Foundation
import Testing

/// Compares the tool's output for journals with planted faults with the expected output.
///
/// `Planted/NAME/expected` has what `report`, `gate` and `diff` print about one fault, with their exit codes.
/// Set `CONTRACT_UPDATE_EXPECTED=1` to replace the expected output, and read the difference.
@Suite struct PlantedTests {
  /// A folder of `Planted`, with the expected exit codes of `gate` and `diff`.
  struct Fault: CustomTestStringConvertible, Sendable {
    var name: String
    var gate: Int32
    var diff: Int32
    /// Whether reports list the changes, and the gate forbids new deviations.
    var showsChanges = false

    var testDescription: String { name }
  }

  static let faults = [
    // Has text everywhere that would break a terminal or a CI system.
    Fault(name: "hostile", gate: 1, diff: 27),
    Fault(name: "new-deviation", gate: 1, diff: 8, showsChanges: true),
    Fault(name: "sound", gate: 0, diff: 0),
    Fault(name: "stale-live", gate: 1, diff: 0),
    Fault(name: "crash", gate: 1, diff: 3),
    Fault(name: "old-strength", gate: 1, diff: 32),
    Fault(name: "described", gate: 0, diff: 0),
    Fault(name: "server-down", gate: 1, diff: 2),
    Fault(name: "expired-deviation", gate: 1, diff: 8),
  ]

  @Test(arguments: faults)
  func `report, gate and diff show the fault`(fault: Fault) async throws {
    let changes = fault.showsChanges ? ["--base", "base"] : []
    let forbids = fault.showsChanges ? ["--forbid", "new-deviations"] : []
    var text = ""
    for (arguments, status) in [
      (["report", "journal"] + changes, 0),
      (
        ["gate", "journal", "--require", "live", "--max-age", "7d"] + changes + forbids, fault.gate
      ),
      (["diff", "base", "journal"], fault.diff),
    ] {
      let run = try await run(arguments, on: fault)
      #expect(run.status == status, "\(arguments)")
      #expect(run.errors.isEmpty)
      text += "$ contracts \(arguments.joined(separator: " "))\n\(run.output)exit \(run.status)\n"
    }
    try expect(text, toBe: "expected", of: fault)
  }

  private func run(_ arguments: [String], on fault: Fault) async throws -> ToolRun {
    try await ToolRun(
      arguments,
      files: [
        "journal": journal(of: fault.name), "base": journal(of: "sound"),
        "Suite/Things.swift": "",
      ])
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Planted")

  /// A journal moved in time, so that 1,800,000,000 in the file becomes the current time.
  private func journal(of name: String) throws -> String {
    let file = Self.folder.appendingPathComponent("\(name)/journal.jsonl")
    let journal = try Journal(contentsOf: file.path)
    #expect(journal.damage.isEmpty)
    let shift = (Date().timeIntervalSince1970 - 1_800_000_000).rounded(.down)
    return journal.records.map { record in
      var record = record
      record.time += shift
      return record.line + "\n"
    }.joined()
  }

  private func expect(_ output: String, toBe name: String, of fault: Fault) throws {
    let file = Self.folder.appendingPathComponent("\(fault.name)/\(name)")
    if ProcessInfo.processInfo.environment["CONTRACT_UPDATE_EXPECTED"] != nil {
      try Data(output.utf8).write(to: file)
    }
    #expect(output == String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }
}
