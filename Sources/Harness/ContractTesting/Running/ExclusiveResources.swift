import SystemLocks

/// Locks by name, first come first served, for what a process has only one of.
final class ExclusiveResources: Sendable {
  static let shared = ExclusiveResources()

  private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

  /// Runs a closure while holding every resource.
  ///
  /// They are taken in the order of their names, so that no two cases wait for each other.
  func holding<Value>(
    _ names: Set<String>, _ body: () async throws -> sending Value
  ) async rethrows -> sending Value {
    let ordered = names.sorted()
    for name in ordered { await take(name) }
    defer { for name in ordered.reversed() { give(name) } }
    return try await body()
  }

  private func take(_ name: String) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[name] != nil else {
          waiting[name] = []
          return true
        }
        waiting[name]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func give(_ name: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard var queue = waiting[name], !queue.isEmpty else {
        waiting[name] = nil
        return nil
      }
      let next = queue.removeFirst()
      waiting[name] = queue
      return next
    }
    next?.resume()
  }
}
