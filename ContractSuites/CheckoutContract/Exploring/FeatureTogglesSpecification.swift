public import CheckoutPort
public import ContractExploration
public import ContractTesting

/// A specification of feature toggles. It finds differences that no clause covers.
///
/// ```swift
/// try await explore(.featureToggles(), on: Implementation.mine.open())
/// ```
public struct FeatureTogglesSpecification: Specification {
  /// Whether a change takes effect; if not, the toggles keep the settings that were read.
  public var flips: Bool

  /// The settings when the toggles are read.
  public var settings: [FeatureToggle: Bool]

  /// A query or a change of the source.
  public enum Command: Hashable, Sendable, Codable {
    /// Returns whether a feature is on.
    case isEnabled(FeatureToggle)
    /// Turns a feature on or off.
    case change(FeatureToggle, Bool)
  }

  public var initialState: Set<FeatureToggle> { Set(settings.filter(\.value).keys) }

  /// Creates a specification.
  ///
  /// - Parameters:
  ///   - settings: The settings when the toggles are read.
  ///   - flips: Whether a change takes effect.
  public init(_ settings: [FeatureToggle: Bool] = [:], flips: Bool = true) {
    self.settings = settings
    self.flips = flips
  }

  public var source: String {
    let pairs = settings.map { ".\($0): \($1)" }.sorted().joined(separator: ", ")
    return "FeatureTogglesSpecification([\(pairs.isEmpty ? ":" : pairs)], flips: \(flips))"
  }

  public var kinds: [String] { ["isEnabled", "change"] }

  public func command(from choices: inout Choices, in state: Set<FeatureToggle>) -> Command {
    let isQuestion = choices.rule(of: 2) == 0
    let toggle = choices.element(of: FeatureToggle.allCases) ?? .oneTapCheckoutInCart
    return isQuestion ? .isEnabled(toggle) : .change(toggle, choices.bool())
  }

  /// - Returns: Whether the feature is on, or `nil` for a change.
  public func apply(_ command: Command, to state: inout Set<FeatureToggle>) -> Bool? {
    switch command {
    case .isEnabled(let toggle): return state.contains(toggle)
    case .change(let toggle, let isEnabled):
      guard flips else { return nil }
      if isEnabled { state.insert(toggle) } else { state.remove(toggle) }
      return nil
    }
  }

  public func perform(
    _ command: Command, on subject: OpenFeatureToggles
  ) async throws -> Bool? {
    switch command {
    case .isEnabled(let toggle): return subject.toggles.isEnabled(toggle)
    case .change(let toggle, let isEnabled):
      try await subject.change(toggle, isEnabled)
      return nil
    }
  }

  public func isReadOnly(_ command: Command) -> Bool {
    if case .isEnabled = command { true } else { false }
  }
}

/// Toggles that have been read, and a way to change their source.
public struct OpenFeatureToggles: Sendable {
  /// The toggles.
  public let toggles: any FeatureToggles

  let change: @Sendable (FeatureToggle, Bool) async throws -> Void
}

extension Specification where Self == FeatureTogglesSpecification {
  /// A specification of feature toggles.
  ///
  /// - Parameters:
  ///   - settings: What the toggles are set to when they are read.
  ///   - flips: Whether a change takes effect.
  public static func featureToggles(
    _ settings: [FeatureToggle: Bool] = [:], flips: Bool = true
  ) -> FeatureTogglesSpecification {
    FeatureTogglesSpecification(settings, flips: flips)
  }
}

extension Implementation<FeatureTogglesFixture> {
  /// The implementation with its toggles already read from these settings.
  public func open(_ settings: [FeatureToggle: Bool] = [:]) -> Implementation<OpenFeatureToggles> {
    map { fixture in
      OpenFeatureToggles(toggles: try await fixture.read(settings), change: fixture.change)
    }
  }
}

extension FeatureTogglesSpecification.Command: CustomStringConvertible {
  /// The command as Swift source, without the leading dot.
  public var description: String {
    switch self {
    case .isEnabled(let toggle): "isEnabled(.\(toggle))"
    case .change(let toggle, let isEnabled): "change(.\(toggle), \(isEnabled))"
    }
  }
}
