public import CheckoutPort
public import ContractTesting
import SystemLocks
import Testing

/// The fixture of the feature toggles contract.
public struct FeatureTogglesFixture: Sendable {
  /// Stores these settings, with no setting for the other toggles, and reads them.
  public var read: @Sendable ([FeatureToggle: Bool]) async throws -> any FeatureToggles

  /// Changes one toggle in the source that was read last.
  public var change: @Sendable (FeatureToggle, Bool) async throws -> Void

  /// Creates a fixture.
  public init(
    read: @escaping @Sendable ([FeatureToggle: Bool]) async throws -> any FeatureToggles,
    change: @escaping @Sendable (FeatureToggle, Bool) async throws -> Void
  ) {
    self.read = read
    self.change = change
  }
}

extension Capability {
  /// Toggles can change while the app runs.
  public static let flipping = Capability("flipping", "toggles can change while the app runs")
}

extension Contract<FeatureTogglesFixture> {
  /// The behaviour of all feature toggles.
  public static let featureToggles = Contract("feature-toggles", "Feature toggles") {
    Clause("off-unless-mentioned", "a toggle without a setting is off") { fixture in
      let toggles = try await fixture.read([:])
      for toggle in FeatureToggle.allCases { #expect(!toggles.isEnabled(toggle), "\(toggle)") }
    }
    Clause("each-its-own", "a toggle has its own setting, whatever the other settings are") {
      fixture in
      for (toggle, isEnabled) in FeatureToggle.allCases.flatMap({ [($0, true), ($0, false)] }) {
        var settings: [FeatureToggle: Bool] = [:]
        for other in FeatureToggle.allCases { settings[other] = !isEnabled }
        settings[toggle] = isEnabled
        let toggles = try await fixture.read(settings)
        for (toggle, isEnabled) in settings {
          #expect(toggles.isEnabled(toggle) == isEnabled, "\(toggle)")
        }
      }
    }
    Clause("flips", "the next query returns a changed setting", requires: .flipping) { fixture in
      let toggle = FeatureToggle.oneTapCheckoutInCart
      let toggles = try await fixture.read([toggle: false])
      for isEnabled in [true, false, true] {
        try await fixture.change(toggle, isEnabled)
        #expect(toggles.isEnabled(toggle) == isEnabled)
      }
    }
    Absence(of: .flipping, "toggles keep the settings that were read") { fixture in
      let toggle = FeatureToggle.oneTapCheckoutInCart
      let toggles = try await fixture.read([toggle: false])
      try await fixture.change(toggle, true)
      #expect(!toggles.isEnabled(toggle))
    }
  } saboteurs: {
    Saboteur("all-on", "turns all toggles on", caughtBy: "off-unless-mentioned") {
      .flawed { _, _ in true }
    }
    Saboteur("all-off", "turns all toggles off", caughtBy: "each-its-own") {
      .flawed { _, _ in false }
    }
    Saboteur("one-for-all", "turns all toggles on if one is on", caughtBy: "each-its-own") {
      .flawed { settings, _ in settings.values.contains(true) }
    }
    Saboteur("remembers", "ignores changes", caughtBy: "flips") { .flawed(ignoresChanges: true) }
    Saboteur("flips-after-all", "applies changes", caughtBy: "lacks-flipping") {
      .flawed()
    }
  }
}

extension FeatureTogglesFixture {
  fileprivate static func flawed(
    ignoresChanges: Bool = false,
    _ answer: @escaping FlawedToggles.Answer = { $0[$1] ?? false }
  ) -> FeatureTogglesFixture {
    let toggles = FlawedToggles(answer)
    return FeatureTogglesFixture {
      toggles.settings = $0
      return toggles
    } change: {
      if !ignoresChanges { toggles.settings[$0] = $1 }
    }
  }
}

private final class FlawedToggles: FeatureToggles {
  typealias Answer = @Sendable ([FeatureToggle: Bool], FeatureToggle) -> Bool

  private let state = Mutex<[FeatureToggle: Bool]>([:])
  private let answer: Answer

  init(_ answer: @escaping Answer) { self.answer = answer }

  var settings: [FeatureToggle: Bool] {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }

  func isEnabled(_ toggle: FeatureToggle) -> Bool { answer(settings, toggle) }
}
