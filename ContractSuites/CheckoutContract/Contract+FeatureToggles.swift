public import CheckoutPort
public import ContractTesting
import SystemLocks
import Testing

/// What a clause about toggles works with.
public struct FeatureTogglesFixture: Sendable {
  /// Reads the toggles where these are set and the others are not mentioned.
  public var read: @Sendable ([FeatureToggle: Bool]) async throws -> any FeatureToggles

  /// Changes one toggle where the last ones were read from.
  public var change: @Sendable (FeatureToggle, Bool) async throws -> Void

  /// Puts a fixture together.
  public init(
    read: @escaping @Sendable ([FeatureToggle: Bool]) async throws -> any FeatureToggles,
    change: @escaping @Sendable (FeatureToggle, Bool) async throws -> Void
  ) {
    self.read = read
    self.change = change
  }
}

extension Capability {
  /// Toggles change while the app runs.
  public static let flipping = Capability("flipping", "toggles change while the app runs")
}

extension Contract<FeatureTogglesFixture> {
  /// What every source of toggles promises.
  public static let featureToggles = Contract("feature-toggles", "Feature toggles") {
    Clause("off-unless-mentioned", "a toggle that nothing is said about is off") { fixture in
      let toggles = try await fixture.read([:])
      for toggle in FeatureToggle.allCases { #expect(!toggles.isEnabled(toggle), "\(toggle)") }
    }
    Clause("each-its-own", "a toggle is what it was set to, whatever the others are") { fixture in
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
    Clause("flips", "a change is seen by the next question", requires: .flipping) { fixture in
      let toggle = FeatureToggle.oneTapCheckoutInCart
      let toggles = try await fixture.read([toggle: false])
      for isEnabled in [true, false, true] {
        try await fixture.change(toggle, isEnabled)
        #expect(toggles.isEnabled(toggle) == isEnabled)
      }
    }
    Absence(of: .flipping, "toggles stay as they were read") { fixture in
      let toggle = FeatureToggle.oneTapCheckoutInCart
      let toggles = try await fixture.read([toggle: false])
      try await fixture.change(toggle, true)
      #expect(!toggles.isEnabled(toggle))
    }
  } saboteurs: {
    Saboteur("all-on", "says yes to all", caughtBy: "off-unless-mentioned") {
      .sabotaged { _, _ in true }
    }
    Saboteur("all-off", "says no to all", caughtBy: "each-its-own") { .sabotaged { _, _ in false } }
    Saboteur("one-for-all", "says the same of every toggle", caughtBy: "each-its-own") {
      .sabotaged { settings, _ in settings.values.contains(true) }
    }
    Saboteur("remembers", "never looks again", caughtBy: "flips") { .sabotaged(isFrozen: true) }
    Saboteur("flips-after-all", "sees changes all the same", caughtBy: "lacks-flipping") {
      .sabotaged()
    }
  }
}

extension FeatureTogglesFixture {
  fileprivate static func sabotaged(
    isFrozen: Bool = false,
    _ answer: @escaping Sabotaged.Answer = { $0[$1] ?? false }
  ) -> FeatureTogglesFixture {
    let toggles = Sabotaged(answer)
    return FeatureTogglesFixture {
      toggles.settings = $0
      return toggles
    } change: {
      if !isFrozen { toggles.settings[$0] = $1 }
    }
  }
}

private final class Sabotaged: FeatureToggles {
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
