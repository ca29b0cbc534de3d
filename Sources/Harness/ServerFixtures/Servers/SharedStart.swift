import SystemLocks

/// Servers that are started together once, and together again when one of them has ended.
final class SharedStart: Sendable {
  private let start: @Sendable () async throws -> [Server]
  private let latest = Mutex<Task<[Server], any Error>?>(nil)

  init(_ start: @escaping @Sendable () async throws -> [Server]) { self.start = start }

  deinit {
    guard let task = latest.withLock(\.self) else { return }
    Task { for server in (try? await task.value) ?? [] { server.discard() } }
  }

  /// Returns the running servers. Tasks that ask while they start wait for the same start.
  func running() async throws -> [Server] {
    while true {
      let task = latest.withLock { latest in
        if let latest { return latest }
        let task = Task { [start] in try await start() }
        latest = task
        return task
      }
      let servers: [Server]
      do {
        servers = try await task.value
      } catch {
        forget(task)
        throw error
      }
      if servers.allSatisfy({ $0.processID != nil }) { return servers }
      if forget(task) { for server in servers { server.discard() } }
    }
  }

  /// Lets the next caller start servers. Returns whether nobody else has done so.
  @discardableResult
  private func forget(_ task: Task<[Server], any Error>) -> Bool {
    latest.withLock { latest in
      guard latest == task else { return false }
      latest = nil
      return true
    }
  }
}
