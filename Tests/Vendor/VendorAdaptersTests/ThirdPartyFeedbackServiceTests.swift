import FeedbackPort
import SystemLocks
import Testing
import VendorAdapters
import VendorSDK

/// What the contract can't see: the closures, the SDK's weak reference, the timer's end.
@Suite struct ThirdPartyFeedbackServiceTests {
  private let sandbox = ThirdPartySandbox()

  private var service: ThirdPartyFeedbackService {
    ThirdPartyFeedbackService(
      loadFeedback: { [sandbox] in sandbox.loadFeedbackForm($0) },
      getDelegate: { [sandbox] in sandbox.delegate },
      setDelegate: { [sandbox] in sandbox.delegate = $0 })
  }

  @Test(.timeLimit(.minutes(1)))
  func `a load that has ended leaves no timer behind`() async throws {
    let clock = ClockWithoutTime()
    let service = ThirdPartyFeedbackService(
      clock: clock, loadFeedback: { [sandbox] in sandbox.loadFeedbackForm($0) },
      getDelegate: { [sandbox] in sandbox.delegate },
      setDelegate: { [sandbox] in sandbox.delegate = $0 })
    _ = try await service.loadForm("form")
    for await _ in clock.wakes { break }
  }

  @Test func `the vendor may call back twice, time and again`() async throws {
    let service = service
    for round in 1...50 {
      // Both callbacks are in before the next load begins: the SDK can't tell loads apart.
      sandbox.plan(.stalling)
      sandbox.onLoad { load in
        load.answer(.form(title: "\(round)"))
        load.answer(.failure(code: round))
      }
      #expect(try await service.loadForm("form").title == "\(round)")
      #expect(sandbox.delegate == nil)
    }
  }

  @Test func `a stranger who is gone leaves the place free`() async throws {
    final class Stranger: ThirdPartyDelegate {
      func formDidLoad(_ form: ThirdPartyForm) {}
      func formDidFailLoading(_ error: ThirdPartyError) {}
    }
    var stranger: Stranger? = Stranger()
    sandbox.delegate = stranger
    await #expect(throws: MultipleFormLoadError(id: "form")) {
      try await service.loadForm("form")
    }
    withExtendedLifetime(stranger) {}
    stranger = nil
    #expect(try await service.loadForm("form").id == "form")
  }

  @Test func `the place is kept until the vendor's function has returned`() async {
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
        calls.withLock { $0.append(delegate == nil ? "leave" : "take") }
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
    #expect(calls.withLock(\.self) == ["take", "call form", "return form", "leave"])
  }

  @Test func `the value form goes to the same vendor`() async throws {
    let client = FeedbackClient.thirdParty(
      loadFeedback: { [sandbox] in sandbox.loadFeedbackForm($0) },
      getDelegate: { [sandbox] in sandbox.delegate },
      setDelegate: { [sandbox] in sandbox.delegate = $0 })
    #expect(try await client.loadForm("form").id == "form")
    #expect(sandbox.loadCount == 1)
  }
}

/// A clock whose sleepers are woken by cancellation alone.
private struct ClockWithoutTime: Clock {
  /// One element for each sleep that has ended.
  let wakes: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  init() { (wakes, end) = AsyncStream.makeStream() }

  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    defer { end.yield() }
    let never = AsyncStream<Void>.makeStream()
    for await _ in never.stream {}
    try Task.checkCancellation()
  }
}
