import ContractTesting
import FeedbackPort
import Testing

extension Saboteur<FeedbackFixture> {
  /// Declares a saboteur: two services with one flaw.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - text: What is wrong with the services, as a predicate: `drops the last question`.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give, or `nil`.
  ///   - timeLimit: How long a clause may take; a clause that takes longer has caught the saboteur.
  ///   - sourceLocation: The source location of the declaration.
  ///   - change: Introduces the flaw.
  private static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    timeLimit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout FeedbackFlaws) -> Void
  ) -> Saboteur {
    var flaws = FeedbackFlaws()
    change(&flaws)
    return Saboteur(
      id, text, caughtBy: clauses, saying: message, timeLimit: timeLimit,
      sourceLocation: sourceLocation
    ) { [flaws] _ in .flawed(flaws) }
  }

  @SaboteurBuilder<FeedbackFixture> static var feedback: [Saboteur<FeedbackFixture>] {
    flawed("changes-id", "converts the id to lower case", caughtBy: "id-verbatim") {
      $0.id = { $0.lowercased() }
    }
    flawed("drops-questions", "drops the last question", caughtBy: "form-whole", "own-form") {
      $0.questions = { $0.dropLast() }
    }
    flawed(
      "listens-late", "calls the vendor before it listens", caughtBy: "listens-first",
      "synchronous", timeLimit: .milliseconds(500)
    ) { $0.listensFirst = false }
    flawed(
      "replaces-first", "replaces the listener of the load in flight", caughtBy: "second-load",
      saying: "received the refused load"
    ) { $0.mayListen = { _, _ in true } }
    flawed(
      "knows-itself-only", "does not see the loads of another instance",
      caughtBy: "second-instance", saying: "received the refused load"
    ) {
      $0.mayListen = { vendor, service in
        vendor.listener != .stranger && vendor.receiver?.owner != service
      }
    }
    flawed(
      "looks-then-leaps", "checks the listener and replaces it in two steps",
      caughtBy: "one-of-many", saying: "several loads at once"
    ) { $0.listensAtomically = false }
    flawed(
      "steals-delegate", "replaces another client's listener", caughtBy: "stranger-keeps-place",
      saying: "replaced another client's"
    ) { $0.mayListen = { _, _ in true } }
    flawed(
      "stays-refused", "refuses all loads after one", caughtBy: "stranger-leaves", "second-load",
      "second-instance"
    ) { $0.staysRefused = true }
    flawed(
      "calls-twice", "calls the vendor twice for a load", caughtBy: "own-turn",
      saying: "twice or never"
    ) { $0.callsPerLoad = 2 }
    flawed(
      "removes-stranger", "removes any listener when a load ends",
      caughtBy: "stranger-not-removed", saying: "removed another client's"
    ) { $0.stopListening = { vendor, _ in vendor.receiver = nil } }
    flawed(
      "forgets-delegate", "never stops listening", caughtBy: "success", "failure", "cancelled",
      saying: "still has a listener"
    ) { $0.stopListening = { _, _ in } }
    flawed(
      "wraps-error", "replaces the vendor's error", caughtBy: "error-intact", "own-error",
      saying: "a different error"
    ) {
      $0.error = { _ in UnknownFormError(id: "") }
    }
    flawed(
      "completes-twice", "gives a second answer to the next load", caughtBy: "answered-twice",
      "late-answer", saying: "another load's"
    ) { $0.keepsSurplusAnswers = true }
    flawed(
      "one-thread", "ignores answers from other threads", caughtBy: "any-thread",
      timeLimit: .milliseconds(500)
    ) { $0.receivesOnAnyThread = false }
    flawed("hides-cancellation", "throws another error when cancelled", caughtBy: "cancelled") {
      $0.cancellationError = UnknownFormError(id: "")
    }
    flawed(
      "begins-cancelled", "calls the vendor for a cancelled task", caughtBy: "cancelled-before",
      saying: "load of a cancelled task"
    ) { $0.checksCancellation = false }
    flawed(
      "cannot-tell-apart", "accepts every answer", caughtBy: "late-answer-told-apart",
      saying: "the first load's form"
    ) { _ in }
    flawed(
      "waits-forever", "has no time limit", caughtBy: "time-out", timeLimit: .milliseconds(500)
    ) { $0.startTimer = { _, _, _ in } }
    flawed(
      "timer-outlives-load", "does not cancel the timer of an ended load",
      caughtBy: "time-of-its-own"
    ) {
      $0.startTimer = { vendor, error, _ in
        vendor.setTimer(error.timeLimit) { vendor.receiver?.receive(.failure(error)) }
      }
    }
  }
}
