import ContractTesting
import FeedbackPort
import Foundation
import SystemLocks
import Testing

extension Contract<FeedbackFixture> {
  /// Services that are wrong in one way each.
  @SaboteurBuilder<FeedbackFixture>
  static var sabotagedFeedback: [Saboteur<FeedbackFixture>] {
    Saboteur("changes-id", "tidies the id up", caughtBy: "id-verbatim") {
      .sabotaged(.changesID)
    }
    Saboteur("drops-questions", "keeps all questions but the last", caughtBy: "form-whole") {
      .sabotaged(.dropsQuestions)
    }
    Saboteur(
      "listens-late", "asks the vendor first and listens then",
      caughtBy: "listens-first", "synchronous", timeLimit: .milliseconds(500)
    ) { .sabotaged(.listensLate) }
    Saboteur(
      "replaces-first", "takes the place of the load in flight", caughtBy: "second-load",
      saying: "asked for the refused load"
    ) { .sabotaged(.takesAnyPlace) }
    Saboteur(
      "knows-itself-only", "keeps books of its own instance only", caughtBy: "second-instance",
      saying: "asked for the refused load"
    ) { .sabotaged(.knowsItselfOnly) }
    Saboteur(
      "looks-then-leaps", "looks at the place and takes it in two steps", caughtBy: "one-of-many",
      saying: "several loads at once"
    ) { .sabotaged(.looksThenLeaps) }
    Saboteur(
      "steals-delegate", "takes a stranger's place", caughtBy: "stranger-keeps-place",
      saying: "stolen from a stranger"
    ) { .sabotaged(.takesAnyPlace) }
    Saboteur(
      "removes-stranger", "empties the place, whoever is in it", caughtBy: "stranger-not-removed",
      saying: "removed a stranger"
    ) { .sabotaged(.removesStranger) }
    Saboteur(
      "forgets-delegate", "never leaves the place", caughtBy: "success", "failure", "cancelled",
      saying: "still holds the vendor's only place"
    ) { .sabotaged(.forgetsDelegate) }
    Saboteur("wraps-error", "throws an error of its own", caughtBy: "error-intact") {
      .sabotaged(.wrapsError)
    }
    Saboteur(
      "completes-twice", "the second answer completes the next load", caughtBy: "answered-twice",
      "late-answer", saying: "another one's"
    ) { .sabotaged(.completesTwice) }
    Saboteur(
      "one-thread", "hears the thread only that began the load", caughtBy: "any-thread",
      timeLimit: .milliseconds(500)
    ) { .sabotaged(.hearsOneThread) }
    Saboteur("hides-cancellation", "throws another error", caughtBy: "cancelled") {
      .sabotaged(.hidesCancellation)
    }
    Saboteur(
      "begins-cancelled", "asks the vendor for a cancelled task", caughtBy: "cancelled-before",
      saying: "asked for nobody"
    ) { .sabotaged(.beginsCancelled) }
    Saboteur(
      "cannot-tell-apart", "takes any answer for its own", caughtBy: "late-answer-told-apart",
      saying: "the first one's form"
    ) { .sabotaged(.none) }
    Saboteur(
      "waits-forever", "sets no timer", caughtBy: "time-out", timeLimit: .milliseconds(500)
    ) { .sabotaged(.waitsForever) }
    Saboteur(
      "timer-outlives-load", "a timer ends whatever load it finds", caughtBy: "time-of-its-own"
    ) { .sabotaged(.timerEndsAnyLoad) }
  }
}

extension FeedbackFixture {
  /// A fixture over a vendor in memory, with services that are wrong in one way or in none.
  package static func sabotaged(_ flaw: SabotagedFeedbackService.Flaw) -> FeedbackFixture {
    let vendor = SimulatedVendor()
    let shared = SabotagedFeedbackService.Shared()
    let first = SabotagedFeedbackService(flaw, on: vendor, shared)
    let second = SabotagedFeedbackService(flaw, on: vendor, shared)
    return FeedbackFixture(
      service: first, otherService: second, vendor: vendor,
      timeLimit: SabotagedFeedbackService.timeLimit, passTime: { vendor.passTime($0) })
  }
}

/// The least service that keeps the contract, or one that breaks it in one way.
///
/// Without a flaw it still can't tell a late answer from the next load's: its vendor does not say.
package final class SabotagedFeedbackService: FeedbackService {
  /// What is wrong.
  package enum Flaw: Sendable {
    case none
    case changesID
    case dropsQuestions
    case listensLate
    case takesAnyPlace
    case knowsItselfOnly
    case looksThenLeaps
    case removesStranger
    case forgetsDelegate
    case wrapsError
    case completesTwice
    case hearsOneThread
    case hidesCancellation
    case beginsCancelled
    case waitsForever
    case timerEndsAnyLoad
  }

  typealias Answer = SimulatedVendor.Answer

  /// What the services of one fixture share.
  final class Shared: Sendable {
    /// An answer that nobody waited for.
    let leftover = Mutex<Answer?>(nil)
    let hasLooked = Mutex(false)
    let secondLook = AsyncStream<Void>.makeStream()
    /// Makes looking at the place and taking it one step.
    let turn = Mutex(())
  }

  static let timeLimit = Duration.seconds(30)

  private let flaw: Flaw
  private let vendor: SimulatedVendor
  private let shared: Shared

  init(_ flaw: Flaw, on vendor: SimulatedVendor, _ shared: Shared) {
    self.flaw = flaw
    self.vendor = vendor
    self.shared = shared
  }

  package func loadForm(_ id: String) async throws -> FeedbackForm {
    if flaw != .beginsCancelled { try Task.checkCancellation() }
    let id = flaw == .changesID ? id.lowercased() : id
    let inbox = AsyncStream<Answer>.makeStream()
    if flaw == .listensLate { vendor.load(id) }
    try await takePlace(id, answeringTo: inbox.continuation)
    defer { leavePlace() }
    setTimer(id, answeringTo: inbox.continuation)
    if flaw != .listensLate { vendor.load(id) }
    if let leftover = shared.leftover.withLock({ $0.take() }) { inbox.continuation.yield(leftover) }
    for await answer in inbox.stream {
      switch answer {
      case .success((let title, let questions)):
        let kept = flaw == .dropsQuestions ? questions.dropLast() : questions[...]
        return FeedbackForm(id: id, title: title, questions: Array(kept))
      case .failure where flaw == .wrapsError: throw UnknownFormError(id: id)
      case .failure(let error): throw error
      }
    }
    throw flaw == .hidesCancellation ? UnknownFormError(id: id) : CancellationError() as any Error
  }

  private func takePlace(
    _ id: String, answeringTo inbox: AsyncStream<Answer>.Continuation
  ) async throws {
    let listener = SimulatedVendor.Listener(
      kind: .service, owner: ObjectIdentifier(self), receive: receiver(answeringTo: inbox))
    if flaw == .looksThenLeaps {
      guard vendor.listener == .nobody else { throw MultipleFormLoadError(id: id) }
      await waitForSecondLook()
      vendor.place = listener
      return
    }
    try shared.turn.withLock { _ in
      guard isFree else { throw MultipleFormLoadError(id: id) }
      vendor.place = listener
    }
  }

  private var isFree: Bool {
    switch flaw {
    case .takesAnyPlace: true
    case .knowsItselfOnly:
      vendor.listener != .stranger && vendor.place?.owner != ObjectIdentifier(self)
    default: vendor.listener == .nobody
    }
  }

  /// Holds the first caller back until a second one has looked at the place too.
  private func waitForSecondLook() async {
    let isFirst = shared.hasLooked.withLock { hasLooked in
      defer { hasLooked = true }
      return !hasLooked
    }
    guard isFirst else { return shared.secondLook.continuation.finish() }
    for await _ in shared.secondLook.stream {}
  }

  private func receiver(
    answeringTo inbox: AsyncStream<Answer>.Continuation
  ) -> @Sendable (Answer) -> Void {
    switch flaw {
    case .completesTwice:
      let isFirst = Mutex(true)
      return { [shared] answer in
        let isFirst = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if isFirst { inbox.yield(answer) } else { shared.keep(answer) }
      }
    case .hearsOneThread:
      let thread = ObjectIdentifier(Thread.current)
      return { answer in
        if ObjectIdentifier(Thread.current) == thread { inbox.yield(answer) }
      }
    default: return { inbox.yield($0) }
    }
  }

  private func setTimer(_ id: String, answeringTo inbox: AsyncStream<Answer>.Continuation) {
    let error = FeedbackTimeoutError(id: id, timeLimit: Self.timeLimit)
    switch flaw {
    case .waitsForever: break
    case .timerEndsAnyLoad:
      vendor.setTimer(Self.timeLimit) { [vendor] in vendor.place?.receive(.failure(error)) }
    default: vendor.setTimer(Self.timeLimit) { inbox.yield(.failure(error)) }
    }
  }

  private func leavePlace() {
    shared.turn.withLock { _ in
      switch flaw {
      case .forgetsDelegate: break
      case .removesStranger: vendor.place = nil
      case _ where vendor.place?.owner != ObjectIdentifier(self): break
      case .completesTwice:
        // Gone to all appearance, and listening still.
        vendor.place = SimulatedVendor.Listener(kind: .nobody, owner: nil) { [shared] in
          shared.keep($0)
        }
      default: vendor.place = nil
      }
    }
  }
}

extension SabotagedFeedbackService.Shared {
  /// Keeps an answer that nobody waits for, unless there is one.
  fileprivate func keep(_ answer: SabotagedFeedbackService.Answer) {
    leftover.withLock { $0 = $0 ?? answer }
  }
}
