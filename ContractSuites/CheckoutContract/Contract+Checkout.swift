public import CheckoutPort
public import ContractTesting
import SystemLocks
import Testing

/// The fixture of the checkout contract. The designs share functions but no protocol.
public struct CheckoutFixture: Sendable {
  /// Whether one-tap checkout is enabled.
  public var isEnabled: @Sendable (CheckoutEntryPoint) -> Bool

  /// Shows the checkout if it is enabled, and returns whether it was shown.
  public var present: @Sendable (CheckoutEntryPoint) -> Bool

  /// Sets a toggle. All toggles are off at first.
  public var set: @Sendable (FeatureToggle, Bool) throws -> Void

  /// Returns the shown screens.
  public var shown: @Sendable () -> [Screen]

  /// Takes the app's toggles and navigator away from the design.
  public var disconnect: @Sendable () -> Void

  /// Creates a fixture.
  public init(
    isEnabled: @escaping @Sendable (CheckoutEntryPoint) -> Bool,
    present: @escaping @Sendable (CheckoutEntryPoint) -> Bool,
    set: @escaping @Sendable (FeatureToggle, Bool) throws -> Void,
    shown: @escaping @Sendable () -> [Screen], disconnect: @escaping @Sendable () -> Void
  ) {
    self.isEnabled = isEnabled
    self.present = present
    self.set = set
    self.shown = shown
    self.disconnect = disconnect
  }
}

extension Contract<CheckoutFixture> {
  /// The behaviour of every design of one-tap checkout.
  public static let checkout: Self = Contract("checkout", "One-tap checkout") {
    let entries: [(String, CheckoutEntryPoint, FeatureToggle)] = [
      ("cart", .cart, .oneTapCheckoutInCart),
      ("product", .product(id: "e\u{301}"), .oneTapCheckoutOnProduct),
    ]
    for (name, entry, toggle) in entries {
      ClauseGroup("From the \(name)") {
        Clause("\(name)-enabled", "if one-tap checkout is enabled, it is shown once") { fixture in
          try fixture.set(toggle, true)
          #expect(fixture.isEnabled(entry), "one-tap checkout is not enabled")
          #expect(fixture.present(entry), "it returned false for a shown checkout")
          #expect(fixture.shown() == [.oneTapCheckout(entry)], "the checkout was not shown once")
        }
        Clause("\(name)-disabled", "if one-tap checkout is disabled, nothing is shown") { fixture in
          for other in FeatureToggle.allCases { try fixture.set(other, other != toggle) }
          #expect(!fixture.isEnabled(entry), "one-tap checkout is enabled")
          #expect(!fixture.present(entry), "it returned true although nothing may be shown")
          #expect(fixture.shown().isEmpty, "something was shown")
        }
        Clause("\(name)-switched-off", "if disabled after a query, nothing is shown") { fixture in
          try fixture.set(toggle, true)
          #expect(fixture.isEnabled(entry))
          try fixture.set(toggle, false)
          #expect(!fixture.present(entry))
          #expect(fixture.shown().isEmpty, "an outdated answer was used")
        }
        Clause("\(name)-switched-on", "if enabled after a query, the checkout is shown") {
          fixture in
          #expect(!fixture.isEnabled(entry))
          try fixture.set(toggle, true)
          #expect(fixture.present(entry), "an outdated answer was used")
          #expect(fixture.shown() == [.oneTapCheckout(entry)])
        }
      }
    }
    Clause("asking-shows-nothing", "the query whether one-tap checkout is enabled shows nothing") {
      fixture in
      for toggle in FeatureToggle.allCases { try fixture.set(toggle, true) }
      for entry in [CheckoutEntryPoint.cart, .product(id: "7")] {
        #expect(fixture.isEnabled(entry))
        #expect(fixture.isEnabled(entry), "the second answer differs from the first")
      }
      #expect(fixture.shown().isEmpty, "something was shown")
    }
    Clause("disconnected", "without the app's toggles and navigator, one-tap checkout is disabled")
    { fixture in
      for (_, entry, toggle) in entries {
        try fixture.set(toggle, true)
        #expect(fixture.isEnabled(entry))
      }
      fixture.disconnect()
      for (_, entry, _) in entries {
        #expect(!fixture.isEnabled(entry), "one-tap checkout is enabled without toggles")
        #expect(!fixture.present(entry), "it returned true although nothing may be shown")
      }
      #expect(fixture.shown().isEmpty, "something was shown")
    }
  } saboteurs: {
    Saboteur(
      "shows-twice", "shows the checkout twice", caughtBy: "cart-enabled", "product-enabled",
      saying: "not shown once"
    ) { .flawed(.showsTwice) }
    for (name, toggle) in [
      ("cart", FeatureToggle.oneTapCheckoutInCart), ("product", .oneTapCheckoutOnProduct),
    ] {
      Saboteur(
        "\(name)-always-on", "ignores the toggle of the \(name)", caughtBy: "\(name)-disabled",
        saying: "something was shown"
      ) { .flawed(.ignoresToggle(toggle)) }
    }
    Saboteur(
      "remembers", "caches the first answer", caughtBy: "cart-switched-off",
      "cart-switched-on", "product-switched-off", "product-switched-on", saying: "outdated answer"
    ) { .flawed(.cachesAnswer) }
    Saboteur(
      "shows-on-question", "shows the checkout at the second query",
      caughtBy: "asking-shows-nothing",
      saying: "something was shown"
    ) { .flawed(.showsOnQuery) }
    Saboteur(
      "one-toggle", "uses the product's toggle for the cart", caughtBy: "cart-enabled",
      "cart-disabled"
    ) { .flawed(.usesOneToggle) }
    Saboteur(
      "on-without-toggles", "is enabled where there are no toggles", caughtBy: "disconnected",
      saying: "without toggles"
    ) { .flawed(.isOnWithoutToggles) }
  }
}

/// A flaw of one-tap checkout.
private enum Flaw: Equatable {
  case showsTwice
  case ignoresToggle(FeatureToggle)
  case cachesAnswer
  case showsOnQuery
  case usesOneToggle
  case isOnWithoutToggles
}

extension CheckoutFixture {
  fileprivate static func flawed(_ flaw: Flaw) -> CheckoutFixture {
    let toggles = FakeFeatureToggles()
    let navigator = NavigatorSpy()
    let cache = AnswerCache()
    let isConnected = Mutex(true)
    let queries = Mutex(0)
    @Sendable func isEnabled(_ entry: CheckoutEntryPoint) -> Bool {
      guard isConnected.withLock(\.self) else { return flaw == .isOnWithoutToggles }
      return switch flaw {
      case .ignoresToggle(entry.toggle): true
      case .usesOneToggle: toggles.isEnabled(.oneTapCheckoutOnProduct)
      case .cachesAnswer: cache.answer(for: entry) { toggles.isEnabled(entry.toggle) }
      case .ignoresToggle, .showsTwice, .showsOnQuery, .isOnWithoutToggles:
        toggles.isEnabled(entry.toggle)
      }
    }
    return CheckoutFixture { entry in
      let count = queries.withLock { count in
        count += 1
        return count
      }
      if flaw == .showsOnQuery, count == 2 { navigator.show(.oneTapCheckout(entry)) }
      return isEnabled(entry)
    } present: { entry in
      guard isEnabled(entry) else { return false }
      for _ in 1...(flaw == .showsTwice ? 2 : 1) { navigator.show(.oneTapCheckout(entry)) }
      return true
    } set: {
      toggles.set($0, $1)
    } shown: {
      navigator.screens
    } disconnect: {
      isConnected.withLock { $0 = false }
    }
  }
}

/// Caches the first answer for each entry point.
private final class AnswerCache: Sendable {
  private let answers = Mutex<[CheckoutEntryPoint: Bool]>([:])

  func answer(for entry: CheckoutEntryPoint, _ answer: () -> Bool) -> Bool {
    answers.withLock { answers in
      if let first = answers[entry] { return first }
      let first = answer()
      answers[entry] = first
      return first
    }
  }
}
