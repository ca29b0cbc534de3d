/// Runs an async function so that it takes the same course every time.
///
/// Its child tasks and default actors run on one thread, in an order that depends on the seed
/// alone, and `Task.sleep` takes no real time. Work that leaves (`Task.detached`, the main actor,
/// Dispatch) is waited for, but its order cannot be promised.
///
/// A call inside another call belongs to the outer one.
///
/// - Parameters:
///   - seed: Another seed, another order; 0 is first in, first out.
///   - outsideWait: How long to wait, in real time, for other threads before a deadlock is thrown.
///   - body: The function to run.
/// - Returns: The value of `body`.
/// - Throws: The error of `body`; ``InterleavingError`` when it can never end.
public func withDeterministicTasks<Value: Sendable>(
  seed: UInt64 = 0, outsideWait: Duration = .seconds(10),
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  if Scheduler.current.value != nil { return try await body() }
  let result: Result<Value, any Error> = await onExplorationThread {
    let scheduler = Scheduler(
      stepLimit: 1_000_000, outsideWait: outsideWait)
    let box = ResultBox<Value>()
    scheduler.measureFromStart()
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
    if let result = box.result { return result }
    let error: InterleavingError =
      end == .deadlocked
      ? .deadlock(scheduler.deadlockDescription) : .tooManySteps(scheduler.steps.count)
    scheduler.unwind([task])
    return .failure(error)
  }
  return try result.get()
}

/// A program that can never end.
public enum InterleavingError: Error, Hashable, CustomStringConvertible {
  /// Nothing could go on; the text says who waits.
  case deadlock(String)
  /// The program took this many steps and was still not over.
  case tooManySteps(Int)

  /// What happened, in a sentence.
  public var description: String {
    switch self {
    case .deadlock(let text): text
    case .tooManySteps(let steps):
      "The tasks were not over after \(steps) steps: a loop that waits for something that "
        + "does not come?"
    }
  }
}

/// Holds the result; written and read on the exploration thread alone.
private final class ResultBox<Value: Sendable>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}
