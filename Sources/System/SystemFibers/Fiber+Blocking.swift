import CFibers

extension Fiber {
  /// What code of the program uses or may wait for.
  package enum Primitive: Int32, Sendable {
    case mutex, lock, recursiveLock, readWriteLock, condition, semaphore, queue, futex, attempt,
      release
  }

  /// A call that would block the thread.
  package struct Wait {
    package var primitive: Primitive
    /// The address of the call.
    package var caller: UInt
    /// Whether the call has a time limit.
    package var mayTimeOut: Bool
    private let test: (@convention(c) (UnsafeMutableRawPointer?) -> Bool)?
    private let object: UnsafeMutableRawPointer?

    fileprivate init(
      _ primitive: Primitive, _ caller: UInt, _ mayTimeOut: Bool,
      _ test: (@convention(c) (UnsafeMutableRawPointer?) -> Bool)?,
      _ object: UnsafeMutableRawPointer?
    ) {
      self.primitive = primitive
      self.caller = caller
      self.mayTimeOut = mayTimeOut
      self.test = test
      self.object = object
    }

    /// Whether the call only uses the primitive, and may wait later.
    package var isUse: Bool { test == nil }

    /// Whether the call may no longer block.
    package var mayContinue: Bool { test?(object) ?? true }
  }

  /// What becomes of a call that would block.
  package enum WaitEnd: Int32, Sendable {
    /// The C library blocks the thread, or the call is none of a job.
    case calls
    /// The call is tried again.
    case triesAgain
    case timesOut
  }

  /// Sets the function that is called before a thread with a task executor would block.
  ///
  /// On fibers all jobs have one thread's number, which is exact only for locks that are not recursive: a
  /// job waits for such a lock while another fiber of its thread holds it. All other primitives need a thread
  /// for each job (``onThread(_:)``).
  ///
  /// - Parameter handler: Called on whatever thread would block. It lets other fibers run until the call
  ///   may continue, and returns what becomes of the call.
  package static func setWaitHandler(_ handler: @escaping @Sendable (Wait) -> WaitEnd) {
    guard isAvailable else { return }
    waitHandler = handler
    cfibers_set_block_handler { primitive, test, object, mayTimeOut, caller in
      guard let primitive = Primitive(rawValue: primitive), let handler = Fiber.waitHandler else {
        return WaitEnd.calls.rawValue
      }
      return handler(Wait(primitive, caller, mayTimeOut, test, object)).rawValue
    }
  }

  /// Makes the next use of a `Synchronization.Mutex` on the calling thread one that the wait handler sees.
  package static func forgetThreadNumbers() { cfibers_forget_thread_numbers() }

  // Set once, before the first fiber, by the one engine of the process.
  nonisolated(unsafe) private static var waitHandler: (@Sendable (Wait) -> WaitEnd)?
}
