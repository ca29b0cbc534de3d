import SystemLocks

/// A value that can be taken once, from any thread.
final class Once<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value) {
    self.value = Mutex(value)
  }

  /// Whether the value was taken.
  var isTaken: Bool { value.withLock { $0 == nil } }

  /// Returns the value the first time, and `nil` afterwards.
  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
