import Foundation
import SystemLocks

/// Runs an operation with a time limit. An operation that exceeds it is cancelled and not awaited.
///
/// Time in which no thread of the cooperative pool is free does not count, up to twice the limit: an
/// operation isn't slow because other tests compute.
struct TimeLimit: Sendable {
  private let limit: Duration
  private let expired: @Sendable () -> Void
  private let starved: @Sendable () -> Void

  /// How long the caller may take to resume after a timeout, before every thread counts as blocked.
  private static let grace = Duration.seconds(5)

  /// Creates a time limit. The watchdog's thread calls both closures.
  ///
  /// - Parameters:
  ///   - limit: How long the operation may run.
  ///   - expired: Called when the limit has passed, before the caller resumes and the operation is
  ///     cancelled.
  ///   - starved: Called if the caller does not resume within 5 s after that and the process is idle,
  ///     because blocked clauses occupy every thread of the cooperative pool. A process that computes
  ///     has a minute.
  init(
    _ limit: Duration, expired: @escaping @Sendable () -> Void = {},
    starved: @escaping @Sendable () -> Void = {}
  ) {
    self.limit = limit
    self.expired = expired
    self.starved = starved
  }

  /// Runs the operation.
  ///
  /// - Returns: Whether the operation ended within the limit.
  func run(_ operation: @escaping @Sendable () async -> Void) async -> Bool {
    let race = Race()
    let isEnded = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        race.begin(continuation)
        let task = Task {
          await operation()
          race.end(inTime: true)
        }
        let alarm = Watchdog.shared.set(after: limit, countingLatency: false) {
          guard race.end(inTime: false, first: expired) else { return }
          task.cancel()
          awaitCaller(of: race, rounds: 12)
        }
        race.setTask(task, alarm: alarm)
      }
    } onCancel: {
      race.cancel()
    }
    race.close()
    return isEnded
  }

  /// Calls ``starved`` unless the caller resumes.
  private func awaitCaller(of race: Race, rounds: Int) {
    let processorTime = clock()
    let alarm = Watchdog.shared.set(after: Self.grace, countingLatency: true) {
      // Blocked threads take no processor time. Threads that compute will have room for the caller.
      let seconds = Double(clock() - processorTime) / Double(CLOCKS_PER_SEC)
      if seconds < 0.05 * (Self.grace / .seconds(1)) || rounds <= 1 {
        starved()
      } else {
        awaitCaller(of: race, rounds: rounds - 1)
      }
    }
    race.add(alarm)
  }
}

/// Resumes a continuation once: when an operation ends or when its time limit passes.
final class Race: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Bool, Never>?
    var task: Task<Void, Never>?
    /// The alarms of the limit and of the grace. With a short limit the second may be set before
    /// the first is known here, so both are kept.
    var alarms: [Int] = []
    var isCancelled = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let watchdog: Watchdog

  init(_ watchdog: Watchdog = .shared) { self.watchdog = watchdog }

  func begin(_ continuation: CheckedContinuation<Bool, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  func setTask(_ task: Task<Void, Never>, alarm: Int) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    add(alarm)
  }

  /// Adds an alarm to cancel when the caller has resumed.
  func add(_ alarm: Int) {
    let isClosed = state.withLock { state in
      state.alarms.append(alarm)
      return state.isClosed
    }
    if isClosed { watchdog.cancel(alarm) }
  }

  /// Resumes the continuation unless an earlier call did.
  ///
  /// - Parameter prepare: Called first if this call resumes it.
  /// - Returns: Whether this call resumed it.
  @discardableResult
  func end(inTime isInTime: Bool, first prepare: () -> Void = {}) -> Bool {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
    guard let continuation else { return false }
    prepare()
    continuation.resume(returning: isInTime)
    return true
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// The caller has resumed, so the remaining alarms are cancelled.
  func close() {
    let alarms = state.withLock { state in
      state.isClosed = true
      state.task = nil
      return state.alarms
    }
    for alarm in alarms { watchdog.cancel(alarm) }
  }
}
