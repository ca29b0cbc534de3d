#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A thread outside the cooperative pool, for code that blocks.
///
/// Call ``join()`` or ``detach()`` exactly once; otherwise the system keeps the ended thread's
/// resources.
///
/// Source: pthread_create(3).
package struct SystemThread: Sendable {
  /// The system has no resources for another thread.
  package struct Unavailable: Error {
    /// The error number that `pthread_create` returned.
    package var code: Int32
  }

  #if canImport(Darwin)
    private let handle: UInt
  #else
    private let handle: pthread_t
  #endif

  /// Starts a thread, which ends when `body` returns.
  ///
  /// - Parameters:
  ///   - stackSize: The stack's size in bytes; `nil` for the system's default.
  ///   - blocksBrokenPipe: Whether SIGPIPE is blocked on the thread. If it is, writing to a
  ///     connection that the peer has closed fails with `EPIPE`; otherwise the signal ends the
  ///     process.
  ///   - body: The function that the thread runs.
  /// - Throws: ``Unavailable`` if the thread cannot be created.
  package init(
    stackSize: Int? = nil, blocksBrokenPipe: Bool = true, _ body: @escaping @Sendable () -> Void
  ) throws(Unavailable) {
    let start = Unmanaged.passRetained(
      Start {
        if blocksBrokenPipe { Self.blockBrokenPipe() }
        body()
      })
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, &attributes, { Self.run($0) }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw Unavailable(code: code)
    }
    #if canImport(Darwin)
      handle = UInt(bitPattern: thread)
    #else
      handle = thread
    #endif
  }

  /// Waits until the thread has ended. Call it from another thread.
  package func join() {
    #if canImport(Darwin)
      if let thread = pthread_t(bitPattern: handle) { pthread_join(thread, nil) }
    #else
      pthread_join(handle, nil)
    #endif
  }

  /// Lets the system release the thread's resources when it ends.
  package func detach() {
    #if canImport(Darwin)
      if let thread = pthread_t(bitPattern: handle) { pthread_detach(thread) }
    #else
      pthread_detach(handle)
    #endif
  }

  /// Carries the thread's function through the C interface.
  private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }

  private static func blockBrokenPipe() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
