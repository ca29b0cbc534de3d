import ContractTesting
import FeedbackPort
import Testing

extension Saboteur<FeedbackFixture> {
  /// Mistakes that no mutant of a service's code makes. Mutants show the other clauses.
  @SaboteurBuilder<FeedbackFixture> static var feedback: [Saboteur<FeedbackFixture>] {
    flawed("changes-id", "converts the id to lower case", caughtBy: "id-verbatim") { base, id in
      try await base.loadForm(id.lowercased())
    }
    flawed("drops-questions", "drops the last question", caughtBy: "form-whole", "own-form") {
      base, id in
      var form = try await base.loadForm(id)
      form.questions = form.questions.dropLast()
      return form
    }
    flawed(
      "wraps-error", "replaces the vendor's error", caughtBy: "error-intact", "own-error",
      saying: "a different error"
    ) { base, id in
      do {
        return try await base.loadForm(id)
      } catch let error as MultipleFormLoadError {
        throw error
      } catch {
        throw UnknownFormError(id: "")
      }
    }
    flawed("hides-cancellation", "throws another error when cancelled", caughtBy: "cancelled") {
      base, id in
      do {
        return try await base.loadForm(id)
      } catch is CancellationError {
        throw UnknownFormError(id: "")
      }
    }
    Saboteur(
      "knows-itself-only", "does not see the loads of another instance",
      caughtBy: "second-instance", "one-of-many"
    ) {
      var fixture = FeedbackFixture.fake(having: form)
      fixture.otherService = FakeFeedbackService(form)
      return fixture
    }
  }

  private static var form: FeedbackForm {
    FeedbackForm(id: "own", title: "Own form", questions: ["Why?"])
  }

  /// Declares a saboteur: fake services that load a form wrongly.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - text: What is wrong with the services, as a predicate: `drops the last question`.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - message: A part of the message that each of the clauses must give, or `nil`.
  ///   - sourceLocation: The source location of the declaration.
  ///   - load: Loads a form with a correct service.
  private static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ load: @escaping FlawedService.Load
  ) -> Saboteur {
    Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) { _ in
      var fixture = FeedbackFixture.fake(having: form)
      fixture.service = FlawedService(base: fixture.service, load: load)
      fixture.otherService = FlawedService(base: fixture.otherService, load: load)
      return fixture
    }
  }
}

private struct FlawedService: FeedbackService {
  typealias Load = @Sendable (any FeedbackService, String) async throws -> FeedbackForm

  let base: any FeedbackService
  let load: Load

  func loadForm(_ id: String) async throws -> FeedbackForm { try await load(base, id) }
}
