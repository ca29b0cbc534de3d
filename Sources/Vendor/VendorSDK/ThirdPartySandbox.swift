import Foundation
import SystemLocks

/// The vendor's implementation, with controls for integration tests.
///
/// ``ThirdParty`` uses ``production``. A test can create a separate sandbox and inject its
/// functions.
package final class ThirdPartySandbox: Sendable {
  /// The sandbox that ``ThirdParty`` uses; one per process.
  package static let production = ThirdPartySandbox()

  /// An answer to a load.
  package enum Answer: Sendable {
    case form(title: String, questions: [String] = [])
    case failure(code: Int, message: String = "the form could not be loaded")
  }

  /// When and how often the sandbox answers a load.
  package enum Plan: Sendable {
    /// Answers once, from another thread.
    case answering(Answer)
    /// Answers once, before `loadFeedbackForm` returns.
    case answeringSynchronously(Answer)
    /// Answers twice, from two threads.
    case answeringTwice(Answer)
    /// Answers only when ``Load/answer(_:)`` is called.
    case stalling
  }

  /// A call to `loadFeedbackForm`.
  package struct Load: Sendable {
    /// The id of the form.
    package let id: String

    /// The delegate at the time of the call.
    package let delegate: ObjectIdentifier?

    fileprivate let sandbox: ThirdPartySandbox

    /// Calls the current delegate on this thread. May be called any number of times.
    package func answer(_ answer: Answer) { sandbox.tellDelegate(answer) }
  }

  private struct State {
    var plans: [Plan] = []
    var defaultPlan: Plan?
    var loadCount = 0
    var onLoad: @Sendable (Load) -> Void = { _ in }
  }

  /// A weak reference with a lock, like an atomic property in Objective-C.
  ///
  /// `@unchecked Sendable` is safe because `object` is accessed under `lock`. The delegate itself
  /// may not be `Sendable`: the SDK calls it on any thread, as its documentation says.
  private final class DelegateSlot: @unchecked Sendable {
    private let lock = NSLock()
    private weak var object: (any ThirdPartyDelegate)?

    var value: (any ThirdPartyDelegate)? {
      get { lock.withLock { object } }
      set { lock.withLock { object = newValue } }
    }
  }

  private let state = Mutex(State())
  private let slot = DelegateSlot()

  package init() {}

  package var delegate: (any ThirdPartyDelegate)? {
    get { slot.value }
    set { slot.value = newValue }
  }

  /// Appends plans for the next loads.
  package func plan(_ plans: Plan...) { state.withLock { $0.plans += plans } }

  /// Sets the plan for loads without a plan. By default an empty id fails and any other loads a
  /// form.
  package func planEvery(_ plan: Plan) { state.withLock { $0.defaultPlan = plan } }

  /// The number of calls to `loadFeedbackForm`.
  package var loadCount: Int { state.withLock { $0.loadCount } }

  /// Calls a closure for each load, before the load's plan is carried out.
  package func onLoad(_ body: @escaping @Sendable (Load) -> Void) {
    state.withLock { $0.onLoad = body }
  }

  /// Removes all plans, the closure and the delegate, and sets the load count to zero.
  package func reset() {
    state.withLock { $0 = State() }
    delegate = nil
  }

  package func loadFeedbackForm(_ id: String) {
    let load = Load(id: id, delegate: delegate.map { ObjectIdentifier($0) }, sandbox: self)
    let (plan, onLoad) = state.withLock { state in
      state.loadCount += 1
      let plan = state.plans.isEmpty ? state.defaultPlan : state.plans.removeFirst()
      return (plan ?? .answering(Self.defaultAnswer(to: id)), state.onLoad)
    }
    onLoad(load)
    switch plan {
    case .answering(let answer): Thread { load.answer(answer) }.start()
    case .answeringSynchronously(let answer): load.answer(answer)
    case .answeringTwice(let answer):
      Thread { load.answer(answer) }.start()
      Thread { load.answer(answer) }.start()
    case .stalling: break
    }
  }

  private static func defaultAnswer(to id: String) -> Answer {
    id.isEmpty
      ? .failure(code: 404, message: "no form id was given")
      : .form(title: "How do you like it?", questions: ["What could be better?"])
  }

  private func tellDelegate(_ answer: Answer) {
    switch answer {
    case .form(let title, let questions):
      delegate?.formDidLoad(ThirdPartyForm(title: title, questions: questions))
    case .failure(let code, let message):
      delegate?.formDidFailLoading(ThirdPartyError(code: code, message: message))
    }
  }
}
