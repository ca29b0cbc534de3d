import ContractInterleavings
import ContractTesting
import Foundation
import SystemLocks
import Testing

@testable import harness_specimens

/// Exploration from a test, on correct and incorrect implementations.
@Suite struct ExploreTests {
  @Test func `a correct implementation passes the three explorations`() async throws {
    let issues = try await issues {
      try await explore(.tally, on: .sound)
      try await exploreConcurrently(.tally, on: .sound, settings: .init(runs: 20, steps: 12))
      try await exploreInterleavings(.tally, on: .sound, programs: 3)
    }
    #expect(issues == [])
  }

  @Test func `no fixture is made while a case holds the implementation's resource`() async throws {
    let isHeld = Mutex(false)
    let implementation = Implementation<any Tally>.fake("exclusive") {
      #expect(!isHeld.withLock { $0 })
      return ActorTally()
    }.exclusive(#function)
    let exploring = await implementation.holdingResources {
      isHeld.withLock { $0 = true }
      let exploring = Task {
        try await explore(.tally, on: implementation, settings: .init(runs: 2))
      }
      for _ in 0..<100_000 { await Task.yield() }
      isHeld.withLock { $0 = false }
      return exploring
    }
    try await exploring.value
  }

  @Test func `a mismatch is shrunk, printed as a test to paste, and saved`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("examples-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("Test.swift").path
    let settings = ExplorationSettings(runs: 200, seed: 3_009_186_609)
    let first = try await issues {
      try await explore(.tally, on: .capped, settings: settings, filePath: file)
    }
    #expect(first.count == 1)
    #expect(first.first?.contains("on capped") == true)
    #expect(first.first?.contains("@Test") == true, "\(first)")
    try expectPasted(#require(first.first))
    try expectPastedClause(#require(first.first))
    #expect(first.first?.contains("/.examples/TallySpecification/") == true)
    let again = try await issues {
      try await explore(.tally, on: .capped, settings: .init(runs: 1), filePath: file)
    }
    #expect(again.first?.contains("stored examples replayed first: 1") == true, "\(again)")
  }

  /// Compares a printed test with `PastedTest.swift`, which compiles.
  private func expectPasted(_ text: String) throws {
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "PastedTest.swift")
    let pasted = try lines(String(contentsOf: file, encoding: .utf8))
    let printed = lines(text).drop { !$0.hasPrefix("@Test") }.dropFirst()
    let end = try #require(printed.firstIndex(of: "}"), "\(text)")
    #expect(printed[..<end].allSatisfy { pasted.contains($0) }, "\(text)")
  }

  /// Compares a printed clause with that of `PastedTest.swift`, which compiles and fails.
  private func expectPastedClause(_ text: String) throws {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let start = try #require(lines.firstIndex(of: "Clause("), "\(text)")
    let end = try #require(lines[start...].firstIndex(of: "}"))
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "PastedTest.swift")
    let pasted = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    // The line with the seed differs by seed.
    #expect(
      lines[start...end].allSatisfy { pasted.contains($0) || $0.hasPrefix("from:") }, "\(text)")
  }

  @Test func `a lost update of a re-entrant actor is found`() async throws {
    let issues = try await issues {
      try await exploreInterleavings(.tally, on: .reentrant, programs: 5)
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("on reentrant") == true, "\(issues)")
  }

  @Test func `each run's fixture is torn down`() async throws {
    let count = Count()
    let implementation = Implementation<any Tally>.fake("counted") { scope in
      await count.add(1)
      scope.onTearDown { await count.add(-1) }
      return ActorTally()
    }
    let issues = try await issues {
      try await explore(.tally, on: implementation, settings: .init(runs: 10))
      try await exploreConcurrently(
        .tally, on: implementation, settings: .init(runs: 10, steps: 8))
      try await exploreInterleavings(.tally, on: implementation, programs: 1)
    }
    #expect(issues == [])
    #expect(await count.value == 0)
    #expect(await count.most > 20)
  }

  private actor Count {
    var value = 0
    var most = 0

    func add(_ number: Int) {
      value += number
      most += max(0, number)
    }
  }
}
