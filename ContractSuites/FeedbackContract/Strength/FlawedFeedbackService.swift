import FeedbackPort
import Foundation
import SystemLocks

/// A minimal feedback service with flaws.
///
/// Even without flaws it deviates from `late-answer-told-apart`, because its vendor does not say which
/// load an answer belongs to.
final class FlawedFeedbackService: FeedbackService {
  typealias Answer = SimulatedVendor.Answer

  /// The state that the services of one fixture share.
  final class Shared: Sendable {
    /// An answer that no load waited for.
    let surplusAnswer = Mutex<Answer?>(nil)
    let hasChecked = Mutex(false)
    let hasRefused = Mutex(false)
    let secondCheck = AsyncStream<Void>.makeStream()
    /// Makes the check of the listener and its replacement atomic.
    let listenerLock = Mutex(())

    /// Keeps an answer for the next load, unless one is kept already.
    func keep(_ answer: Answer) { surplusAnswer.withLock { $0 = $0 ?? answer } }
  }

  static let timeLimit = Duration.seconds(30)

  private let flaws: FeedbackFlaws
  private let vendor: SimulatedVendor
  private let shared: Shared

  init(_ flaws: FeedbackFlaws, on vendor: SimulatedVendor, _ shared: Shared) {
    self.flaws = flaws
    self.vendor = vendor
    self.shared = shared
  }

  func loadForm(_ id: String) async throws -> FeedbackForm {
    if flaws.checksCancellation { try Task.checkCancellation() }
    let id = flaws.id(id)
    let answers = AsyncStream<Answer>.makeStream()
    let yield: @Sendable (Answer) -> Void = { answers.continuation.yield($0) }
    if !flaws.listensFirst { vendor.load(id) }
    try await listen(id, yield)
    defer { stopListening() }
    flaws.startTimer(vendor, FeedbackTimeoutError(id: id, timeLimit: Self.timeLimit), yield)
    if flaws.listensFirst { for _ in 0..<flaws.callsPerLoad { vendor.load(id) } }
    if let surplus = shared.surplusAnswer.withLock({ $0.take() }) { yield(surplus) }
    for await answer in answers.stream {
      switch answer {
      case .success((let title, let questions)):
        return FeedbackForm(id: id, title: title, questions: flaws.questions(questions))
      case .failure(let error): throw flaws.error(error)
      }
    }
    // The stream ends without an element only if the task is cancelled.
    throw flaws.cancellationError
  }

  private func listen(_ id: String, _ yield: @escaping @Sendable (Answer) -> Void) async throws {
    let receiver = SimulatedVendor.Receiver(
      kind: .service, owner: ObjectIdentifier(self), receive: receive(yield))
    guard flaws.listensAtomically else {
      try checkMayListen(id)
      await waitForSecondCheck()
      vendor.receiver = receiver
      return
    }
    try shared.listenerLock.withLock { _ in
      try checkMayListen(id)
      vendor.receiver = receiver
    }
  }

  private func checkMayListen(_ id: String) throws(MultipleFormLoadError) {
    let isRefused = flaws.staysRefused && shared.hasRefused.withLock(\.self)
    guard !isRefused, flaws.mayListen(vendor, ObjectIdentifier(self)) else {
      shared.hasRefused.withLock { $0 = true }
      throw MultipleFormLoadError(id: id)
    }
  }

  /// Suspends the first caller until a second one has passed the same check.
  private func waitForSecondCheck() async {
    let isFirst = shared.hasChecked.withLock { hasChecked in
      defer { hasChecked = true }
      return !hasChecked
    }
    guard isFirst else { return shared.secondCheck.continuation.finish() }
    for await _ in shared.secondCheck.stream {}
  }

  private func receive(
    _ yield: @escaping @Sendable (Answer) -> Void
  ) -> @Sendable (Answer) -> Void {
    if flaws.keepsSurplusAnswers {
      let isFirst = Mutex(true)
      return { [shared] answer in
        let isFirst = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if isFirst { yield(answer) } else { shared.keep(answer) }
      }
    }
    if flaws.receivesOnAnyThread { return yield }
    let thread = ObjectIdentifier(Thread.current)
    return { answer in
      if ObjectIdentifier(Thread.current) == thread { yield(answer) }
    }
  }

  private func stopListening() {
    shared.listenerLock.withLock { _ in
      flaws.stopListening(vendor, ObjectIdentifier(self))
      if flaws.keepsSurplusAnswers, vendor.receiver == nil {
        // The contract sees no listener, but late answers are still received.
        vendor.receiver = SimulatedVendor.Receiver(kind: .nobody, owner: nil) { [shared] in
          shared.keep($0)
        }
      }
    }
  }
}
