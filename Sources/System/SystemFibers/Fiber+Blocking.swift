import CFibers

extension Fiber {
  /// What code of the program uses or may wait for.
  package enum Primitive: Int32, Sendable {
    case mutex, lock, recursiveLock, readWriteLock, condition, semaphore, queue, futex, attempt,
      release, sleep
  }

  /// A call that would block the thread.
  package struct Wait {
    package var primitive: Primitive
    /// The address of the call.
    package var caller: UInt
    /// The call's time limit in nanoseconds, or `nil`.
    package var limit: Int64?
    private let test: (@convention(c) (UnsafeMutableRawPointer?) -> Bool)?
    private let object: UnsafeMutableRawPointer?

    fileprivate init(
      _ primitive: Primitive, _ caller: UInt, _ limit: Int64?,
      _ test: (@convention(c) (UnsafeMutableRawPointer?) -> Bool)?,
      _ object: UnsafeMutableRawPointer?
    ) {
      self.primitive = primitive
      self.caller = caller
      self.limit = limit
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
    cfibers_set_block_handler { primitive, test, object, limit, caller in
      guard let primitive = Primitive(rawValue: primitive), let handler = Fiber.waitHandler else {
        return WaitEnd.calls.rawValue
      }
      return handler(Wait(primitive, caller, limit < 0 ? nil : limit, test, object)).rawValue
    }
  }

  /// Called where a thread with a clock context reads a clock: with the context, the clock's number, the
  /// nanoseconds that the system's clock shows, and those of its monotonic clock just before. It returns those that
  /// the caller reads.
  package typealias ClockHandler =
    @convention(c) (
      _ context: UnsafeMutableRawPointer, _ clock: Int32, _ time: Int64, _ monotonic: Int64
    ) -> Int64

  /// Called where a thread with a clock context has waited in the system, with the context and the nanoseconds.
  package typealias DelayHandler =
    @convention(c) (_ context: UnsafeMutableRawPointer, _ duration: Int64) -> Void

  /// Sets the functions that are called where a thread with a clock context reads a clock, except in libdispatch, and
  /// where it has waited for a descriptor or a process.
  package static func setClockHandlers(_ clock: ClockHandler, _ delay: DelayHandler) {
    guard isAvailable else { return }
    cfibers_set_clock_handler(clock)
    cfibers_set_delay_handler(delay)
  }

  /// Sets the clock context of the calling thread, or `nil`. It is not retained.
  package static func setClockContext(_ context: AnyObject?) {
    cfibers_set_clock_context(context.map { Unmanaged.passUnretained($0).toOpaque() })
  }

  /// The system's monotonic clock in nanoseconds, which no handler changes.
  package static var realNanoseconds: Int64 { cfibers_real_nanoseconds() }

  /// Makes the next use of a `Synchronization.Mutex` on the calling thread one that the wait handler sees.
  package static func forgetThreadNumbers() { cfibers_forget_thread_numbers() }

  // Set once, before the first fiber, by the one engine of the process.
  nonisolated(unsafe) private static var waitHandler: (@Sendable (Wait) -> WaitEnd)?
}
