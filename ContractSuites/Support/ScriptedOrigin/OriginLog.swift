import SystemLocks
import TransportPort

/// What really happened at an origin, as seen from its sockets: the oracle of the transport tests.
public final class OriginLog: Sendable {
  private struct Waiter {
    var isSatisfied: @Sendable ([Event]) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var events: [Event] = []
    /// Where the last event of each connection is.
    var lastEvents: [Int: Int] = [:]
    var requests: [Request] = []
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
  }

  private let state = Mutex(State())

  init() {}

  /// Everything so far, in order.
  public var events: [Event] { state.withLock { $0.events } }

  /// All requests whose head was read, in order, with what has come of their bodies.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// The number of connections accepted.
  public var connectionCount: Int {
    events.reduce(0) { $0 + ($1.kind == .accepted ? 1 : 0) }
  }

  /// Waits for an event, which may have been before.
  ///
  /// - Parameters:
  ///   - timeout: The longest to wait, while the machine runs.
  ///   - isWanted: Which event.
  /// - Returns: The first such event.
  /// - Throws: ``Missing`` after the time-out; `CancellationError`.
  @discardableResult
  public func first(
    within timeout: Duration = .seconds(10), where isWanted: @escaping @Sendable (Event) -> Bool
  ) async throws -> Event {
    try await wait(within: timeout) { $0.contains(where: isWanted) }
    guard let event = events.first(where: isWanted) else { throw Missing(events: events) }
    return event
  }

  /// Waits until the log as a whole satisfies a condition.
  ///
  /// - Parameters:
  ///   - timeout: The longest to wait, while the machine runs.
  ///   - isSatisfied: The condition; it is asked under a lock after each event.
  /// - Throws: ``Missing`` after the time-out; `CancellationError`.
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

  /// Waits without an end, until cancelled.
  private func wait(_ isSatisfied: @escaping @Sendable ([Event]) -> Bool) async -> Bool {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
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

  /// Adds an event; counts of bytes are added up while nothing else is on their connection.
  func record(_ kind: Event.Kind, on connection: Int) {
    state.withLock { state in
      Self.append(kind, on: connection, to: &state)
      Self.wake(&state)
    }
  }

  /// Adds a request's head; returns the place for its body.
  func record(_ request: Request) -> Int {
    state.withLock { state in
      state.requests.append(request)
      Self.append(.head(request.rawHead), on: request.head.connection, to: &state)
      Self.wake(&state)
      return state.requests.count - 1
    }
  }

  /// Adds to a request's body.
  func record(body bytes: [UInt8], ofRequest index: Int) {
    state.withLock { state in
      let room = Request.keptBytes - state.requests[index].body.count
      if room > 0 { state.requests[index].body += bytes.prefix(room) }
    }
    record(bodyCount: bytes.count, ofRequest: index)
  }

  /// Adds to the size of a request's body, of which no more is known.
  func record(bodyCount count: Int, ofRequest index: Int) {
    state.withLock { state in
      state.requests[index].bodyCount += count
      Self.append(.body(count), on: state.requests[index].head.connection, to: &state)
      Self.wake(&state)
    }
  }

  /// Marks a request's body as read to its end.
  func record(trailers: HTTPFields, ofRequest index: Int) {
    state.withLock { state in
      state.requests[index].trailers = trailers
      Self.append(.requestEnd, on: state.requests[index].head.connection, to: &state)
      Self.wake(&state)
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

  private static func wake(_ state: inout State) {
    for (id, waiter) in state.waiters where waiter.isSatisfied(state.events) {
      state.waiters[id] = nil
      waiter.continuation.resume(returning: true)
    }
  }
}

extension OriginLog {
  /// What was waited for did not happen.
  public struct Missing: Error, CustomStringConvertible {
    /// What happened instead.
    public var events: [Event]

    public var description: String {
      "the awaited event did not come; the origin saw:\n"
        + events.suffix(40).map(\.description).joined(separator: "\n")
    }
  }
}
