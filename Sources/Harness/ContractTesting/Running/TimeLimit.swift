import SystemLocks

/// Runs an operation for a limited time; one that does not end is cancelled and given up.
struct TimeLimit: Sendable {
  private let limit: Duration
  private let expired: @Sendable () -> Void
  private let wedged: @Sendable () -> Void

  /// How long a cancelled operation's caller may take to go on before the process counts as wedged.
  private static let grace = Duration.seconds(5)

  /// - Parameters:
  ///   - limit: The time the operation may take.
  ///   - expired: What to do when time is up, before the operation is cancelled.
  ///   - wedged: What to do when time is up and every thread is blocked, so that not even the caller
  ///     goes on. Both are called on the watchdog's thread.
  init(
    _ limit: Duration, expired: @escaping @Sendable () -> Void = {},
    wedged: @escaping @Sendable () -> Void = {}
  ) {
    self.limit = limit
    self.expired = expired
    self.wedged = wedged
  }

  /// Runs the operation.
  ///
  /// - Returns: Whether it ended in time.
  func run(_ operation: @escaping @Sendable () async -> Void) async -> Bool {
    let race = Race()
    let isEnded = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        race.begin(continuation)
        let task = Task {
          await operation()
          race.end(inTime: true)
        }
        let alarm = Watchdog.shared.set(after: limit) {
          guard race.end(inTime: false) else { return }
          expired()
          task.cancel()
          race.setAlarm(Watchdog.shared.set(after: Self.grace, wedged))
        }
        race.setTask(task, alarm: alarm)
      }
    } onCancel: {
      race.cancel()
    }
    race.close()
    return isEnded
  }
}

/// Which comes first, the end of an operation or its time limit.
private final class Race: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Bool, Never>?
    var task: Task<Void, Never>?
    var alarm: Int?
    var isCancelled = false
    var isClosed = false
  }

  private let state = Mutex(State())

  func begin(_ continuation: CheckedContinuation<Bool, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  func setTask(_ task: Task<Void, Never>, alarm: Int) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    setAlarm(alarm)
  }

  func setAlarm(_ alarm: Int) {
    let isClosed = state.withLock { state in
      state.alarm = alarm
      return state.isClosed
    }
    if isClosed { Watchdog.shared.cancel(alarm) }
  }

  /// Ends the race, unless it has ended already.
  ///
  /// - Returns: Whether this call ended it.
  @discardableResult
  func end(inTime isInTime: Bool) -> Bool {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: isInTime)
    return continuation != nil
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// The caller goes on: no alarm is needed any more.
  func close() {
    let alarm = state.withLock { state in
      state.isClosed = true
      state.task = nil
      return state.alarm
    }
    if let alarm { Watchdog.shared.cancel(alarm) }
  }
}
