import FeedbackPort
import SystemLocks

/// A vendor in memory for the flawed services.
final class SimulatedVendor: FeedbackVendor {
  /// A form's content, or the vendor's error.
  typealias Answer = Result<(title: String, questions: [String]), any Error>

  /// The vendor's listener.
  struct Receiver: Sendable {
    /// What the contract sees.
    var kind: FeedbackListener
    var owner: ObjectIdentifier?
    var receive: @Sendable (Answer) -> Void
  }

  private struct Failure: Error {
    var code: Int
  }

  private struct State {
    var receiver: Receiver?
    var loadCount = 0
    var answersItself = false
    var onLoad: @Sendable (VendorLoad) -> Void = { _ in }
    var now: Duration = .zero
    var timers: [(deadline: Duration, fire: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  /// The listener, or `nil`.
  var receiver: Receiver? {
    get { state.withLock(\.receiver) }
    set { state.withLock { $0.receiver = newValue } }
  }

  func load(_ id: String) {
    let (listener, onLoad, answersItself) = state.withLock { state in
      state.loadCount += 1
      return (state.receiver?.kind ?? .nobody, state.onLoad, state.answersItself)
    }
    onLoad(VendorLoad(id: id, listener: listener) { self.answer($0) })
    if answersItself {
      answer(
        id == Self.form.id ? .form(Self.form.title, questions: Self.form.questions) : .failure(4))
    }
  }

  private static let form = FeedbackForm(id: "own", title: "Own form", questions: ["Why?"])

  /// The answers of this vendor to loads that no clause answers.
  var ownAnswers: OwnAnswers {
    OwnAnswers(
      form: Self.form, unknownID: "unknown", isOfUnknownID: { [self] in code(of: $0) == 4 },
      begin: { [self] in state.withLock { $0.answersItself = true } })
  }

  private func answer(_ answer: VendorAnswer) {
    switch answer {
    case .form(let title, let questions): receiver?.receive(.success((title, questions)))
    case .failure(let code): receiver?.receive(.failure(Failure(code: code)))
    }
  }

  /// Calls a closure once the time has advanced by `delay`.
  func setTimer(_ delay: Duration, _ fire: @escaping @Sendable () -> Void) {
    state.withLock { $0.timers.append((deadline: $0.now + delay, fire: fire)) }
  }

  func passTime(_ duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let now = state.now
      defer { state.timers.removeAll { $0.deadline <= now } }
      return state.timers.filter { $0.deadline <= now }
    }
    for timer in due { timer.fire() }
  }

  // MARK: - FeedbackVendor

  var listener: FeedbackListener { receiver?.kind ?? .nobody }

  var loadCount: Int { state.withLock(\.loadCount) }

  func letStrangerListen() { receiver = Receiver(kind: .stranger, owner: nil) { _ in } }

  func letStrangerLeave() { if listener == .stranger { receiver = nil } }

  func onLoad(_ body: @escaping @Sendable (VendorLoad) -> Void) {
    state.withLock { $0.onLoad = body }
  }

  func code(of error: any Error) -> Int? { (error as? Failure)?.code }
}
