import Synchronization

/// Ends an exploration before its next point, from any thread.
final class CrashCancellation: Sendable {
  private let value = Atomic<Bool>(false)

  var isRequested: Bool { value.load(ordering: .relaxed) }

  func request() { value.store(true, ordering: .relaxed) }
}
