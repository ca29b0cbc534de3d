import Foundation
import Testing

@testable import ContractTesting

/// Listing tests evaluates `cases(for:)`, so the call must leave no trace.
@Suite struct NoSideEffectsTests {
  @Test func `cases open no journal until one of them runs`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("journals-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let recorder = RunRecorder(
      environment: ["CONTRACT_JOURNAL_FOLDER": folder.path], isReporting: false)
    try await RunRecorder.$override.withValue(recorder) {
      let contract = Contract<Int>("one", "One") {
        Clause("holds", "it holds") { _ in check(true, "it holds") }
      }
      let cases = contract.cases(for: .fake("sound") { 0 }) + contract.saboteurCases
      #expect(!FileManager.default.fileExists(atPath: folder.path))
      try await #require(cases.first).verify()
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(files.contains("latest.jsonl"))
    }
  }
}

/// The gate requires saboteurs to have run for the contracts of the package itself.
@Suite struct OwnershipTests {
  @Test func `a contract is the package's own if it is in its folder and not in a checkout`() {
    func isOwn(_ path: String) -> Bool { Contract<Int>.isOwn(path, in: "/home/app") }
    #expect(isOwn("/home/app/Tests/AppTests/Contract.swift"))
    #expect(!isOwn("/home/app/.build/checkouts/suites/Contract.swift"))
    #expect(!isOwn("/home/application/Contract.swift"))
    #expect(!isOwn("/home/suites/Contract.swift"))
  }
}
