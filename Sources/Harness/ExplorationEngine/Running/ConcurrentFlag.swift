import struct Synchronization.Atomic

/// An atomic flag that closures can share, such as to end an exploration from any thread.
package final class ConcurrentFlag: Sendable {
  private let value = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .relaxed) }

  package func set() { value.store(true, ordering: .relaxed) }
}
