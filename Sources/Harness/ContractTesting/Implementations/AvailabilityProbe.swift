import SystemLocks

/// Finds out, once in a process, whether an implementation can be made here.
final class AvailabilityProbe: Sendable {
  private let condition: String
  private let isMet: @Sendable () async throws -> Bool
  private let answer = Mutex<Task<String?, Never>?>(nil)

  init(condition: String, isMet: @escaping @Sendable () async throws -> Bool) {
    self.condition = condition
    self.isMet = isMet
  }

  /// Why the implementation is unavailable, or `nil` where it can be made.
  func reason() async -> String? {
    let task = answer.withLock { answer in
      if let answer { return answer }
      let task = Task { [condition, isMet] () -> String? in
        do {
          return try await isMet() ? nil : "needs that \(condition)"
        } catch {
          return "needs that \(condition): \(error)"
        }
      }
      answer = task
      return task
    }
    return await task.value
  }
}
