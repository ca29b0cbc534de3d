import ExplorationEngine
import ExploredSynchronization
import Foundation
import InterleavingExploration
import Synchronization
import SystemFibers
import Testing

/// What a report says about locks whose orders no schedule tries.
@Suite(.enabled(if: Fiber.isAvailable)) struct UntriedLockTests {
  private static let finders: [@Sendable (Bool) async -> InterleavingReport] = [
    { await explore(WatchedMutex.self, isFlawed: $0) },
    { await explore(SystemLock.self, isFlawed: $0) },
    { await explore(RecursiveLock.self, isFlawed: $0) },
    { await explore(WriterLock.self, isFlawed: $0) },
    { await explore(QueueLock.self, isFlawed: $0) },
    { await explore(SemaphoreLock.self, isFlawed: $0) },
    { await explore(ConditionLock.self, isFlawed: $0) },
  ]

  @Test(arguments: finders.indices)
  func `a wake-up that is lost between two critical sections is found`(_ lock: Int) async {
    let flawed = await Self.finders[lock](true)
    #expect(flawed.failure?.kind == .deadlock, "\(flawed)")
    let correct = await Self.finders[lock](false)
    #expect(correct.failure == nil, "\(correct)")
  }

  @Test func `orders between the critical sections of a Mutex are not claimed`() async {
    for isFlawed in [true, false] {
      let report = await Self.explore(PlainMutex.self, isFlawed: isFlawed)
      #expect(report.failure == nil && !report.isExhaustive, "\(report)")
      #expect(
        report.description.contains("but none between two uses of Mutex (Locks.swift:"),
        "\(report)")
    }
  }

  @Test func `a Mutex is seen although it was used before the tasks, or beside an explored one`()
    async
  {
    let report = await exploreInterleavings { program in
      let mutex = Held(0)
      mutex.value.withLock { $0 = 1 }
      program.task { mutex.value.withLock { $0 += 1 } }
    }
    #expect(report.untriedLocks.map(\.name) == ["Mutex"] && !report.isExhaustive, "\(report)")
    let both = await exploreInterleavings { program in
      let explored = ExploredMutex(0)
      let mutex = Held(0)
      program.task {
        explored.withLock { $0 += 1 }
        mutex.value.withLock { $0 += 1 }
      }
    }
    #expect(both.untriedLocks.map(\.name) == ["Mutex"] && !both.isExhaustive, "\(both)")
  }

  @Test func `explored locks and those of the C library are claimed`() async {
    let report = await exploreInterleavings { program in
      let explored = ExploredMutex(0)
      let lock = NSLock()
      for _ in 0..<2 {
        program.task {
          explored.withLock { value in lock.withLock { value += 1 } }
          lock.withLock {}
        }
      }
    }
    #expect(report.isExhaustive && report.untriedLocks.isEmpty, "\(report)")
    #expect(report.coverage.contains("explored locks and locks of the C library"), "\(report)")
  }

  @Test func `an attempt to acquire a lock is not claimed`() async {
    let report = await exploreInterleavings { program in
      let lock = NSLock()
      program.task { tryOnce(lock) }
    }
    #expect(!report.isExhaustive && report.untriedLocks.count == 1, "\(report)")
  }

  private static func explore<L: Lock>(_: L.Type, isFlawed: Bool) async -> InterleavingReport {
    var settings = ExplorationSettings.interleavings(seed: 1)
    settings.runs = 2_000
    settings.time = .seconds(10)
    return await exploreInterleavings(settings) { program in
      let waiter = CancellableWaiter<L>(isFlawed: isFlawed)
      program.task {
        let task = Task { await waiter.wait() }
        await Task.yield()
        task.cancel()
        await task.value
      }
    }
  }
}

private func tryOnce(_ lock: NSLock) { if lock.try() { lock.unlock() } }

private final class Held: Sendable {
  let value: Synchronization.Mutex<Int>
  init(_ value: Int) { self.value = Synchronization.Mutex(value) }
}
