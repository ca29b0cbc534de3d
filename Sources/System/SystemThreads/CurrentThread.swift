import CPlatform
import Foundation

/// A number that no other running thread has. A later thread may get the number of an ended one.
///
/// Source: pthread_self(3).
@inlinable public func currentThreadID() -> UInt { platform_thread_id() }

/// A reference that every thread sets and reads for itself.
///
/// The key is created once and never deleted, so keep one for the life of the process. It does not
/// retain the object.
///
/// Source: pthread_getspecific(3).
public struct ThreadLocalReference<Object: AnyObject>: Sendable {
  @usableFromInline let key: pthread_key_t

  /// Creates a reference that is `nil` on every thread.
  @inlinable public init() {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    self.key = key
  }

  /// The calling thread's object. Whoever set it must keep it alive.
  @inlinable @inline(__always) public var value: Object? {
    guard let raw = pthread_getspecific(key) else { return nil }
    return Unmanaged<Object>.fromOpaque(raw).takeUnretainedValue()
  }

  /// Sets the calling thread's object.
  @inlinable public func set(_ object: Object?) {
    pthread_setspecific(
      key, object.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
  }
}
