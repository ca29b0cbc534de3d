import SystemLocks

/// Strings that several tasks append.
final class LockedList: Sendable {
  private let list = Mutex<[String]>([])

  func append(_ text: String) { list.withLock { $0.append(text) } }
  var values: [String] { list.withLock(\.self) }
}
