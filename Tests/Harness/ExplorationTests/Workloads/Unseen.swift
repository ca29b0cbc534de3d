import Synchronization

/// A value under a lock that no exploration sees: to collect results without another point at which tasks are
/// preempted.
///
/// Unchecked, and sound: the value is accessed only while the flag is set.
final class Unseen<Value>: @unchecked Sendable {
  private let isHeld = Atomic(false)
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    while isHeld.exchange(true, ordering: .acquiring) {}
    defer { isHeld.store(false, ordering: .releasing) }
    return body(&value)
  }
}
