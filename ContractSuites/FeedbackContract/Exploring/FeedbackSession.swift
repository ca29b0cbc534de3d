import FeedbackPort

/// A fixture together with its load in flight, as the subject of ``FeedbackSpecification``.
public actor FeedbackSession {
  private let fixture: FeedbackFixture
  private var load: LoadInFlight?
  /// The loads that have ended, on the vendor's side.
  private var ended: [VendorLoad] = []
  /// The halves of the time limit that have passed since the load began.
  private var halves = 0

  /// Creates a session in which no load has begun.
  public init(_ fixture: FeedbackFixture) { self.fixture = fixture }

  // A load in flight would wait for its answer after the session.
  deinit { load?.task.cancel() }

  func perform(
    _ command: FeedbackSpecification.Command
  ) async throws -> FeedbackSpecification.Response {
    switch command {
    case .begin(let id, let usesOther):
      return try await begin(id, on: usesOther ? fixture.otherService : fixture.service)
    case .answer(let answer):
      guard let load else { return .nothing }
      load.atVendor.answer(answer)
      return try await outcome()
    case .answerLate(let late, let answer):
      ended.last?.answer(late)
      guard let load else { return .nothing }
      load.atVendor.answer(answer)
      return try await outcome()
    case .cancel:
      guard let load else { return .nothing }
      load.task.cancel()
      return try await result(of: load)
    case .passHalf:
      guard let load else { return .nothing }
      await fixture.passTime(fixture.timeLimit / 2)
      halves += 1
      return halves < 2 ? .waiting : try await result(of: load)
    case .strangerListens:
      fixture.vendor.letStrangerListen()
      return .nothing
    case .observe:
      return .observed(fixture.vendor.listener, loads: fixture.vendor.loadCount)
    }
  }

  private func begin(
    _ id: String, on service: any FeedbackService
  ) async throws -> FeedbackSpecification.Response {
    do {
      let new = try await fixture.begin(id, on: service)
      load = new
      halves = 0
      return .began(new.atVendor.id)
    } catch let error as MultipleFormLoadError {
      return .refused(error.id)
    }
  }

  /// What an answer did to the load, which keeps waiting if another client received the answer.
  private func outcome() async throws -> FeedbackSpecification.Response {
    guard let load, fixture.vendor.listener != .stranger else { return .waiting }
    return try await result(of: load)
  }

  /// Waits for the end of a load.
  private func result(of load: LoadInFlight) async throws -> FeedbackSpecification.Response {
    ended.append(load.atVendor)
    self.load = nil
    do {
      let form = try await load.form()
      return .form(id: form.id, title: form.title, questions: form.questions)
    } catch let error as FeedbackTimeoutError {
      return .timedOut(error.id)
    } catch is CancellationError {
      return .cancelled
    } catch {
      guard let code = fixture.vendor.code(of: error) else { throw error }
      return .failed(code)
    }
  }
}
