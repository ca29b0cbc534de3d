import Foundation
import SystemLocks
import SystemThreads
import Testing

@Suite struct SystemThreadsTests {
  private final class Box: Sendable {
    let values = Mutex<[UInt]>([])
  }

  @Test func `a thread runs its function with the stack that it asked for`() throws {
    let box = Box()
    let thread = try SystemThread(stackSize: 1 << 20) {
      box.values.withLock { $0.append(currentThreadID()) }
    }
    thread.join()
    let values = box.values.withLock(\.self)
    #expect(values.count == 1)
    #expect(values != [currentThreadID()])
  }

  @Test func `threads run at the same time, each with its own reference`() async {
    let box = Box()
    let reference = ThreadLocalReference<Box>()
    await onThreads(4) { number in
      let own = Box()
      reference.set(own)
      withExtendedLifetime(own) {
        if reference.value === own { box.values.withLock { $0.append(UInt(number)) } }
      }
      reference.set(nil)
    }
    #expect(box.values.withLock { $0.sorted() } == [0, 1, 2, 3])
    #expect(reference.value == nil)
  }

  @Test func `a monitor's wait ends with a signal, or at its timeout`() throws {
    let monitor = Monitor()
    let box = Box()
    let thread = try SystemThread {
      monitor.withLock {
        box.values.withLock { $0.append(1) }
        monitor.signal()
      }
    }
    monitor.withLock {
      while box.values.withLock(\.isEmpty) { monitor.wait(nanoseconds: nil) }
    }
    thread.join()
    monitor.withLock { monitor.wait(nanoseconds: 1_000) }
    #expect(box.values.withLock(\.self) == [1])
  }
}
