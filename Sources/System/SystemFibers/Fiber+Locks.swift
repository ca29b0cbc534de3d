import CFibers

extension Fiber {
  /// A lock that a fiber waits for while another fiber of the same thread holds it.
  package struct HeldLock: @unchecked Sendable {
    // Unchecked: the word is read atomically, and stays while a fiber waits for the lock.
    fileprivate let owner: UnsafePointer<UInt32>

    /// Whether the calling thread still holds the lock. Only that thread may ask.
    package var isHeld: Bool { cfibers_is_locked_here(owner) }
  }

  /// Sets the function that is called when a fiber needs a lock that its own thread holds.
  ///
  /// A fiber that pauses while it holds a lock, such as in `continuation.resume()` under a mutex,
  /// leaves it locked. Without a handler, the next fiber that needs it traps (`Synchronization.Mutex`)
  /// or waits for ever (a POSIX mutex). The handler must call ``pause()`` until the lock is free and
  /// return whether it did; it is called again if the lock is still held. Recursive locks are not
  /// covered: another fiber simply enters them.
  ///
  /// - Parameter handler: Called on whatever thread a fiber needs the lock, or `nil` for none.
  package static func setLockHandler(_ handler: LockHandler?) {
    guard isAvailable else { return }
    lockHandler = handler
    cfibers_set_lock_handler(
      handler == nil ? nil : { owner in Fiber.lockHandler?(HeldLock(owner: owner)) ?? false })
  }

  package typealias LockHandler = @Sendable (HeldLock) -> Bool

  // Set once, before the first fiber, by the one engine of the process.
  nonisolated(unsafe) private static var lockHandler: LockHandler?
}
