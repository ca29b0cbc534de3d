import FeedbackPort
import SystemLocks
import VendorSDK

/// One load on the vendor's SDK. It is the SDK's delegate while the load is in flight.
final class FormLoad: ThirdPartyDelegate, Sendable {
  /// The SDK functions that a load uses.
  struct SDK: Sendable {
    var load: @Sendable (String) -> Void
    var getDelegate: @Sendable () -> (any ThirdPartyDelegate)?
    var setDelegate: @Sendable ((any ThirdPartyDelegate)?) -> Void
  }

  /// Makes reading and setting the delegate atomic among all services in the process.
  private static let delegateLock = Mutex(())

  private let id: String
  private let sdk: SDK
  private let answers = AsyncStream<Result<FeedbackForm, any Error>>.makeStream()

  init(id: String, on sdk: SDK) {
    self.id = id
    self.sdk = sdk
  }

  /// Sets this load as the SDK's delegate, unless the SDK has one.
  ///
  /// - Returns: Whether the load is now the delegate.
  func acquireDelegate() -> Bool {
    Self.delegateLock.withLock { _ in
      guard sdk.getDelegate() == nil else { return false }
      sdk.setDelegate(self)
      return true
    }
  }

  /// Removes this load as the SDK's delegate. Another client's delegate stays.
  func releaseDelegate() {
    Self.delegateLock.withLock { _ in
      if sdk.getDelegate() === self { sdk.setDelegate(nil) }
    }
  }

  /// Starts the load on the SDK and waits for the first answer: from the SDK or from the timer.
  func perform() async throws -> FeedbackForm {
    sdk.load(id)
    for await answer in answers.stream { return try answer.get() }
    // The stream ends without an element only if the task is cancelled.
    throw CancellationError()
  }

  /// Answers the load. Answers after the first have no effect.
  func answer(_ answer: Result<FeedbackForm, any Error>) { answers.continuation.yield(answer) }

  func formDidLoad(_ form: ThirdPartyForm) {
    answer(.success(FeedbackForm(id: id, title: form.title, questions: form.questions)))
  }

  func formDidFailLoading(_ error: ThirdPartyError) { answer(.failure(error)) }
}
