import ContractEvidence
import Foundation
import Testing

@testable import ContractTesting

/// Few cases run at once, and each gets its turn.
@Suite struct CaseSlotsTests {
  @Test func `no more cases than slots run at once, and every one runs`() async {
    let slots = CaseSlots(count: 3)
    let room = Room()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask { await slots.holding { await room.visit() } }
      }
    }
    #expect(room.most <= 3)
    #expect(room.visits == 200)
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func `who has waited longest is next`() async {
    let slots = CaseSlots(count: 1)
    let room = Room()
    let gate = AsyncStream<Void>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      // Each begins and goes as far as it can before the next one is added.
      group.addImmediateTask { await slots.holding { for await _ in gate.stream {} } }
      for number in 0..<20 {
        group.addImmediateTask { await slots.holding { await room.visit(by: number) } }
      }
      gate.continuation.finish()
    }
    #expect(room.visitors == Array(0..<20))
  }

  @Test func `a journal names no more cases as running than there are slots`() async throws {
    let contract = Contract<Int>("many", "Many") {
      for number in 0..<200 {
        Clause("clause-\(number)", "holds") { _ in await Task.yield() }
      }
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("slots-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("journal.jsonl").path
    let ledger = RunLedger(environment: ["CONTRACT_JOURNAL": path], isReporting: false)
    try await RunLedger.$override.withValue(ledger) {
      let cases = contract.cases(for: .fake("sound") { 0 })
      try await withThrowingTaskGroup(of: Void.self) { group in
        for one in cases { group.addTask { try await one.verify() } }
        try await group.waitForAll()
      }
    }
    var running = 0
    var most = 0
    for record in try Journal(contentsOf: path).records {
      switch record.event {
      case .caseStarted: running += 1
      case .caseFinished: running -= 1
      default: break
      }
      most = max(most, running)
    }
    #expect(most > 0)
    #expect(most <= max(8, 2 * ProcessInfo.processInfo.activeProcessorCount))
  }
}
