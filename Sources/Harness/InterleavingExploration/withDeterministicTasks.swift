internal import ExplorationEngine

/// Runs an async function so that its tasks run in the same order every time.
///
/// Its child tasks and default actors run on one thread, in an order that depends only on the seed,
/// and `Task.sleep` takes no real time. The function waits for other work (`Task.detached`, the
/// main actor, Dispatch), but that work's order is not deterministic.
///
/// In a nested call, `body` runs under the outer call's seed.
///
/// - Parameters:
///   - seed: The seed of the order; 0 is FIFO order.
///   - outsideWait: The real time to wait for other threads before a deadlock is thrown.
///   - body: The function to run.
/// - Returns: The result of `body`.
/// - Throws: The error that `body` throws; ``InterleavingError`` if `body` cannot end.
public func withDeterministicTasks<Value: Sendable>(
  seed: UInt64 = 0, outsideWait: Duration = .seconds(10),
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  if Scheduler.current.value != nil { return try await body() }
  let result: Result<Value, any Error> = await onExplorationThread {
    // The function runs only once, so it runs on threads, where every lock is exact.
    let scheduler = Scheduler(
      stepLimit: 1_000_000, outsideWait: outsideWait, usesThreads: true)
    let box = ResultBox<Value>()
    scheduler.prepare()
    let task = scheduler.start("body") {
      do {
        box.result = .success(try await body())
      } catch {
        box.result = .failure(error)
      }
    }
    let end =
      seed == 0 ? scheduler.run(BasePolicy()) : scheduler.run(RandomPolicy(seed: seed))
    defer { scheduler.releaseWorkers() }
    if let result = box.result { return result }
    let error: InterleavingError =
      end == .deadlocked
      ? .deadlock(scheduler.deadlockDescription) : .tooManySteps(scheduler.steps.count)
    scheduler.unwind([task])
    return .failure(error)
  }
  return try result.get()
}

/// An error for a function that cannot end.
public enum InterleavingError: Error, Hashable, CustomStringConvertible {
  /// A task waits and nothing can resume it; the text names the tasks that wait.
  case deadlock(String)
  /// The tasks had not ended after this number of steps.
  case tooManySteps(Int)

  /// A message about the tasks that did not end.
  public var description: String {
    switch self {
    case .deadlock(let text): text
    case .tooManySteps(let steps):
      "The tasks had not ended after \(steps) steps; look for a loop that polls."
    }
  }
}

/// Holds the result.
///
/// Unchecked, and sound: it is written and read only on the exploration thread.
private final class ResultBox<Value: Sendable>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}

/// Runs an async operation on the calling thread, as part of no schedule, and returns when it has ended.
package func runOutsideSchedule<Value: Sendable>(
  _ operation: @escaping @Sendable () async throws -> Value
) throws -> Value {
  let outer = Scheduler.enter(nil)
  defer { Scheduler.enter(outer) }
  return try runBlocking(operation)
}
