import SystemLocks

/// Determines once per process whether an implementation can be made on this machine.
final class AvailabilityProbe: Sendable {
  private let condition: String
  private let isMet: @Sendable () async throws -> Bool
  private let answer = Mutex<Task<String?, Never>?>(nil)

  init(condition: String, isMet: @escaping @Sendable () async throws -> Bool) {
    self.condition = condition
    self.isMet = isMet
  }

  /// Why the implementation is unavailable, or `nil` if it can be made.
  func reason() async -> String? {
    let task = answer.withLock { answer in
      if let answer { return answer }
      let task = Task { [condition, isMet] () -> String? in
        do {
          return try await isMet() ? nil : "condition not met: \(condition)"
        } catch {
          return "condition not met: \(condition): \(error)"
        }
      }
      answer = task
      return task
    }
    return await task.value
  }
}
