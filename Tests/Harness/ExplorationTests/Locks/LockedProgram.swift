import Dispatch
import Foundation
import InterleavingExploration
import Testing

/// A correct program with locks, and the same with one mistake.
struct LockedProgram: Sendable, CustomTestStringConvertible {
  struct Wrong: Error {
    var what: String
    init(_ what: String) { self.what = what }
  }

  var name: String
  var build: @Sendable (_ isFlawed: Bool, inout ConcurrentProgram) -> Void
  var testDescription: String { name }

  /// For each kind of lock: a counter, tasks that are made under the lock, waiters with cancellation.
  static let ofEachKind: [LockedProgram] =
    programs(of: PlainMutex.self) + programs(of: WatchedMutex.self) + programs(of: SystemLock.self)
    + programs(of: RecursiveLock.self) + programs(of: WriterLock.self)
    + programs(of: QueueLock.self) + programs(of: SemaphoreLock.self)
    + programs(of: ConditionLock.self)

  private static func programs<L: Lock>(of lock: L.Type) -> [LockedProgram] {
    [
      LockedProgram(name: "\(L.name): a counter with a task under the lock") { isFlawed, program in
        let (lock, count) = (L(), Guarded(0))
        for _ in 0..<2 {
          program.task {
            let task = lock.locked {
              let old = count.value
              // Other tasks may run here.
              let task = Task { lock.locked { _ = count.value } }
              if !isFlawed { count.value = old + 1 }
              return (task, old)
            }
            if isFlawed {
              await Task.yield()
              lock.locked { count.value = task.1 + 1 }
            }
            await task.0.value
          }
        }
        program.check { () throws -> Void in
          if count.value != 2 { throw Wrong("\(count.value) instead of 2") }
        }
      },
      cancellation(L.self, resumesInside: false), cancellation(L.self, resumesInside: true),
      LockedProgram(name: "\(L.name): permits that are handed on") { isFlawed, program in
        let semaphore = AsyncSemaphore<L>(
          permits: 1, resumesInside: false, flaw: isFlawed ? .losesPermit : nil)
        program.task {
          try await semaphore.acquire()
          await Task.yield()
          semaphore.release()
        }
        program.task {
          let other = Task {
            try await semaphore.acquire()
            semaphore.release()
          }
          other.cancel()
          _ = await other.result
        }
        program.check { () throws -> Void in
          if semaphore.permits != 1 { throw Wrong("\(semaphore.permits) permits instead of 1") }
        }
      },
    ]
  }

  private static func cancellation<L: Lock>(_: L.Type, resumesInside: Bool) -> LockedProgram {
    LockedProgram(
      name:
        "\(L.name): a waiter that is cancelled, resumed \(resumesInside ? "under" : "after") the lock"
    ) { isFlawed, program in
      let semaphore = AsyncSemaphore<L>(
        permits: 0, resumesInside: resumesInside, flaw: isFlawed ? .looksTooEarly : nil)
      program.task {
        let waiter = Task { try await semaphore.acquire() }
        await Task.yield()
        waiter.cancel()
        if case .success = await waiter.result { throw Wrong("acquired what there is not") }
      }
    }
  }
}
