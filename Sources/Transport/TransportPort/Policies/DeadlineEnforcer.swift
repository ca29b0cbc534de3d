import SystemLocks

/// Measures one exchange and ends it when it exceeds a deadline.
///
/// A task sleeps until the earliest possible expiry, checks, and sleeps again. Activity only writes
/// a time stamp and never wakes the task, because an upload reports activity for every chunk.
final class DeadlineEnforcer: Sendable {
  private struct State {
    var isWaiting = false
    var lastActivity = Duration.zero
    var phase = TransportError.Phase.awaitingHead
    var timer: Task<Void, Never>?
    var isStopped = false
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
    stop()
  }

  /// Restarts the idle time because a byte was sent or received.
  func noteActivity() {
    let now = stopwatch.elapsed
    state.withLock { $0.lastActivity = now }
  }

  /// Runs an operation, and throws when a deadline expires before it ends.
  func wait<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(TransportError) -> Value
  ) async throws(TransportError) -> Value {
    let now = stopwatch.elapsed
    state.withLock {
      $0.lastActivity = now
      $0.isWaiting = true
    }
    defer { state.withLock { $0.isWaiting = false } }
    return try await interruption.run(operation)
  }

  /// Returns a body with the same content whose reading is subject to the deadlines.
  func enforcing(on body: HTTPResponseBody) -> HTTPResponseBody {
    let reader = body.partReader()
    let hasExpired = state.withLock { state in
      state.phase = .receivingBody
      state.closeBody = { body.cancel() }
      return state.isStopped
    }
    // The deadline expired between the head and this call, when there was no body to close.
    if hasExpired { body.cancel() }
    return HTTPResponseBody(
      next: { () async throws(TransportError) in
        do throws(TransportError) {
          let part = try await self.wait(reader)
          if case .end = part { self.stop() }
          return part
        } catch {
          self.stop()
          throw error
        }
      },
      cancel: {
        self.stop()
        body.cancel()
      })
  }

  /// Stops the measurement; no deadline expires after this call.
  func stop() {
    // Releasing the closure may release the body, whose source may call back here; so it must not
    // happen under the lock.
    let (timer, closeBody) = state.withLock { state in
      state.isStopped = true
      defer {
        state.timer = nil
        state.closeBody = nil
      }
      return (state.timer, state.closeBody)
    }
    timer?.cancel()
    withExtendedLifetime(closeBody) {}
  }

  /// Ends the exchange if a deadline has expired.
  ///
  /// - Returns: The time until the next possible expiry, or `nil` if the measurement is over.
  private func check() -> Duration? {
    let now = stopwatch.elapsed
    let (isWaiting, lastActivity, isStopped) = state.withLock {
      ($0.isWaiting, $0.lastActivity, $0.isStopped)
    }
    guard !isStopped else { return nil }
    if let overall = deadlines.overall, now >= overall {
      expire(.deadlineExceeded, "the exchange did not end within \(overall)")
      return nil
    }
    if let idle = deadlines.idle, isWaiting, now - lastActivity >= idle {
      expire(.idleTimeout, "no byte was sent or received for \(idle)")
      return nil
    }
    let untilIdle = deadlines.idle.map { isWaiting ? lastActivity + $0 - now : $0 }
    let untilOverall = deadlines.overall.map { $0 - now }
    return [untilIdle, untilOverall].compactMap(\.self).min()
  }

  private func expire(_ kind: TransportError.Kind, _ detail: String) {
    let (phase, closeBody) = state.withLock { state in
      defer { state.isStopped = true }
      return (state.phase, state.closeBody)
    }
    interruption.interrupt(
      TransportError(kind, phase: phase, method: method, bytesSent: true, detail: detail))
    closeBody?()
  }
}
