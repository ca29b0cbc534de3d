import SystemLocks

/// Counts how many tasks are inside it at the same time.
final class OverlapCounter: Sendable {
  private let state = Mutex((inside: 0, most: 0, visitors: [Int]()))

  /// Enters, yields three times and leaves.
  func visit(by visitor: Int = 0) async {
    state.withLock {
      $0.inside += 1
      $0.most = max($0.most, $0.inside)
    }
    for _ in 0..<3 { await Task.yield() }
    state.withLock {
      $0.inside -= 1
      $0.visitors.append(visitor)
    }
  }

  /// The largest number of tasks that were inside at the same time.
  var most: Int { state.withLock(\.most) }

  /// The visitors that have left, in order.
  var visitors: [Int] { state.withLock(\.visitors) }

  /// How many visitors have left.
  var visits: Int { visitors.count }
}
