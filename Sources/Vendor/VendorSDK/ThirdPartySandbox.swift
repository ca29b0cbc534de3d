import Foundation
import SystemLocks

/// The vendor's machinery, with the controls by which tests of an integration direct it.
///
/// ``ThirdParty`` runs on ``production``; a test may make a sandbox of its own instead and inject
/// its functions.
package final class ThirdPartySandbox: Sendable {
  /// What ``ThirdParty`` runs on: one in the process.
  package static let production = ThirdPartySandbox()

  /// How a load is answered.
  package enum Answer: Sendable {
    case form(title: String, questions: [String] = [])
    case failure(code: Int, message: String = "the form can't be loaded")
  }

  /// What becomes of a load.
  package enum Plan: Sendable {
    /// It is answered from another thread, soon.
    case answering(Answer)
    /// It is answered before `loadFeedbackForm` returns.
    case answeringSynchronously(Answer)
    /// It is answered twice, from two threads.
    case answeringTwice(Answer)
    /// It is not answered, unless by its ``Load/answer(_:)``.
    case stalling
  }

  /// A load that the vendor was asked for.
  package struct Load: Sendable {
    /// The id of the form.
    package let id: String

    /// The delegate when the load was asked for.
    package let delegate: ObjectIdentifier?

    fileprivate let sandbox: ThirdPartySandbox

    /// Tells whoever is the delegate now, on this thread; there is no limit to how often.
    package func answer(_ answer: Answer) { sandbox.tellDelegate(answer) }
  }

  private struct State {
    var plans: [Plan] = []
    var usualPlan: Plan?
    var loadCount = 0
    var onLoad: @Sendable (Load) -> Void = { _ in }
  }

  /// A weak reference with its own lock, as an atomic property has.
  ///
  /// Sound as `@unchecked Sendable`: `object` is read and written under `lock` only. What the
  /// delegate does on the threads it is called on is its own affair.
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

  /// Plans the next loads, in order.
  package func plan(_ plans: Plan...) { state.withLock { $0.plans += plans } }

  /// Plans every load that no other plan is left for; by default forms come, and an empty id fails.
  package func planEvery(_ plan: Plan) { state.withLock { $0.usualPlan = plan } }

  /// How many loads were asked for.
  package var loadCount: Int { state.withLock { $0.loadCount } }

  /// Has a closure called with every load, before `loadFeedbackForm` does what is planned.
  package func onLoad(_ body: @escaping @Sendable (Load) -> Void) {
    state.withLock { $0.onLoad = body }
  }

  /// Forgets plans, loads, the closure and the delegate.
  package func reset() {
    state.withLock { $0 = State() }
    delegate = nil
  }

  package func loadFeedbackForm(_ id: String) {
    let load = Load(id: id, delegate: delegate.map { ObjectIdentifier($0) }, sandbox: self)
    let (plan, onLoad) = state.withLock { state in
      state.loadCount += 1
      let plan = state.plans.isEmpty ? state.usualPlan : state.plans.removeFirst()
      return (plan ?? .answering(Self.usualAnswer(to: id)), state.onLoad)
    }
    onLoad(load)
    switch plan {
    case .answering(let answer): Thread { load.answer(answer) }.start()
    case .answeringSynchronously(let answer): load.answer(answer)
    case .answeringTwice(let answer):
      for _ in 1...2 { Thread { load.answer(answer) }.start() }
    case .stalling: break
    }
  }

  private static func usualAnswer(to id: String) -> Answer {
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
