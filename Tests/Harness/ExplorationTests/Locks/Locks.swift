import Dispatch
import ExploredSynchronization
import Foundation
import Synchronization

/// A lock of one kind, as the programs of ``LockedProgram`` use it.
protocol Lock: Sendable {
  init()
  func locked<Result>(_ body: () -> Result) -> Result
}

extension Lock {
  static var name: String { String(describing: Self.self) }
}

struct PlainMutex: Lock {
  private final class Storage: Sendable { let mutex = Mutex(()) }
  private let storage = Storage()
  func locked<Result>(_ body: () -> Result) -> Result {
    // The bodies access what only they access.
    storage.mutex.withLock { _ in Uncopied(body()) }.value
  }
}

struct WatchedMutex: Lock {
  private final class Storage: Sendable { let mutex = ExploredMutex(()) }
  private let storage = Storage()
  func locked<Result>(_ body: () -> Result) -> Result {
    storage.mutex.withLock { _ in Uncopied(body()) }.value
  }
}

/// Takes a value out of a lock's region. Unchecked: the programs do not share it.
private struct Uncopied<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

struct SystemLock: Lock {
  private let lock = NSLock()
  func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }
}

struct RecursiveLock: Lock {
  private let lock = NSRecursiveLock()
  func locked<Result>(_ body: () -> Result) -> Result {
    lock.withLock { lock.withLock(body) }
  }
}

struct ConditionLock: Lock {
  private final class Storage: @unchecked Sendable {
    // Unchecked: under the condition's lock.
    let condition = NSCondition()
    var isHeld = false
  }
  private let storage = Storage()

  func locked<Result>(_ body: () -> Result) -> Result {
    storage.condition.withLock {
      while storage.isHeld { storage.condition.wait() }
      storage.isHeld = true
    }
    defer {
      storage.condition.withLock {
        storage.isHeld = false
        storage.condition.signal()
      }
    }
    return body()
  }
}

struct WriterLock: Lock {
  private let lock = ReadWriteLock()
  func locked<Result>(_ body: () -> Result) -> Result { lock.writing(body) }
}

struct SemaphoreLock: Lock {
  private let semaphore = DispatchSemaphore(value: 1)
  func locked<Result>(_ body: () -> Result) -> Result {
    semaphore.wait()
    defer { semaphore.signal() }
    return body()
  }
}

struct QueueLock: Lock {
  private let queue = DispatchQueue(label: "lock")
  func locked<Result>(_ body: () -> Result) -> Result { queue.sync(execute: body) }
}

final class ReadWriteLock: @unchecked Sendable {
  // Unchecked: the lock stays at its address.
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init() { pthread_rwlock_init(lock, nil) }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  func reading<Result>(_ body: () -> Result) -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body()
  }

  func writing<Result>(_ body: () -> Result) -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body()
  }
}

/// A value that a program accesses under a lock of its own. Unchecked for that reason.
final class Guarded<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
