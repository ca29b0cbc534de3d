import CFibers

/// A function call on a stack of its own that can pause in the middle of synchronous code.
///
/// A scheduler runs a Swift concurrency job in a fiber so that it can suspend the job at a point
/// without an `await`, run another job on the same thread, and continue the first one later. The
/// runtime's thread-locals (current task, executor, task-local values, exclusive accesses) are
/// switched together with the stack.
///
/// **Threads.** A fiber belongs to the thread that created it: `resume()` must be called there,
/// and the whole body runs there. Fibers of different threads don't affect each other. A thread's
/// stacks are freed when it ends, except those of fibers that are still paused.
///
/// **Order.** `resume()` returns when the body pauses or returns, and nothing else of the fiber
/// runs in between. A fiber may resume another one; `pause()` returns to the innermost
/// `resume()`.
///
/// **Locks.** A lock that is held across `pause()` stays locked, and belongs to the thread: see
/// ``setWaitHandler(_:)`` for what happens when another fiber needs it.
///
/// A fiber on a thread of its own (``onThread(_:)``) runs only while its resumer waits. Locks then
/// mean what they mean between threads. A hand-over takes some microseconds instead of 0.1.
///
/// A paused fiber that is never resumed again is leaked with everything that its stack refers to.
package final class Fiber {
  /// Where a fiber is after `resume()`.
  package enum State: Sendable {
    /// The body has called `pause()`.
    case paused
    /// The body has returned.
    case finished
  }

  private var stack: OpaquePointer?
  private var thread: OpaquePointer?
  private var body: (() -> Void)?

  /// Why fibers cannot work in this process, or `nil` if they can.
  ///
  /// The first use takes about a millisecond: it tries them out on a thread of its own.
  package static var unavailability: String? { RuntimeProbe.unavailability }

  /// Whether fibers work in this process.
  package static var isAvailable: Bool { unavailability == nil }

  /// Creates a fiber, which starts at the first `resume()`.
  ///
  /// Returns `nil` if fibers are unavailable or the system provides no memory for the stack (on
  /// Linux, about 32,000 stacks reach the default of `vm.max_map_count`).
  ///
  /// - Parameter body: What to run. It is released when it has returned.
  package convenience init?(_ body: @escaping () -> Void) {
    guard Fiber.isAvailable else { return nil }
    self.init(unchecked: body)
  }

  /// Creates a fiber on a thread of its own, which starts at the first `resume()`.
  ///
  /// Returns `nil` if fibers are unavailable or the system provides no thread.
  ///
  /// - Parameter body: What to run. It is released when it has returned.
  package static func onThread(_ body: @escaping () -> Void) -> Fiber? {
    guard Fiber.isAvailable else { return nil }
    let fiber = Fiber(body, thread: nil)
    fiber.thread = cfibers_thread_create(Self.run, Unmanaged.passUnretained(fiber).toOpaque())
    return fiber.thread == nil ? nil : fiber
  }

  private init(_ body: @escaping () -> Void, thread: OpaquePointer?) {
    self.body = body
    self.thread = thread
  }

  /// Creates a fiber while availability is still being found out.
  init?(unchecked body: @escaping () -> Void) {
    self.body = body
    stack = cfibers_create(Self.run, Unmanaged.passUnretained(self).toOpaque())
    if stack == nil { return nil }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    Unmanaged<Fiber>.fromOpaque(context).takeUnretainedValue().runBody()
  }

  deinit {
    // The stack of a paused fiber holds references and may be referred to: it stays as it is.
    if let stack, body != nil { cfibers_recycle(stack) }
  }

  private func runBody() {
    // A function of its own: nothing of the body is alive when the stack is left for good.
    body.take()?()
  }

  /// Runs the fiber from where it is until it pauses or finishes.
  ///
  /// - Precondition: The fiber is not finished, does not run, and belongs to the calling thread.
  package func resume() -> State {
    if let thread {
      guard cfibers_thread_resume(thread) else { return .paused }
      self.thread = nil
      return .finished
    }
    guard let stack else { preconditionFailure("the fiber has finished") }
    precondition(cfibers_is_mine(stack), "the fiber belongs to another thread")
    precondition(!cfibers_is_running(stack), "the fiber is running")
    guard cfibers_resume(stack) else { return .paused }
    self.stack = nil
    cfibers_recycle(stack)
    return .finished
  }

  /// Whether the calling code runs in a fiber.
  package static var isInside: Bool { cfibers_current() != nil || cfibers_is_in_thread() }

  /// Whether the calling code runs in a fiber and may pause there.
  ///
  /// It may not while the runtime holds the lock on a task's status records, that is, in a
  /// cancellation handler that `cancel()` calls or in a priority escalation handler. The lock is
  /// recursive and per thread, so the next fiber would enter it too and could remove the very
  /// record whose handler is running. On a thread of its own, a fiber may always pause. The answer takes about 100 ns, or some microseconds where the
  /// fiber's stack has traces of an earlier cancellation.
  package static var canPause: Bool {
    cfibers_is_in_thread() || isInside && !cfibers_holds_runtime_lock()
  }

  /// Pauses the calling fiber: `resume()` returns, and this call returns at the next `resume()`.
  ///
  /// - Returns: Whether the fiber has paused; `false` at once where ``canPause`` is `false`.
  @discardableResult
  package static func pause() -> Bool {
    guard canPause else { return false }
    pauseUnchecked()
    return true
  }

  /// Pauses the calling fiber, which must be inside and not under a lock of the runtime.
  ///
  /// Saves the search of ``canPause`` where the answer is known.
  package static func pauseUnchecked() {
    if cfibers_is_in_thread() { cfibers_thread_pause() } else { cfibers_pause() }
  }

  /// The number of stacks that the calling thread has mapped, in use and free.
  package static var stackCount: Int { cfibers_stack_count() }

  /// The size of a stack in bytes. Behind it is a page that must not be touched.
  package static var stackSize: Int { cfibers_stack_size() }
}
