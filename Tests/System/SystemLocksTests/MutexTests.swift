import SystemLocks
import Testing

/// The package's lock: one thread at a time, whatever happens inside.
@Suite struct MutexTests {
  private struct Refused: Error, Equatable {}

  @Test func `no increment of many tasks is lost`() async {
    let count = Shared(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5000 { count.mutex.withLock { $0 += 1 } }
        }
      }
    }
    #expect(count.mutex.withLock { $0 } == 40_000)
  }

  @Test func `an error is thrown on, and the lock given back`() {
    let value = Shared([1])
    #expect(throws: Refused()) {
      try value.mutex.withLock { (list: inout sending [Int]) throws(Refused) in
        list.append(2)
        throw Refused()
      }
    }
    #expect(value.mutex.withLock { $0 } == [1, 2])
  }

  @Test func `the value lies where its type may`() {
    for _ in 0..<100 {
      let mutex = Mutex(SIMD2<Double>(1, 2))
      let address = mutex.withLock { withUnsafePointer(to: &$0) { Int(bitPattern: $0) } }
      #expect(address % MemoryLayout<SIMD2<Double>>.alignment == 0)
      #expect(mutex.withLock { $0 } == [1, 2])
    }
  }

  @Test func `the value lives as long as its lock`() {
    weak var seen: Witness?
    do {
      let mutex = Mutex<Witness?>(Witness())
      mutex.withLock { seen = $0 }
      #expect(seen != nil)
    }
    #expect(seen == nil)
  }
}

private final class Shared<Value>: Sendable {
  let mutex: Mutex<Value>
  init(_ value: sending Value) { mutex = Mutex(value) }
}

private final class Witness: Sendable {}
