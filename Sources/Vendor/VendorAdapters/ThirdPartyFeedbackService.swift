public import FeedbackPort
public import VendorSDK

/// A feedback service over the vendor's SDK.
///
/// The SDK has one delegate per process, and its callbacks do not say which load they answer. Each
/// load therefore has a separate delegate, which is the SDK's delegate from the start of the load
/// to its end. A load throws ``FeedbackPort/MultipleFormLoadError`` if the SDK already has a
/// delegate, so any number of services can share the SDK, and another client's delegate is neither
/// replaced nor removed. If another client replaces the delegate while a load is in flight, that
/// load times out.
public final class ThirdPartyFeedbackService: FeedbackService {
  private let sdk: FormLoad.SDK
  private let timeLimit: Duration
  private let clock: any Clock<Duration>

  /// Creates a service. The closures default to the SDK's functions.
  ///
  /// - Parameters:
  ///   - timeLimit: How long a load waits for an answer; 30 seconds by default.
  ///   - clock: The clock that measures the time limit.
  ///   - loadFeedback: Starts loading the form with an id.
  ///   - getDelegate: Returns the SDK's delegate. It is called under a lock that all services
  ///     share, so it must not load a form.
  ///   - setDelegate: Replaces the SDK's delegate. It is called under the same lock.
  public init(
    timeLimit: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
    loadFeedback: @escaping @Sendable (String) -> Void = { ThirdParty.loadFeedbackForm($0) },
    getDelegate: @escaping @Sendable () -> (any ThirdPartyDelegate)? = { ThirdParty.delegate },
    setDelegate: @escaping @Sendable ((any ThirdPartyDelegate)?) -> Void = {
      ThirdParty.delegate = $0
    }
  ) {
    self.timeLimit = timeLimit
    self.clock = clock
    sdk = FormLoad.SDK(load: loadFeedback, getDelegate: getDelegate, setDelegate: setDelegate)
  }

  /// About a century: the system's clocks trap if an instant overflows.
  private static var longestSleep: Duration { .seconds(Int64(UInt32.max)) }

  public func loadForm(_ id: String) async throws -> FeedbackForm {
    try Task.checkCancellation()
    let load = FormLoad(id: id, on: sdk)
    guard load.acquireDelegate() else { throw MultipleFormLoadError(id: id) }
    // Released only after the SDK's function has returned, even if the task is cancelled earlier:
    // otherwise the next load could become the delegate first and receive this load's answer.
    defer { load.releaseDelegate() }
    let timer = Task { [clock, timeLimit] in
      try await clock.sleep(for: min(timeLimit, Self.longestSleep))
      load.answer(.failure(FeedbackTimeoutError(id: id, timeLimit: timeLimit)))
    }
    defer { timer.cancel() }
    return try await load.perform()
  }
}
