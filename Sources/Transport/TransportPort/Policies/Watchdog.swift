import SystemLocks

/// Watches the time of one exchange, and ends it when a bound is exceeded.
final class Watchdog: Sendable {
  private struct State {
    var isWaiting = false
    var lastActivity = Duration.zero
    var phase = TransportError.Phase.awaitingHead
    var timer: Task<Void, Never>?
    var isStopped = false
    var onBite: (@Sendable () -> Void)?
  }

  private let deadlines: Deadlines
  private let method: HTTPRequest.Method
  private let stopwatch: Stopwatch
  private let interruption = Interruption()
  private let state = Mutex(State())

  /// Starts to measure.
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

  /// Tells that a byte moved.
  func touch() {
    let now = stopwatch.elapsed
    state.withLock { $0.lastActivity = now }
  }

  /// Waits for an operation, but not beyond a bound.
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

  /// The same body, read under this watch.
  func watching(_ body: HTTPResponseBody) -> HTTPResponseBody {
    let reader = body.partReader()
    let isLate = state.withLock { state in
      state.phase = .receivingBody
      state.onBite = { body.cancel() }
      return state.isStopped
    }
    if isLate { body.cancel() }
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

  /// Ends the watch.
  func stop() {
    // What the closure holds must not be dropped under the lock.
    let (timer, onBite) = state.withLock { state in
      state.isStopped = true
      defer {
        state.timer = nil
        state.onBite = nil
      }
      return (state.timer, state.onBite)
    }
    timer?.cancel()
    withExtendedLifetime(onBite) {}
  }

  /// Ends the exchange if a bound is exceeded.
  ///
  /// - Returns: How long to wait before the next look; `nil` when there is nothing left to watch.
  private func check() -> Duration? {
    let now = stopwatch.elapsed
    let (isWaiting, lastActivity, isStopped) = state.withLock {
      ($0.isWaiting, $0.lastActivity, $0.isStopped)
    }
    guard !isStopped else { return nil }
    if let overall = deadlines.overall, now >= overall {
      bite(.deadlineExceeded, "the exchange was not over after \(overall)")
      return nil
    }
    if let idle = deadlines.idle, isWaiting, now - lastActivity >= idle {
      bite(.idleTimeout, "nothing moved for \(idle)")
      return nil
    }
    let untilIdle = deadlines.idle.map { isWaiting ? lastActivity + $0 - now : $0 }
    let untilOverall = deadlines.overall.map { $0 - now }
    return [untilIdle, untilOverall].compactMap(\.self).min()
  }

  private func bite(_ kind: TransportError.Kind, _ detail: String) {
    let (phase, onBite) = state.withLock { state in
      defer { state.isStopped = true }
      return (state.phase, state.onBite)
    }
    interruption.interrupt(
      TransportError(kind, phase: phase, method: method, bytesSent: true, detail: detail))
    onBite?()
  }
}

extension HTTPResponseBody {
  /// A function that gives the next part of this body, for policies that make a new body of it.
  func partReader() -> @Sendable () async throws(TransportError) -> Part {
    {
      () async throws(TransportError) -> Part in
      var iterator = self.makeAsyncIterator()
      guard let bytes = try await iterator.next() else {
        return .end(trailers: self.trailerFields ?? [:])
      }
      return .bytes(bytes)
    }
  }

  /// The same body, with each chunk made known as it is read.
  ///
  /// - Parameter report: Gets the number of bytes read so far.
  public func reportingProgress(
    _ report: @escaping @Sendable (_ received: Int) -> Void
  ) -> HTTPResponseBody {
    let reader = partReader()
    let count = Counter()
    return HTTPResponseBody(
      next: { () async throws(TransportError) in
        let part = try await reader()
        if case .bytes(let bytes) = part { report(count.add(bytes.count)) }
        return part
      },
      cancel: { cancel() })
  }
}

/// A sum that several tasks may add to.
final class Counter: Sendable {
  private let sum = Mutex(0)

  func add(_ number: Int) -> Int {
    sum.withLock { sum in
      sum += number
      return sum
    }
  }
}
