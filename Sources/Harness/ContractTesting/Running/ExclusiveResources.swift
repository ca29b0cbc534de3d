import SystemLocks

/// Locks by name, for resources of which a process has only one. Waiters resume in FIFO order.
final class ExclusiveResources: Sendable {
  static let shared = ExclusiveResources()

  /// The waiters of each resource that is in use.
  private let waiters = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

  /// Runs a closure while holding all resources.
  ///
  /// The resources are acquired in the order of their names, so that two cases can't deadlock.
  func withResources<Value>(
    _ names: Set<String>, _ body: () async throws -> sending Value
  ) async rethrows -> sending Value {
    let ordered = names.sorted()
    for name in ordered { await acquire(name) }
    defer { for name in ordered.reversed() { release(name) } }
    return try await body()
  }

  private func acquire(_ name: String) async {
    await withCheckedContinuation { continuation in
      let isFree = waiters.withLock { waiters in
        guard waiters[name] != nil else {
          waiters[name] = []
          return true
        }
        waiters[name]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func release(_ name: String) {
    let next = waiters.withLock { waiters -> CheckedContinuation<Void, Never>? in
      guard var queue = waiters[name], !queue.isEmpty else {
        waiters[name] = nil
        return nil
      }
      let next = queue.removeFirst()
      waiters[name] = queue
      return next
    }
    next?.resume()
  }
}
