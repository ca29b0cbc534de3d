import ExploredSynchronization
import Synchronization
import Testing

/// Without an exploration, the explored types are those of `Synchronization`.
@Suite struct ExploredSynchronizationTests {
  private final class Shared: Sendable {
    let count = ExploredMutex(0)
    let total = ExploredAtomic(0)
    let isSet = ExploredAtomic(false)
    let small = ExploredAtomic<UInt8>(250)
  }

  @Test func `they take no more memory`() {
    #expect(MemoryLayout<ExploredMutex<Int>>.size == MemoryLayout<Mutex<Int>>.size)
    #expect(MemoryLayout<ExploredAtomic<Int>>.size == MemoryLayout<Atomic<Int>>.size)
  }

  @Test func `no update of parallel tasks is lost`() async {
    let shared = Shared()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            shared.count.withLock { $0 += 1 }
            shared.total.wrappingAdd(1, ordering: .relaxed)
          }
        }
      }
    }
    #expect(shared.count.withLock { $0 } == 8000)
    #expect(shared.total.load(ordering: .relaxed) == 8000)
  }

  @Test func `a held lock is not available, and an error releases it`() {
    struct Failure: Error {}
    let shared = Shared()
    let inner = shared.count.withLock { _ in
      shared.count.withLockIfAvailable { $0 } == nil
    }
    #expect(inner)
    #expect(throws: Failure.self) { try shared.count.withLock { _ in throw Failure() } }
    #expect(shared.count.withLockIfAvailable { $0 } == 0)
  }

  @Test func `atomic operations return what they replace`() {
    let shared = Shared()
    #expect(shared.isSet.exchange(true, ordering: .acquiringAndReleasing) == false)
    #expect(shared.isSet.logicalXor(true, ordering: .relaxed) == (oldValue: true, newValue: false))
    #expect(shared.small.wrappingAdd(10, ordering: .relaxed) == (oldValue: 250, newValue: 4))
    #expect(shared.small.max(9, ordering: .relaxed) == (oldValue: 4, newValue: 9))
    let (exchanged, original) = shared.total.compareExchange(
      expected: 1, desired: 2, ordering: .sequentiallyConsistent)
    #expect(!exchanged && original == 0)
    #expect(
      shared.total.compareExchange(
        expected: 0, desired: 2, successOrdering: .releasing, failureOrdering: .acquiring
      ).exchanged)
    shared.total.store(7, ordering: .releasing)
    #expect(shared.total.subtract(3, ordering: .relaxed) == (oldValue: 7, newValue: 4))
    #expect(shared.total.bitwiseAnd(6, ordering: .relaxed) == (oldValue: 4, newValue: 4))
  }
}
