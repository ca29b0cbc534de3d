import Foundation

/// Calls a closure on several new threads at the same moment, and returns when all calls returned.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  let ends = AsyncStream<Void>.makeStream()
  let barrier = StartBarrier(count: count)
  for number in 0..<count {
    Thread {
      barrier.wait()
      body(number)
      ends.continuation.yield()
    }
    .start()
  }
  var arrivals = ends.stream.makeAsyncIterator()
  for _ in 0..<count { await arrivals.next() }
}

/// A barrier that blocks each thread until the last one has arrived.
///
/// `@unchecked Sendable` is sound because every access to `missing` holds `condition`.
private final class StartBarrier: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int

  init(count: Int) { missing = count }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    missing -= 1
    if missing == 0 { condition.broadcast() }
    while missing > 0 { condition.wait() }
  }
}
