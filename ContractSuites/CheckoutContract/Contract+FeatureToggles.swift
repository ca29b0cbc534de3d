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

  /// The ways in which the source can become unreadable; none without ``Capability/unreadability``.
  public var unreadable: [UnreadableToggles]

  /// Creates a fixture.
  public init(
    unreadable: [UnreadableToggles] = [],
    read: @escaping @Sendable ([FeatureToggle: Bool]) async throws -> any FeatureToggles,
    change: @escaping @Sendable (FeatureToggle, Bool) async throws -> Void
  ) {
    self.unreadable = unreadable
    self.read = read
    self.change = change
  }
}

/// A way in which a source of toggles can become unreadable.
public struct UnreadableToggles: Sendable {
  /// The source that the error must name.
  public var source: String

  /// Makes the source unreadable, and reads it as the app would.
  public var read: @Sendable () async throws -> Void

  /// Creates a way.
  public init(source: String, read: @escaping @Sendable () async throws -> Void) {
    self.source = source
    self.read = read
  }
}

extension Capability {
  /// Toggles come from a source that may not be readable.
  public static let unreadability = Capability(
    "unreadability", "toggles come from a source that may not be readable")

  /// Toggles can change while the app runs.
  public static let flipping = Capability("flipping", "toggles can change while the app runs")
}

extension Contract<FeatureTogglesFixture> {
  /// The behaviour of all feature toggles.
  public static let featureToggles: Self = Contract("feature-toggles", "Feature toggles") {
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
    Clause(
      "unreadable",
      "reading an unreadable source throws an error that names it, and changes nothing",
      requires: .unreadability
    ) { fixture in
      let toggle = FeatureToggle.oneTapCheckoutInCart
      try #require(!fixture.unreadable.isEmpty, "the fixture has no unreadable source")
      for unreadable in fixture.unreadable {
        let toggles = try await fixture.read([toggle: true])
        let error = await #expect(throws: FeatureTogglesError.self) { try await unreadable.read() }
        #expect(error?.source == unreadable.source, "the error names another source")
        #expect(toggles.isEnabled(toggle), "toggles that were read have changed")
      }
    }
    Absence(of: .unreadability, "no source can become unreadable") { fixture in
      #expect(fixture.unreadable.isEmpty)
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
    Saboteur("breaks-after-all", "has an unreadable source", caughtBy: "lacks-unreadability") {
      .unreadable { _ in }
    }
    Saboteur("shrugs", "treats an unreadable source as empty", caughtBy: "unreadable") {
      .unreadable { _ in }
    }
    Saboteur(
      "blames-another", "names another source", caughtBy: "unreadable",
      saying: "names another source"
    ) {
      .unreadable { _ in throw FeatureTogglesError(source: "no map", problem: "settings") }
    }
    Saboteur(
      "forgets", "turns all toggles off if it cannot read them", caughtBy: "unreadable",
      saying: "have changed"
    ) {
      .unreadable { toggles in
        toggles.settings = [:]
        throw FeatureTogglesError(source: "settings", problem: "no map")
      }
    }
  }
}

extension FeatureTogglesFixture {
  fileprivate static func flawed(
    ignoresChanges: Bool = false,
    _ answer: @escaping FlawedToggles.Answer = { $0[$1] ?? false }
  ) -> FeatureTogglesFixture {
    flawed(FlawedToggles(answer), ignoresChanges: ignoresChanges)
  }

  /// Creates a fixture whose unreadable source is read by a closure.
  fileprivate static func unreadable(
    _ read: @escaping @Sendable (FlawedToggles) throws -> Void
  ) -> FeatureTogglesFixture {
    let toggles = FlawedToggles { $0[$1] ?? false }
    var fixture = flawed(toggles)
    fixture.unreadable = [UnreadableToggles(source: "settings") { try read(toggles) }]
    return fixture
  }

  private static func flawed(
    _ toggles: FlawedToggles, ignoresChanges: Bool = false
  ) -> FeatureTogglesFixture {
    FeatureTogglesFixture {
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
