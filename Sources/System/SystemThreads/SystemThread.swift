#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of its own for code that blocks, which must never run on the cooperative pool.
///
/// SIGPIPE is blocked on it, so that writing to a connection that the peer has closed is an error
/// of that call and not the end of the process.
package struct SystemThread: Sendable {
  /// The system has no thread to give.
  package struct Unavailable: Error {
    /// The errno of `pthread_create`.
    package var code: Int32
  }

  #if canImport(Darwin)
    private let handle: UInt
  #else
    private let handle: pthread_t
  #endif

  /// Starts a thread.
  ///
  /// - Parameter body: What to do there; the thread ends with it.
  package init(_ body: @escaping @Sendable () -> Void) throws(Unavailable) {
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, nil, { Self.run($0) }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw Unavailable(code: code)
    }
    #if canImport(Darwin)
      handle = UInt(bitPattern: thread)
    #else
      handle = thread
    #endif
  }

  /// Waits until the thread has ended; to be called once, from another thread.
  package func join() {
    #if canImport(Darwin)
      if let thread = pthread_t(bitPattern: handle) { pthread_join(thread, nil) }
    #else
      pthread_join(handle, nil)
    #endif
  }

  /// Lets the thread end by itself; to be called once, instead of `join`.
  package func detach() {
    #if canImport(Darwin)
      if let thread = pthread_t(bitPattern: handle) { pthread_detach(thread) }
    #else
      pthread_detach(handle)
    #endif
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    guard let argument else { return nil }
    Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }
}
