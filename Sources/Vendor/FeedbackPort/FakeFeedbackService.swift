import SystemLocks

/// A feedback service in memory, for tests and previews.
///
/// It completes each load at once with one of its forms, unless a test completes loads itself with
/// ``onLoad(_:)``.
public final class FakeFeedbackService: FeedbackService {
  private let vendor: Vendor

  /// Creates a service with a list of forms.
  ///
  /// - Parameters:
  ///   - forms: The forms. Ids are compared by their UTF-8 bytes; the first form with an id wins.
  ///   - timeLimit: How long a load waits for an answer, in the time of ``advance(by:)``.
  public init(_ forms: FeedbackForm..., timeLimit: Duration = .seconds(30)) {
    vendor = Vendor(forms: forms, timeLimit: timeLimit)
  }

  /// Creates a second service on another service's vendor, such as for a second screen of the app.
  public init(sharingVendorOf other: FakeFeedbackService) { vendor = other.vendor }

  public func loadForm(_ id: String) async throws -> FeedbackForm {
    try Task.checkCancellation()
    let answers = AsyncStream<Answer>.makeStream()
    let number = try vendor.begin(id, answeringTo: answers.continuation)
    defer { vendor.end(number) }
    for await answer in answers.stream { return try answer.get() }
    // The stream ends without an element only if the task is cancelled.
    throw CancellationError()
  }

  /// Calls a closure for each load from now on; the closure may answer at once, later or never.
  ///
  /// The service no longer uses the forms that it was created with.
  public func onLoad(_ body: @escaping @Sendable (Load) -> Void) {
    vendor.state.withLock { $0.onLoad = body }
  }

  /// The ids of the loads that have reached the vendor, in order.
  public var requestedIDs: [String] { vendor.state.withLock { $0.model.requestedIDs } }

  /// Advances the service's time. A load whose time limit is reached throws
  /// ``FeedbackTimeoutError``.
  public func advance(by duration: Duration) {
    vendor.state.withLock { state in
      for expired in state.model.advance(by: duration) {
        let error = FeedbackTimeoutError(id: expired.id, timeLimit: state.model.timeLimit)
        state.continuations[expired.number]?.yield(.failure(error))
      }
    }
  }

  /// Whether a client other than this app's services receives the vendor's answers.
  public var isVendorTaken: Bool {
    get { vendor.state.withLock { $0.model.listener == .stranger } }
    set { vendor.state.withLock { $0.model.setStranger(isListening: newValue) } }
  }

  /// Whether a service on this vendor waits for an answer.
  public var isListening: Bool {
    vendor.state.withLock { if case .load = $0.model.listener { true } else { false } }
  }

  /// A load that has reached the vendor.
  public struct Load: Sendable {
    /// The id of the form.
    public let id: String

    fileprivate let number: Int
    fileprivate let vendor: Vendor

    /// Answers the load.
    ///
    /// The call has no effect if the load has ended or if another client receives the vendor's
    /// answers.
    public func answer(_ result: Result<FeedbackForm, any Error>) {
      vendor.answer(number, result)
    }
  }

  fileprivate typealias Answer = Result<FeedbackForm, any Error>
}

/// The state that the services of one app share: the model and the waiting callers.
private final class Vendor: Sendable {
  struct State {
    var model: FeedbackModel
    var onLoad: (@Sendable (FakeFeedbackService.Load) -> Void)?
    /// Receive the answers to the loads in flight, by number.
    var continuations: [Int: AsyncStream<FakeFeedbackService.Answer>.Continuation] = [:]
  }

  let state: Mutex<State>
  private let forms: [FeedbackForm]

  init(forms: [FeedbackForm], timeLimit: Duration) {
    self.forms = forms
    state = Mutex(State(model: FeedbackModel(timeLimit: timeLimit)))
  }

  /// Begins a load, and answers it unless a test does so with `onLoad`.
  ///
  /// The closure and the answer run outside the lock: a test's closure may call back into the
  /// service.
  func begin(
    _ id: String, answeringTo continuation: AsyncStream<FakeFeedbackService.Answer>.Continuation
  ) throws -> Int {
    let (number, onLoad) = try state.withLock { state in
      let number = try state.model.begin(id)
      state.continuations[number] = continuation
      return (number, state.onLoad)
    }
    if let onLoad {
      onLoad(FakeFeedbackService.Load(id: id, number: number, vendor: self))
    } else {
      continuation.yield(form(id))
    }
    return number
  }

  private func form(_ id: String) -> FakeFeedbackService.Answer {
    let form = forms.first { $0.id.utf8.elementsEqual(id.utf8) }
    return form.map { .success($0) } ?? .failure(UnknownFormError(id: id))
  }

  func answer(_ number: Int, _ answer: FakeFeedbackService.Answer) {
    state.withLock { state in
      guard state.model.listener == .load(number: number) else { return }
      state.continuations[number]?.yield(answer)
    }
  }

  func end(_ number: Int) {
    state.withLock { state in
      state.model.end(number)
      state.continuations[number] = nil
    }
  }
}
