import FeedbackPort
import SystemLocks
import VendorSDK

/// One load on the vendor's SDK: its delegate while it has the turn, and the answers that come.
final class FormLoad: ThirdPartyDelegate, Sendable {
  /// The SDK as a load sees it.
  struct SDK: Sendable {
    var load: @Sendable (String) -> Void
    var getDelegate: @Sendable () -> (any ThirdPartyDelegate)?
    var setDelegate: @Sendable ((any ThirdPartyDelegate)?) -> Void
  }

  /// Makes looking at the delegate and setting it one step, for every service in the process.
  private static let turn = Mutex(())

  private let id: String
  private let sdk: SDK
  private let inbox = AsyncStream<Result<FeedbackForm, any Error>>.makeStream()

  init(id: String, on sdk: SDK) {
    self.id = id
    self.sdk = sdk
  }

  /// Becomes the SDK's delegate, unless there is one.
  ///
  /// - Returns: Whether it did.
  func takeTurn() -> Bool {
    Self.turn.withLock { _ in
      guard sdk.getDelegate() == nil else { return false }
      sdk.setDelegate(self)
      return true
    }
  }

  /// Stops being the SDK's delegate, where it still is.
  func giveTurnBack() {
    Self.turn.withLock { _ in
      if sdk.getDelegate() === self { sdk.setDelegate(nil) }
    }
  }

  /// Has the SDK load the form and waits for the first answer, whoever gives it.
  func perform() async throws -> FeedbackForm {
    sdk.load(id)
    for await answer in inbox.stream { return try answer.get() }
    // The stream ends without an answer only where the task is cancelled.
    throw CancellationError()
  }

  /// Answers the load; any answer but the first is without effect.
  func answer(_ answer: Result<FeedbackForm, any Error>) { inbox.continuation.yield(answer) }

  func formDidLoad(_ form: ThirdPartyForm) {
    answer(.success(FeedbackForm(id: id, title: form.title, questions: form.questions)))
  }

  func formDidFailLoading(_ error: ThirdPartyError) { answer(.failure(error)) }
}
