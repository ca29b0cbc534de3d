import SystemLocks

/// Measures one exchange and ends it when it exceeds a deadline.
///
/// A task sleeps until the earliest possible expiry, checks, and sleeps again. Activity only writes
/// a time stamp and never wakes the task, because an upload reports activity for every chunk.
final class DeadlineEnforcer: Sendable {
  private struct State {
    /// The time of the last activity while the caller waits; `nil` while it does not.
    var idleSince: Duration?
    var phase = TransportError.Phase.awaitingHead
    var timer: Task<Void, Never>?
    /// Closes the body when a deadline expires; `nil` before the head.
    var closeBody: (@Sendable () -> Void)?
  }

  private let deadlines: Deadlines
  private let method: HTTPRequest.Method
  private let stopwatch: Stopwatch
  private let interruption = Interruption()
  private let state = Mutex(State())

  /// Starts the measurement.
  init(deadlines: Deadlines, clock: any Clock<Duration>, method: HTTPRequest.Method) {
    self.deadlines = deadlines
    self.method = method
    self.stopwatch = Stopwatch(clock)
    let timer = Task { [weak self] in
      var pause = self?.check()
      while let duration = pause, (try? await clock.pause(for: duration)) != nil {
        pause = self?.check()
      }
    }
    state.withLock { $0.timer = timer }
  }

  deinit {
    state.withLock { $0.timer }?.cancel()
  }

  /// Restarts the idle time because a byte was sent or received.
  func noteActivity() {
    let now = stopwatch.elapsed
    state.withLock { $0.idleSince = $0.idleSince.map { _ in now } }
  }

  /// Runs an operation, and throws when a deadline expires before it ends.
  func wait<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(TransportError) -> Value
  ) async throws(TransportError) -> Value {
    let now = stopwatch.elapsed
    state.withLock { $0.idleSince = now }
    defer { state.withLock { $0.idleSince = nil } }
    return try await interruption.run(operation)
  }

  /// Returns a body with the same content whose reading is subject to the deadlines.
  ///
  /// Call it within `wait`: a deadline that expires earlier discards the exchange with its body.
  func enforcing(on body: HTTPResponseBody) -> HTTPResponseBody {
    let reader = body.partReader()
    state.withLock { state in
      state.phase = .receivingBody
      state.closeBody = { body.cancel() }
    }
    return HTTPResponseBody(
      next: { () async throws(TransportError) in try await self.wait(reader) },
      cancel: { body.cancel() })
  }

  /// Ends the exchange if a deadline has expired.
  ///
  /// - Returns: The time until the next possible expiry, or `nil` if the measurement is over.
  private func check() -> Duration? {
    let now = stopwatch.elapsed
    let idleSince = state.withLock { $0.idleSince }
    if let overall = deadlines.overall, now >= overall {
      expire(.deadlineExceeded, "the exchange did not end within \(overall)")
      return nil
    }
    if let idle = deadlines.idle, let idleSince, now - idleSince >= idle {
      expire(.idleTimeout, "no byte was sent or received for \(idle)")
      return nil
    }
    let untilIdle = deadlines.idle.map { (idleSince ?? now) + $0 - now }
    let untilOverall = deadlines.overall.map { $0 - now }
    return [untilIdle, untilOverall].compactMap(\.self).min()
  }

  private func expire(_ kind: TransportError.Kind, _ detail: String) {
    let phase = state.withLock { $0.phase }
    interruption.interrupt(
      TransportError(kind, phase: phase, method: method, bytesSent: true, detail: detail))
    // Read only now, because a body that is ready before the interruption is still returned.
    state.withLock { $0.closeBody }?()
  }
}
