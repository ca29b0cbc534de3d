import SystemLocks

/// A value that can be taken once.
final class Once<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value) {
    self.value = Mutex(value)
  }

  var isTaken: Bool { value.withLock { $0 == nil } }

  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
