import CPlatform

/// Where a thread of this process stands.
package struct ThreadSample: Sendable {
  /// The addresses of its functions, the innermost first.
  package var addresses: [UInt]
  /// Whether the thread now sleeps for ever.
  package var hasParked: Bool

  /// Lets other threads take samples of the calling one, and of those that it starts.
  package static func allow() { platform_allow_samples() }

  /// The return addresses on the calling thread's stack, the innermost first.
  package static var callStack: [UInt] {
    [UInt](unsafeUninitializedCapacity: 64) { buffer, count in
      if let base = buffer.baseAddress { count = platform_call_stack(base, 64) }
    }
  }

  /// Interrupts a thread, which has called ``allow()``.
  ///
  /// - Parameters:
  ///   - thread: Its number from `currentThreadID()`. It must not have ended.
  ///   - parks: Whether the thread sleeps for ever from then on, if it is in code of the program itself: a
  ///     thread in the C library may hold a lock that others need.
  package init(of thread: UInt, parking parks: Bool) {
    var hasParked = false
    addresses = [UInt](unsafeUninitializedCapacity: 128) { buffer, count in
      if let base = buffer.baseAddress {
        count = platform_sample_thread(thread, parks, &hasParked, base, 128)
      }
    }
    self.hasParked = hasParked
  }
}
