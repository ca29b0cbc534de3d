import ContractEvidence
import Foundation
import Testing

@testable import ContractTesting

/// The semaphore limits concurrency, lets the tests take turns, and serves a test's waiters in FIFO order.
@Suite struct CaseSemaphoreTests {
  @Test func `no more cases than permits run at once, and all of them run`() async {
    let semaphore = CaseSemaphore(permits: 3)
    let counter = OverlapCounter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask { await semaphore.withPermit { await counter.visit() } }
      }
    }
    #expect(counter.most <= 3)
    #expect(counter.visits == 200)
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func `waiters resume in FIFO order`() async {
    let semaphore = CaseSemaphore(permits: 1)
    let counter = OverlapCounter()
    let release = AsyncStream<Void>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      // Each task runs until it suspends before the next one is added.
      group.addImmediateTask { await semaphore.withPermit { for await _ in release.stream {} } }
      for number in 0..<20 {
        group.addImmediateTask { await semaphore.withPermit { await counter.visit(by: number) } }
      }
      release.continuation.finish()
    }
    #expect(counter.visitors == Array(0..<20))
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func `a waiter of another test waits for one case of this test, not for all`() async {
    let semaphore = CaseSemaphore(permits: 1)
    let counter = OverlapCounter()
    let release = AsyncStream<Void>.makeStream()
    await withTaskGroup(of: Void.self) { group in
      group.addImmediateTask { await semaphore.withPermit { for await _ in release.stream {} } }
      for number in 0..<10 {
        group.addImmediateTask { await semaphore.withPermit { await counter.visit(by: number) } }
      }
      group.addImmediateTask {
        await semaphore.withPermit(of: nil) { await counter.visit(by: 100) }
      }
      release.continuation.finish()
    }
    #expect(counter.visitors == [0, 100] + Array(1..<10))
  }

  @Test func `a journal shows no more running cases than there are permits`() async throws {
    let contract = Contract<Int>("many", "Many") {
      for number in 0..<200 {
        Clause("clause-\(number)", "holds") { _ in
          await Task.yield()
          check(true, "it holds")
        }
      }
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("permits-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("journal.jsonl").path
    let recorder = RunRecorder(environment: ["CONTRACT_JOURNAL": path], isReporting: false)
    try await RunRecorder.$override.withValue(recorder) {
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
