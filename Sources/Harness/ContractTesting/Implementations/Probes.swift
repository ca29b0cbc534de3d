import SystemLocks

/// An error that can say nothing about an implementation's behaviour, because something that the fixture
/// needs is missing on this machine.
///
/// A case whose fixture or clause throws it is *unavailable* instead of failed, as with
/// ``Implementation/unavailable(where:)``.
public protocol UnavailabilityError: Error {
  /// What is missing and how to get it, or `nil` if this error is a failure after all.
  var unavailabilityReason: String? { get }
}

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

/// Asks once per process and contract what an implementation's first fixture shows of it.
final class FixtureProbe<Fixture>: Sendable {
  private let version: (@Sendable (Fixture) async throws -> String)?
  private let asked = Mutex<Set<String>>([])

  /// The longest version in characters.
  private static var longest: Int { 200 }

  init(_ version: (@Sendable (Fixture) async throws -> String)? = nil) { self.version = version }

  /// Returns whether this is the first call for the contract.
  func isFirst(for contract: String) -> Bool {
    asked.withLock { $0.insert(contract).inserted }
  }

  /// The version, or `nil` if it is not known.
  func version(of fixture: Fixture) async -> String? {
    guard let text = try? await version?(fixture), !text.isEmpty else { return nil }
    return String(text.prefix(Self.longest))
  }
}
