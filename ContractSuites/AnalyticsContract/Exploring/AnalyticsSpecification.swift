public import AnalyticsPort
public import ContractExploration

/// A log of events as a specification: it finds what no clause names.
public struct AnalyticsSpecification: Specification {
  /// One call on the tracker, or a look at what has arrived.
  public enum Command: Hashable, Sendable, Codable {
    /// Reports an event.
    case track(String, action: String?)
    /// Asks for all that has arrived.
    case arrivals
  }

  /// What a call gives back.
  public enum Response: Hashable, Sendable {
    /// Nothing to tell.
    case done
    /// All that has arrived, in order.
    case arrived([AnalyticsEvent])
  }

  public var initialState: [AnalyticsEvent] { [] }

  public var kinds: [String] { ["track", "arrivals"] }

  /// A log in which nothing is.
  public init() {}

  public func command(from choices: inout Choices, in state: [AnalyticsEvent]) -> Command {
    guard choices.rule(weights: [3, 1]) == 0 else { return .arrivals }
    // No two of these are canonically equivalent, so that commands can be told apart.
    let category = choices.element(of: ["song", "Song", "", "e\u{301}", "a\u{0}b"]) ?? ""
    let hasAction = choices.bool()
    return .track(category, action: hasAction ? choices.element(of: ["", "save", "🎵"]) : nil)
  }

  public func apply(_ command: Command, to state: inout [AnalyticsEvent]) -> Response {
    switch command {
    case .track(let category, let action):
      state.append(AnalyticsEvent(category, action: action))
      return .done
    case .arrivals: return .arrived(state)
    }
  }

  public func perform(
    _ command: Command, on subject: AnalyticsFixture
  ) async throws -> Response {
    switch command {
    case .track(let category, let action):
      subject.tracker.track(category, action: action)
      return .done
    case .arrivals: return .arrived(try await subject.arrivals())
    }
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .arrivals }
}

extension Specification where Self == AnalyticsSpecification {
  /// A log of events, in the order in which they were reported.
  public static var analytics: AnalyticsSpecification { AnalyticsSpecification() }
}

extension AnalyticsSpecification.Command: CustomStringConvertible {
  /// The command as it is written in Swift, without the dot.
  public var description: String {
    switch self {
    case .track(let category, let action):
      "track(\(category.debugDescription), action: \(action?.debugDescription ?? "nil"))"
    case .arrivals: "arrivals"
    }
  }
}
