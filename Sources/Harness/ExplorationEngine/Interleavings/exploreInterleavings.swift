/// Runs a concurrent program under many schedules, looking for one that fails.
///
/// Child tasks and default actors run on one thread, one job at a time, in an order that the
/// search decides; `Task.sleep` takes no real time. A failure is minimised and printed with a
/// ``Schedule`` that replays it exactly.
///
/// - Parameters:
///   - options: Budget, seed, what the tasks may share, a schedule to replay.
///   - build: Makes fresh state and adds the tasks and checks; called once for every schedule.
/// - Returns: What was found and how much was covered.
public func exploreInterleavings(
  _ options: InterleavingOptions = InterleavingOptions(),
  of build: @escaping @Sendable (inout ConcurrentProgram) throws -> Void
) async -> InterleavingReport {
  await onExplorationThread { Explorer(options: options, build: build).explore() }
}

/// Adds a line to the printed trace of the schedule that is being explored, if any.
///
/// - Parameter text: What the running task is about to do.
public func traceInterleaving(_ text: @autoclosure () -> String) {
  guard let scheduler = Scheduler.current.value, scheduler.isTracing else { return }
  scheduler.note(text())
}
