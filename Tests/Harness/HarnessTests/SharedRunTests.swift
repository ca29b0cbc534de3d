import ContractEvidence
import ContractReports
import Foundation
import Testing

@testable import ContractTesting

/// Processes that have the same `CONTRACT_RUN` are one run.
@Suite struct SharedRunTests {
  /// Runs one case of a contract as a process of its own would, with a journal in a folder.
  private func runCase(of contract: String, as run: String, in folder: URL) async throws {
    let recorder = RunRecorder(
      environment: ["CONTRACT_JOURNAL_FOLDER": folder.path, "CONTRACT_RUN": run],
      isReporting: false)
    try await RunRecorder.$override.withValue(recorder) {
      let contract = Contract<Int>(contract, "Title") {
        Clause("holds", "it holds") { _ in check(true, "it holds") }
      }
      for one in contract.cases(for: .fake("sound") { 0 }) where one.id.contains("sound") {
        try await one.verify()
      }
    }
    _ = recorder.finish()
  }

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("journals-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func `processes of one run share a journal, which is the latest`() async throws {
    try await withFolder { folder in
      try await runCase(of: "one", as: "night-7", in: folder)
      try await runCase(of: "two", as: "night-7", in: folder)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(files) == ["night-7.jsonl", "latest.jsonl"])
      let journal = try Journal(contentsOf: folder.appendingPathComponent("latest.jsonl").path)
      #expect(Set(journal.records.map(\.run)) == ["night-7"])
      let matrix = Matrix(journal)
      #expect(matrix.tables.map(\.contract.id) == ["one", "two"])
      #expect(matrix.results.map(\.outcome) == [.passed, .passed])
    }
  }

  @Test(arguments: ["../up", ".hidden", "a b", String(repeating: "x", count: 101)])
  func `an id that can't name a file is a problem, and the journal has another name`(
    run: String
  ) async throws {
    try await withFolder { folder in
      try await runCase(of: "one", as: run, in: folder)
      let journal = try Journal(contentsOf: folder.appendingPathComponent("latest.jsonl").path)
      let problem = Matrix(journal).problems.first { $0.contains("CONTRACT_RUN") }
      #expect(problem?.contains("'\(run)'") == true, "\(problem ?? "no problem")")
    }
  }
}
