import Foundation
import Synchronization

/// Calls a closure on several threads at the same moment, and waits until all have returned.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  let ends = AsyncStream<Void>.makeStream()
  let running = Mutex(count)
  let gate = NSCondition()
  for number in 0..<count {
    let thread = Thread {
      gate.lock()
      // Nobody goes through before the last one is here.
      if running.withLock({
        $0 -= 1
        return $0 == 0
      }) {
        gate.broadcast()
      } else {
        while running.withLock({ $0 > 0 }) { gate.wait() }
      }
      gate.unlock()
      body(number)
      ends.continuation.yield()
    }
    thread.start()
  }
  var arrivals = ends.stream.makeAsyncIterator()
  for _ in 0..<count { await arrivals.next() }
}
