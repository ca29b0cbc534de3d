import SystemLocks
import Testing

/// Mutual exclusion, and the value's storage.
@Suite struct MutexTests {
  private struct Refused: Error, Equatable {}

  @Test func `concurrent increments are not lost`() async {
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

  @Test func `an error is rethrown and the lock released`() {
    let value = Shared([1])
    #expect(throws: Refused()) {
      try value.mutex.withLock { (list: inout sending [Int]) throws(Refused) in
        list.append(2)
        throw Refused()
      }
    }
    #expect(value.mutex.withLock { $0 } == [1, 2])
  }

  @Test func `the value has the alignment of its type`() {
    for _ in 0..<100 {
      let mutex = Mutex(SIMD2<Double>(1, 2))
      let address = mutex.withLock { withUnsafePointer(to: &$0) { Int(bitPattern: $0) } }
      #expect(address % MemoryLayout<SIMD2<Double>>.alignment == 0)
      #expect(mutex.withLock { $0 } == [1, 2])
    }
  }

  @Test func `the value is destroyed with its lock`() {
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
