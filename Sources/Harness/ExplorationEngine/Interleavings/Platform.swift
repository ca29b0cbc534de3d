#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// The few things of the C library that the engine needs.
enum Platform {
  /// A number that differs for every thread alive.
  static var thread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Nanoseconds of the monotonic clock.
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Gives back what the C library allocated.
  static func release(_ pointer: UnsafeMutablePointer<CChar>) { free(pointer) }

  /// The address of an exported symbol of this process.
  static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    #if canImport(Darwin)
      let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
      let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(everywhere, name)
  }

  /// The linker name of the function at an address.
  static func symbolName(at address: UInt) -> String? {
    // The C library's header hides `dladdr` from Swift on Linux, so it is looked up by name.
    typealias Lookup = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32
    guard let pointer = UnsafeRawPointer(bitPattern: address), let symbol = symbol("dladdr")
    else { return nil }
    let lookup = unsafeBitCast(symbol, to: Lookup.self)
    // File name, file base, symbol name, symbol address.
    return withUnsafeTemporaryAllocation(of: UInt.self, capacity: 4) { info in
      info.initialize(repeating: 0)
      guard let base = info.baseAddress, lookup(pointer, base) != 0,
        let name = UnsafePointer<CChar>(bitPattern: info[2])
      else { return nil }
      return String(cString: name)
    }
  }
}

/// A lock with a condition, for the one place where the engine waits for another thread.
///
/// The mutex and the condition live at a fixed address until the object goes, and every access
/// goes through the C library, which synchronises it: that is why it may be shared.
final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Wakes the thread that waits. Call it with the lock held.
  func signal() { pthread_cond_signal(condition) }

  /// Waits for a signal, with the lock held.
  ///
  /// - Parameter nanoseconds: How long to wait at most; `nil` waits without end.
  func wait(nanoseconds: Int64?) {
    guard let nanoseconds else {
      pthread_cond_wait(condition, mutex)
      return
    }
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let total = Int64(deadline.tv_nsec) + max(0, nanoseconds)
    deadline.tv_sec += Int(total / 1_000_000_000)
    deadline.tv_nsec = Int(total % 1_000_000_000)
    pthread_cond_timedwait(condition, mutex, &deadline)
  }
}

/// A value that every thread has for itself.
///
/// The key is created once and never deleted; the C library gives each thread its own slot.
struct ThreadLocalReference<Object: AnyObject>: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    self.key = key
  }

  /// The thread's object, which must be kept alive by whoever set it.
  @inline(__always)
  var value: Object? {
    guard let raw = pthread_getspecific(key) else { return nil }
    return Unmanaged<Object>.fromOpaque(raw).takeUnretainedValue()
  }

  func set(_ object: Object?) {
    pthread_setspecific(
      key, object.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
  }
}

/// Starts a thread of its own for `body`, with a stack for deep recursion.
///
/// - Returns: Whether the system gave a thread.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, 8 << 20)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let box = Unmanaged.passRetained(Box(body)).toOpaque()
  #if canImport(Darwin)
    var thread: pthread_t?
    let status = pthread_create(
      &thread, &attributes,
      { raw in
        Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
        return nil
      }, box)
  #else
    var thread = pthread_t()
    let status = pthread_create(
      &thread, &attributes,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
        return nil
      }, box)
  #endif
  if status != 0 { Unmanaged<Box>.fromOpaque(box).release() }
  return status == 0
}
