public import AnalyticsPort
public import ContractExploration

/// A specification of trackers: a log of events. It finds differences that no clause covers.
public struct AnalyticsSpecification: Specification {
  /// A call of the tracker or a query of the arrived events.
  public enum Command: Hashable, Sendable, Codable {
    /// Tracks an event.
    case track(String, action: String?)
    /// Returns the arrived events.
    case arrivals
  }

  /// The result of a command.
  public enum Response: Hashable, Sendable {
    /// No result.
    case done
    /// The arrived events, in order.
    case arrived([AnalyticsEvent])
  }

  public var initialState: [AnalyticsEvent] { [] }

  public var kinds: [String] { ["track", "arrivals"] }

  /// Creates a specification with an empty log.
  public init() {}

  public func command(from choices: inout Choices, in state: [AnalyticsEvent]) -> Command {
    guard choices.rule(weights: [3, 1]) == 0 else { return .arrivals }
    // No two of these are canonically equivalent: `==` on commands would treat them as equal.
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
  /// A log of events in the order of the calls.
  public static var analytics: AnalyticsSpecification { AnalyticsSpecification() }
}

extension AnalyticsSpecification.Command: CustomStringConvertible {
  /// The command as Swift source, without the leading dot.
  public var description: String {
    switch self {
    case .track(let category, let action):
      "track(\(category.debugDescription), action: \(action?.debugDescription ?? "nil"))"
    case .arrivals: "arrivals"
    }
  }
}
