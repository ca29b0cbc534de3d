import StubLedger

/// A live service whose answers are noted in the ledger of stubs, where they back canned answers.
///
/// Wrap the live service with it where a contract's fixture is made. Without `CONTRACT_STUBS` it only passes
/// calls on.
public struct NotedFeedbackService: FeedbackService {
  private let service: any FeedbackService

  /// Wraps a live service.
  public init(_ service: any FeedbackService) { self.service = service }

  public func loadForm(_ id: String) async throws -> FeedbackForm {
    do {
      let form = try await service.loadForm(id)
      // not mutated: what the ledger notes is no behaviour of the port
      StubLedger.current?.noteLive(CannedAnswer(loading: id, .success(form)))
      return form
    } catch {
      // not mutated: what the ledger notes is no behaviour of the port
      StubLedger.current?.noteLive(CannedAnswer(loading: id, .failure(error)))
      throw error
    }
  }
}

extension CannedAnswer {
  /// Describes the answer to a load; an error by its type, because its details differ from call to call.
  // not mutated: what the ledger notes is no behaviour of the port
  init(loading id: String, _ result: Result<FeedbackForm, any Error>) {
    let answer =
      switch result {
      case .success(let form): "form '\(form.title)' with \(form.questions)"
      case .failure(let error): "error \(type(of: error))"
      }
    self.init(port: "feedback", request: "loadForm '\(id)'", answer: answer)
  }
}
