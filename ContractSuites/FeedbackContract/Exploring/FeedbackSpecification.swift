public import ContractExploration

/// A specification of feedback services: one load at a time, and the vendor's single listener.
///
/// Its subject is a session, which keeps the load in flight between commands:
/// `explore(.feedback, on: .inMemory.map { FeedbackSession($0) })`.
public struct FeedbackSpecification: Specification {
  /// A load that has not ended.
  public struct Load: Hashable, Sendable {
    /// The form's id.
    public var id: String
    /// The halves of the time limit that have passed.
    public var halves = 0
  }

  /// The loads and the vendor's listener.
  public struct State: Hashable, Sendable {
    /// The load in flight.
    public var load: Load?
    /// The receiver of the vendor's answers.
    public var listener = FeedbackListener.nobody
    /// The number of loads that have reached the vendor.
    public var loads = 0
  }

  /// A call on a service, or an event at its vendor.
  public enum Command: Hashable, Sendable, Codable {
    /// Begins a load, on the other service if `usingOther`.
    case begin(String, usingOther: Bool)
    /// The vendor answers the load in flight.
    case answer(VendorAnswer)
    /// The vendor answers the load that ended last, and then the one in flight.
    case answerLate(VendorAnswer, then: VendorAnswer)
    /// The caller cancels the load in flight.
    case cancel
    /// Half of the time limit passes, while a load is in flight.
    case passHalf
    /// Another client becomes the vendor's listener.
    case strangerListens
    /// Returns the listener and the number of loads.
    case observe
  }

  /// The result of a command.
  public enum Response: Hashable, Sendable, Codable {
    /// No load is in flight, or no result.
    case nothing
    /// The load reached the vendor, with this id.
    case began(String)
    /// The load was refused, with this id.
    case refused(String)
    /// The load returned a form.
    case form(id: String, title: String, questions: [String])
    /// The load threw the vendor's error of this code.
    case failed(Int)
    /// The load with this id timed out.
    case timedOut(String)
    /// The load threw `CancellationError`.
    case cancelled
    /// The load is still in flight.
    case waiting
    /// The vendor's listener, and the number of loads that have reached it.
    case observed(FeedbackListener, loads: Int)
  }

  public var initialState: State { State() }

  public var kinds: [String] {
    ["begin", "answer", "answerLate", "cancel", "passHalf", "strangerListens", "observe"]
  }

  /// Creates a specification of a service that has not been used.
  public init() {}

  public func command(from choices: inout Choices, in state: State) -> Command {
    switch choices.rule(
      weights: state.load == nil ? [8, 1, 1, 1, 1, 1, 3] : [2, 5, 3, 2, 4, 1, 2])
    {
    case 0:
      .begin(choices.element(of: ["form", "", "Ünï/?&"]) ?? "form", usingOther: choices.bool())
    case 1: .answer(answer(from: &choices))
    case 2: .answerLate(answer(from: &choices), then: answer(from: &choices))
    case 3: .cancel
    case 4: .passHalf
    case 5: .strangerListens
    default: .observe
    }
  }

  private func answer(from choices: inout Choices) -> VendorAnswer {
    let title = choices.element(of: ["A", "B", "C", ""]) ?? "A"
    return switch choices.integer(in: 0...3) {
    case 0: .failure(choices.integer(in: -1...9))
    case 1: .form(title, questions: ["Why?"])
    default: .form(title)
    }
  }

  public func apply(_ command: Command, to state: inout State) -> Response {
    switch command {
    case .begin(let id, _):
      guard state.load == nil, state.listener == .nobody else { return .refused(id) }
      state.load = Load(id: id)
      state.listener = .service
      state.loads += 1
      return .began(id)
    case .answer(let answer), .answerLate(_, let answer):
      guard let load = state.load else { return .nothing }
      guard state.listener == .service else { return .waiting }
      end(&state)
      return switch answer {
      case .form(let title, let questions):
        .form(id: load.id, title: title, questions: questions)
      case .failure(let code): .failed(code)
      }
    case .cancel:
      guard state.load != nil else { return .nothing }
      end(&state)
      return .cancelled
    case .passHalf:
      guard let load = state.load else { return .nothing }
      state.load?.halves += 1
      guard load.halves > 0 else { return .waiting }
      end(&state)
      return .timedOut(load.id)
    case .strangerListens:
      state.listener = .stranger
      return .nothing
    case .observe: return .observed(state.listener, loads: state.loads)
    }
  }

  private func end(_ state: inout State) {
    state.load = nil
    if state.listener == .service { state.listener = .nobody }
  }

  public func perform(_ command: Command, on subject: FeedbackSession) async throws -> Response {
    try await subject.perform(command)
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .observe }
}

extension Specification where Self == FeedbackSpecification {
  /// Loads of forms, one at a time.
  public static var feedback: FeedbackSpecification { FeedbackSpecification() }
}

extension FeedbackSpecification.Command: CustomStringConvertible {
  /// The command as Swift source, without the leading dot.
  public var description: String {
    switch self {
    case .begin(let id, let usingOther):
      "begin(\(id.debugDescription), usingOther: \(usingOther))"
    case .answer(let answer): "answer(\(answer.source))"
    case .answerLate(let late, let answer): "answerLate(\(late.source), then: \(answer.source))"
    case .cancel: "cancel"
    case .passHalf: "passHalf"
    case .strangerListens: "strangerListens"
    case .observe: "observe"
    }
  }
}

extension VendorAnswer {
  /// The answer as Swift source.
  fileprivate var source: String {
    switch self {
    case .form(let title, let questions):
      ".form(\(title.debugDescription), questions: \(questions))"
    case .failure(let code): ".failure(\(code))"
    }
  }
}
