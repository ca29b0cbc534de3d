import SystemLocks

/// A place that counts who is in it at once.
final class Room: Sendable {
  private let state = Mutex((inside: 0, most: 0, visitors: [Int]()))

  /// Enters, stays for a while and leaves.
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

  /// How many were in it at once, at most.
  var most: Int { state.withLock(\.most) }

  /// Who has left, in order.
  var visitors: [Int] { state.withLock(\.visitors) }

  /// How many have left.
  var visits: Int { visitors.count }
}
