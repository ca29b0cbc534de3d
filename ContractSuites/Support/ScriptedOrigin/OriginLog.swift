import SystemLocks
import TransportPort

/// Records the events and requests of an origin, as its sockets saw them.
///
/// Transport tests compare a transport with this log and not with what the transport reports of
/// itself. Any thread or task may read it.
public final class OriginLog: Sendable {
  private struct Waiter {
    var isSatisfied: @Sendable ([Event]) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var events: [Event] = []
    /// The index of the last event of each connection.
    var lastEvents: [Int: Int] = [:]
    var requests: [Request] = []
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
  }

  private let state = Mutex(State())

  init() {}

  /// All events so far, in order.
  public var events: [Event] { state.withLock { $0.events } }

  /// All requests whose head has been read, in order, with the bodies received so far.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// The number of accepted connections.
  public var connectionCount: Int {
    events.reduce(0) { $0 + ($1.kind == .accepted ? 1 : 0) }
  }

  /// Waits for an event, which may already have happened.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait. Time in which the process is suspended doesn't count.
  ///   - isWanted: Whether an event is the one to wait for.
  /// - Returns: The first such event.
  /// - Throws: ``Missing`` after the timeout; `CancellationError`.
  @discardableResult
  public func first(
    within timeout: Duration = .seconds(10), where isWanted: @escaping @Sendable (Event) -> Bool
  ) async throws -> Event {
    try await wait(within: timeout) { $0.contains(where: isWanted) }
    guard let event = events.first(where: isWanted) else { throw Missing(events: events) }
    return event
  }

  /// Waits until all events so far satisfy a condition.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait. Time in which the process is suspended doesn't count.
  ///   - isSatisfied: The condition. The log calls it under its lock after each event, so it must
  ///     not use the log.
  /// - Throws: ``Missing`` after the timeout; `CancellationError`.
  public func wait(
    within timeout: Duration = .seconds(10),
    until isSatisfied: @escaping @Sendable ([Event]) -> Bool
  ) async throws {
    let isDone = try await withThrowingTaskGroup { group in
      group.addTask { await self.wait(isSatisfied) }
      group.addTask {
        try await sleepAwake(for: timeout)
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
    try Task.checkCancellation()
    guard isDone else { throw Missing(events: events) }
  }

  /// Waits without a timeout; returns `false` if the task is cancelled.
  private func wait(_ isSatisfied: @escaping @Sendable ([Event]) -> Bool) async -> Bool {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Checked again under the lock: an event or the cancellation may have come before it.
        let answer: Bool? = state.withLock { state in
          if isSatisfied(state.events) { return true }
          if Task.isCancelled { return false }
          state.waiters[id] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
    }
  }

  /// Adds an event. Successive byte counts of one connection are combined into one event.
  func record(_ kind: Event.Kind, on connection: Int) {
    change { Self.append(kind, on: connection, to: &$0) }
  }

  /// Adds a request with its head; returns its index, for its body.
  func record(_ request: Request) -> Int {
    change { state in
      state.requests.append(request)
      Self.append(.head(request.rawHead), on: request.head.connection, to: &state)
      return state.requests.count - 1
    }
  }

  /// Appends to a request's body.
  func record(body bytes: [UInt8], ofRequest index: Int) {
    state.withLock { state in
      let room = Request.bodyLimit - state.requests[index].body.count
      if room > 0 { state.requests[index].body += bytes.prefix(room) }
    }
    record(bodyCount: bytes.count, ofRequest: index)
  }

  /// Adds to the size of a request's body, whose bytes are unknown.
  func record(bodyCount count: Int, ofRequest index: Int) {
    change { state in
      state.requests[index].bodyCount += count
      Self.append(.body(count), on: state.requests[index].head.connection, to: &state)
    }
  }

  /// Adds the end of a request's body.
  func record(trailers: HTTPFields, ofRequest index: Int) {
    change { state in
      state.requests[index].trailers = trailers
      Self.append(.requestEnd, on: state.requests[index].head.connection, to: &state)
    }
  }

  private static func append(_ kind: Event.Kind, on connection: Int, to state: inout State) {
    if let last = state.lastEvents[connection], let sum = state.events[last].kind.adding(kind) {
      state.events[last].kind = sum
    } else {
      state.lastEvents[connection] = state.events.count
      state.events.append(Event(connection: connection, time: .now, kind: kind))
    }
  }

  /// Changes the log and resumes the waiters that are satisfied then.
  ///
  /// They are resumed without the lock: resuming takes a lock of the task, which a task that is
  /// being cancelled holds while its handler waits for this log's lock.
  private func change<Result: Sendable>(
    _ body: @Sendable (inout State) -> Result
  ) -> Result {
    let (result, satisfied) = state.withLock { state in
      let result = body(&state)
      let satisfied = state.waiters.filter { $0.value.isSatisfied(state.events) }
      for id in satisfied.keys { state.waiters[id] = nil }
      return (result, satisfied.values.map(\.continuation))
    }
    for continuation in satisfied { continuation.resume(returning: true) }
    return result
  }
}

extension OriginLog {
  /// The error of a wait that timed out.
  public struct Missing: Error, CustomStringConvertible {
    /// All events until the timeout.
    public var events: [Event]

    public var description: String {
      "timed out waiting for an event; the origin saw:\n"
        + events.suffix(40).map(\.description).joined(separator: "\n")
    }
  }
}
