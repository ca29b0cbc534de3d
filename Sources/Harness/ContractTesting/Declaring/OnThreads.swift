import Foundation

/// Calls a closure on several threads at the same moment, and waits until all have returned.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  let ends = AsyncStream<Void>.makeStream()
  let gate = Gate(waitingFor: count)
  for number in 0..<count {
    Thread {
      gate.pass()
      body(number)
      ends.continuation.yield()
    }
    .start()
  }
  var arrivals = ends.stream.makeAsyncIterator()
  for _ in 0..<count { await arrivals.next() }
}

/// Lets nobody through before the last one is here.
///
/// Sound as `@unchecked Sendable`: `missing` is read and written while `condition` is locked.
private final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int

  init(waitingFor count: Int) { missing = count }

  func pass() {
    condition.lock()
    defer { condition.unlock() }
    missing -= 1
    if missing == 0 { condition.broadcast() }
    while missing > 0 { condition.wait() }
  }
}
