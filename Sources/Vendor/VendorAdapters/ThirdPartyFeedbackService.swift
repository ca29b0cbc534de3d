public import FeedbackPort
public import VendorSDK

/// A feedback service over the vendor's SDK.
///
/// The SDK has one delegate for the whole process and never says which load it answers. Each load
/// is therefore a delegate of its own, and holds the SDK's only place from its beginning to its end:
/// services of any number take turns, and somebody else's delegate is neither replaced nor removed.
/// Nothing can help against a client of the SDK that replaces the delegate while a load is in
/// flight: that load times out.
public final class ThirdPartyFeedbackService: FeedbackService {
  private let sdk: FormLoad.SDK
  private let timeLimit: Duration
  private let clock: any Clock<Duration>

  /// Makes a service; the closures stand for the SDK and default to it.
  ///
  /// - Parameters:
  ///   - timeLimit: How long a load may go unanswered, 30 seconds unless said otherwise.
  ///   - clock: What measures that time.
  ///   - loadFeedback: Asks the SDK for the form of an id.
  ///   - getDelegate: The SDK's delegate; called under a lock that every service shares, so it must
  ///     not load a form itself.
  ///   - setDelegate: Replaces the SDK's delegate, under the same lock.
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

  public func loadForm(_ id: String) async throws -> FeedbackForm {
    try Task.checkCancellation()
    let load = FormLoad(id: id, on: sdk)
    guard load.takeTurn() else { throw MultipleFormLoadError(id: id) }
    // Given back only when the SDK's function has returned, even where the task is cancelled
    // meanwhile: else the SDK could begin this load under the next one's delegate.
    defer { load.giveTurnBack() }
    let timer = Task { [clock, timeLimit] in
      try await clock.sleep(for: timeLimit)
      load.answer(.failure(FeedbackTimeoutError(id: id, timeLimit: timeLimit)))
    }
    defer { timer.cancel() }
    return try await load.perform()
  }
}
