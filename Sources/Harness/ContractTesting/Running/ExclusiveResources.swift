import SystemLocks

/// Locks by name, for resources of which a process has only one. Waiters resume in FIFO order.
final class ExclusiveResources: Sendable {
  static let shared = ExclusiveResources()

  /// A semaphore with one permit for each resource that was ever used.
  private let semaphores = Mutex<[String: CaseSemaphore]>([:])

  /// Runs a closure while holding all resources.
  ///
  /// The resources are acquired in the order of their names, so that two cases can't deadlock.
  func withResources<Value>(
    _ names: Set<String>, _ body: () async throws -> sending Value
  ) async rethrows -> sending Value {
    let ordered = names.sorted().map(semaphore)
    for one in ordered { await one.acquire(of: nil) }
    defer { for one in ordered.reversed() { one.release() } }
    return try await body()
  }

  private func semaphore(of name: String) -> CaseSemaphore {
    semaphores.withLock { semaphores in
      let one = semaphores[name] ?? CaseSemaphore(permits: 1)
      semaphores[name] = one
      return one
    }
  }
}
