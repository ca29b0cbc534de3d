import SystemLocks

/// A feedback service in memory, for tests and previews.
///
/// It answers each load at once from the forms that it was made with, unless a test takes the
/// answers into its own hand with ``onLoad(_:)``.
public final class FakeFeedbackService: FeedbackService {
  private let vendor: Vendor

  /// Makes a service that knows some forms.
  ///
  /// - Parameters:
  ///   - forms: The forms; ids are compared octet for octet, and the first of one id counts.
  ///   - timeLimit: How long a load may go unanswered, in the time of ``advance(by:)``.
  public init(_ forms: FeedbackForm..., timeLimit: Duration = .seconds(30)) {
    vendor = Vendor(forms: forms, timeLimit: timeLimit)
  }

  /// Makes a second service on the vendor of another, as two screens of an app have them.
  public init(sharingVendorOf other: FakeFeedbackService) { vendor = other.vendor }

  public func loadForm(_ id: String) async throws -> FeedbackForm {
    try Task.checkCancellation()
    let inbox = AsyncStream<Answer>.makeStream()
    let number = try vendor.begin(id, answeringTo: inbox.continuation)
    defer { vendor.state.withLock { $0.model.end(number) } }
    for await answer in inbox.stream { return try answer.get() }
    // The stream ends without an answer only where the task is cancelled.
    throw CancellationError()
  }

  /// Has a closure called with every load from now on, to answer it at once, later or never.
  ///
  /// The forms that the service was made with are not used any more.
  public func onLoad(_ body: @escaping @Sendable (Load) -> Void) {
    vendor.state.withLock { $0.onLoad = body }
  }

  /// The ids of the loads that have reached the vendor, in order.
  public var requestedIDs: [String] { vendor.state.withLock { $0.model.requestedIDs } }

  /// Lets time pass: a load that has gone unanswered too long ends.
  public func advance(by duration: Duration) {
    vendor.state.withLock { state in
      guard let late = state.model.advance(by: duration) else { return }
      let error = FeedbackTimeoutError(id: late.id, timeLimit: state.model.timeLimit)
      state.inbox?.yield(.failure(error))
    }
  }

  /// Whether somebody else, and not this app's service, gets the vendor's answers.
  public var isVendorTaken: Bool {
    get { vendor.state.withLock { $0.model.listener == .stranger } }
    set { vendor.state.withLock { $0.model.setStranger(isListening: newValue) } }
  }

  /// Whether a service on this vendor waits for an answer.
  public var isListening: Bool { vendor.state.withLock { $0.model.listener == .service } }

  /// A load that has reached the vendor.
  public struct Load: Sendable {
    /// The id of the form.
    public let id: String

    fileprivate let number: Int
    fileprivate let vendor: Vendor

    /// Answers the load; one that has ended, or that another client took the answers from, is not
    /// answered.
    public func answer(_ result: Result<FeedbackForm, any Error>) {
      vendor.answer(number, result)
    }
  }

  fileprivate typealias Answer = Result<FeedbackForm, any Error>
}

/// What the services of one app share: the model, and the caller that waits.
private final class Vendor: Sendable {
  struct State {
    var model: FeedbackModel
    var onLoad: (@Sendable (FakeFeedbackService.Load) -> Void)?
    /// Where the answer to the load in flight goes.
    var inbox: AsyncStream<FakeFeedbackService.Answer>.Continuation?
  }

  let state: Mutex<State>
  private let forms: [FeedbackForm]

  init(forms: [FeedbackForm], timeLimit: Duration) {
    self.forms = forms
    state = Mutex(State(model: FeedbackModel(timeLimit: timeLimit)))
  }

  /// Begins a load and has it answered, unless the test does that later.
  func begin(
    _ id: String, answeringTo inbox: AsyncStream<FakeFeedbackService.Answer>.Continuation
  ) throws -> Int {
    let (number, onLoad) = try state.withLock { state in
      let number = try state.model.begin(id)
      state.inbox = inbox
      return (number, state.onLoad)
    }
    if let onLoad {
      onLoad(FakeFeedbackService.Load(id: id, number: number, vendor: self))
    } else {
      inbox.yield(form(id))
    }
    return number
  }

  private func form(_ id: String) -> FakeFeedbackService.Answer {
    let form = forms.first { $0.id.utf8.elementsEqual(id.utf8) }
    return form.map { .success($0) } ?? .failure(UnknownFormError(id: id))
  }

  func answer(_ number: Int, _ answer: FakeFeedbackService.Answer) {
    state.withLock { state in
      if state.model.isListening(for: number) { state.inbox?.yield(answer) }
    }
  }
}
