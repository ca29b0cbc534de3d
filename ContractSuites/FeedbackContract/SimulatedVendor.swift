import FeedbackPort
import SystemLocks

/// A vendor in memory, for the saboteurs to be wrong about.
final class SimulatedVendor: FeedbackVendor {
  /// What a form says, or why there is none.
  typealias Answer = Result<(title: String, questions: [String]), any Error>

  /// Takes the vendor's answers.
  struct Listener: Sendable {
    var kind: FeedbackListener
    var owner: ObjectIdentifier?
    var receive: @Sendable (Answer) -> Void
  }

  private struct Failure: Error {
    var code: Int
  }

  private struct State {
    var listener: Listener?
    var loadCount = 0
    var onLoad: @Sendable (VendorLoad) -> Void = { _ in }
    var now: Duration = .zero
    var timers: [(deadline: Duration, fire: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  var place: Listener? {
    get { state.withLock(\.listener) }
    set { state.withLock { $0.listener = newValue } }
  }

  func load(_ id: String) {
    let (listener, onLoad) = state.withLock { state in
      state.loadCount += 1
      return (state.listener?.kind ?? .nobody, state.onLoad)
    }
    onLoad(VendorLoad(id: id, listener: listener) { self.answer($0) })
  }

  private func answer(_ answer: VendorAnswer) {
    switch answer {
    case .form(let title, let questions): place?.receive(.success((title, questions)))
    case .failure(let code): place?.receive(.failure(Failure(code: code)))
    }
  }

  /// Calls a closure when time has passed.
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

  var listener: FeedbackListener { place?.kind ?? .nobody }

  var loadCount: Int { state.withLock(\.loadCount) }

  func letStrangerListen() { place = Listener(kind: .stranger, owner: nil) { _ in } }

  func onLoad(_ body: @escaping @Sendable (VendorLoad) -> Void) {
    state.withLock { $0.onLoad = body }
  }

  func code(of error: any Error) -> Int? { (error as? Failure)?.code }
}
