public import ExplorationEngine

/// Runs a concurrent program under many schedules and searches for one that fails.
///
/// Child tasks and default actors run on one thread, one job at a time, in an order that the search
/// decides. `Task.sleep` takes no real time. A failing schedule is minimized; the report prints it
/// as a ``Schedule`` that replays exactly.
///
/// - Parameters:
///   - settings: The limits, the seed, and a schedule to replay.
///   - build: Creates the state and adds the tasks and checks; called for every schedule.
/// - Returns: The failure, if one was found, and the coverage.
public func exploreInterleavings(
  _ settings: ExplorationSettings = .interleavings(),
  of build: @escaping @Sendable (inout ConcurrentProgram) throws -> Void
) async -> InterleavingReport {
  let watch = CodeWatch()
  let explorer = Shared(Explorer(settings: settings.ofOwnShard, watch: watch, build: build))
  return await onWatchedThread(watch, limit: settings.runLimit, memory: settings.memoryLimit) {
    explorer.value.explore()
  } onStop: {
    explorer.value.report(on: $0)
  }
}

/// What an exploration's thread changes, and the watchdog reads when that thread has been stopped.
///
/// Unchecked, and sound: the two never access it at the same time.
final class Shared<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Adds a line to the trace of the schedule that is running. Outside an exploration it does
/// nothing.
///
/// - Parameter text: The line, such as the name of the next operation. Evaluated only for a trace.
public func traceInterleaving(_ text: @autoclosure () -> String) {
  guard let scheduler = Scheduler.current.value, scheduler.isTracing else { return }
  scheduler.note(text())
}
