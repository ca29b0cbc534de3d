import FeedbackPort
import SystemLocks
import Testing
import VendorAdapters
import VendorSDK

/// Tests what the contract cannot observe: the closures, the SDK's weak reference, the timer.
@Suite struct ThirdPartyFeedbackServiceTests {
  private let sandbox = ThirdPartySandbox()

  private func service(
    timeLimit: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
  ) -> ThirdPartyFeedbackService {
    ThirdPartyFeedbackService(
      timeLimit: timeLimit, clock: clock,
      loadFeedback: { [sandbox] in sandbox.loadFeedbackForm($0) },
      getDelegate: { [sandbox] in sandbox.delegate },
      setDelegate: { [sandbox] in sandbox.delegate = $0 })
  }

  @Test(.timeLimit(.minutes(1)))
  func `the timer is cancelled when its load ends`() async throws {
    let clock = ClockWithoutTime()
    _ = try await service(clock: clock).loadForm("form")
    for await _ in clock.wakes { break }
  }

  @Test(.timeLimit(.minutes(1)))
  func `the timer of a time limit of any length waits no longer than the system's clocks can`()
    async throws
  {
    let clock = ClockWithoutTime()
    let service = service(timeLimit: .seconds(Int64.max), clock: clock)
    sandbox.planEvery(.stalling)
    let load = Task { try await service.loadForm("form") }
    for await deadline in clock.deadlines {
      #expect(clock.now.duration(to: deadline) < .seconds(1 << 33))
      break
    }
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
  }

  @Test func `a load succeeds after another client's delegate is deallocated`() async throws {
    final class Stranger: ThirdPartyDelegate {
      func formDidLoad(_ form: ThirdPartyForm) {}
      func formDidFailLoading(_ error: ThirdPartyError) {}
    }
    var stranger: Stranger? = Stranger()
    sandbox.delegate = stranger
    let service = service()
    await #expect(throws: MultipleFormLoadError(id: "form")) {
      try await service.loadForm("form")
    }
    withExtendedLifetime(stranger) {}
    stranger = nil
    #expect(try await service.loadForm("form").id == "form")
  }

  @Test func `the delegate is released after the vendor's function has returned`() async {
    let calls = Mutex<[String]>([])
    let task = Mutex<Task<FeedbackForm, any Error>?>(nil)
    let mayBegin = AsyncStream<Void>.makeStream()
    let service = ThirdPartyFeedbackService(
      loadFeedback: { id in
        calls.withLock { $0.append("call \(id)") }
        task.withLock { $0?.cancel() }
        calls.withLock { $0.append("return \(id)") }
      },
      getDelegate: { [sandbox] in sandbox.delegate },
      setDelegate: { [sandbox] delegate in
        calls.withLock { $0.append(delegate == nil ? "release" : "acquire") }
        sandbox.delegate = delegate
      })
    task.withLock {
      $0 = Task {
        for await _ in mayBegin.stream {}
        return try await service.loadForm("form")
      }
    }
    mayBegin.continuation.finish()
    let result = await task.withLock(\.self)?.result
    #expect(throws: CancellationError.self) { try result?.get() }
    #expect(calls.withLock(\.self) == ["acquire", "call form", "return form", "release"])
  }
}

/// A clock that never reaches a deadline: only cancellation ends a sleep.
private struct ClockWithoutTime: Clock {
  /// Yields an element when a sleep ends.
  let wakes: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation
  /// Yields the deadline when a sleep begins.
  let deadlines: AsyncStream<ContinuousClock.Instant>
  private let begin: AsyncStream<ContinuousClock.Instant>.Continuation

  init() {
    (wakes, end) = AsyncStream.makeStream()
    (deadlines, begin) = AsyncStream.makeStream()
  }

  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    begin.yield(deadline)
    defer { end.yield() }
    let never = AsyncStream<Void>.makeStream()
    for await _ in never.stream {}
    try Task.checkCancellation()
  }
}
