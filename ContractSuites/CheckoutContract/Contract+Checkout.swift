public import CheckoutPort
public import ContractTesting
import SystemLocks
import Testing

/// What a clause about one-tap checkout works with; its designs share functions, not a protocol.
public struct CheckoutFixture: Sendable {
  /// Whether one tap is offered.
  public var isEnabled: @Sendable (CheckoutEntryPoint) -> Bool

  /// Shows the checkout if one tap is offered, and says whether it did.
  public var present: @Sendable (CheckoutEntryPoint) -> Bool

  /// Sets a toggle; all are off at first.
  public var set: @Sendable (FeatureToggle, Bool) throws -> Void

  /// The screens that were shown.
  public var shown: @Sendable () -> [Screen]

  /// Puts a fixture together.
  public init(
    isEnabled: @escaping @Sendable (CheckoutEntryPoint) -> Bool,
    present: @escaping @Sendable (CheckoutEntryPoint) -> Bool,
    set: @escaping @Sendable (FeatureToggle, Bool) throws -> Void,
    shown: @escaping @Sendable () -> [Screen]
  ) {
    self.isEnabled = isEnabled
    self.present = present
    self.set = set
    self.shown = shown
  }
}

extension Contract<CheckoutFixture> {
  /// What every design of one-tap checkout promises.
  public static let checkout = Contract("checkout", "One-tap checkout") {
    for (name, entry) in [("cart", CheckoutEntryPoint.cart), ("product", .product(id: "e\u{301}"))]
    {
      ClauseGroup("From the \(name)") {
        Clause("\(name)-enabled", "where one tap is offered, the checkout is shown once") {
          fixture in
          try fixture.set(entry.toggle, true)
          #expect(fixture.isEnabled(entry), "one tap is not offered")
          #expect(fixture.present(entry), "it says that it showed nothing")
          #expect(fixture.shown() == [.oneTapCheckout(entry)], "the checkout was not shown once")
        }
        Clause("\(name)-disabled", "where one tap is not offered, nothing is shown") { fixture in
          for toggle in FeatureToggle.allCases { try fixture.set(toggle, toggle != entry.toggle) }
          #expect(!fixture.isEnabled(entry), "one tap is offered")
          #expect(!fixture.present(entry), "it says that it showed something")
          #expect(fixture.shown().isEmpty, "something was shown")
        }
        Clause("\(name)-switched-off", "switched off after the question, nothing is shown") {
          fixture in
          try fixture.set(entry.toggle, true)
          #expect(fixture.isEnabled(entry))
          try fixture.set(entry.toggle, false)
          #expect(!fixture.present(entry))
          #expect(fixture.shown().isEmpty, "the answer of before was used")
        }
        Clause("\(name)-switched-on", "switched on after the question, the checkout is shown") {
          fixture in
          #expect(!fixture.isEnabled(entry))
          try fixture.set(entry.toggle, true)
          #expect(fixture.present(entry), "the answer of before was used")
          #expect(fixture.shown() == [.oneTapCheckout(entry)])
        }
      }
    }
    Clause("asking-shows-nothing", "the question whether one tap is offered shows nothing") {
      fixture in
      for toggle in FeatureToggle.allCases { try fixture.set(toggle, true) }
      for entry in [CheckoutEntryPoint.cart, .product(id: "7")] {
        #expect(fixture.isEnabled(entry))
        #expect(fixture.isEnabled(entry), "the second answer is another one")
      }
      #expect(fixture.shown().isEmpty, "something was shown")
    }
  } saboteurs: {
    Saboteur(
      "shows-twice", "shows the checkout twice", caughtBy: "cart-enabled", "product-enabled",
      saying: "not shown once"
    ) { .sabotaged(.showsTwice) }
    Saboteur(
      "always-on", "asks no toggle", caughtBy: "cart-disabled", "product-disabled",
      saying: "something was shown"
    ) { .sabotaged(.asksNoToggle) }
    Saboteur(
      "remembers", "uses the first answer for good", caughtBy: "cart-switched-off",
      "cart-switched-on", "product-switched-off", "product-switched-on", saying: "of before"
    ) { .sabotaged(.remembers) }
    Saboteur(
      "shows-on-question", "shows the checkout when asked", caughtBy: "asking-shows-nothing",
      saying: "something was shown"
    ) { .sabotaged(.showsOnQuestion) }
    Saboteur(
      "one-toggle", "asks the product's toggle for the cart", caughtBy: "cart-enabled",
      "cart-disabled"
    ) { .sabotaged(.asksOneToggle) }
  }
}

private enum Flaw {
  case showsTwice
  case asksNoToggle
  case remembers
  case showsOnQuestion
  case asksOneToggle
}

extension CheckoutFixture {
  fileprivate static func sabotaged(_ flaw: Flaw) -> CheckoutFixture {
    let toggles = FakeFeatureToggles()
    let navigator = NavigatorSpy()
    let remembered = Answers()
    @Sendable func isEnabled(_ entry: CheckoutEntryPoint) -> Bool {
      switch flaw {
      case .asksNoToggle: true
      case .asksOneToggle: toggles.isEnabled(.oneTapCheckoutOnProduct)
      case .remembers: remembered.first(for: entry) { toggles.isEnabled(entry.toggle) }
      case .showsTwice, .showsOnQuestion: toggles.isEnabled(entry.toggle)
      }
    }
    return CheckoutFixture { entry in
      if flaw == .showsOnQuestion { navigator.show(.oneTapCheckout(entry)) }
      return isEnabled(entry)
    } present: { entry in
      guard isEnabled(entry) else { return false }
      for _ in 1...(flaw == .showsTwice ? 2 : 1) { navigator.show(.oneTapCheckout(entry)) }
      return true
    } set: {
      toggles.set($0, $1)
    } shown: {
      navigator.screens
    }
  }
}

/// The first answers that were given, for good.
private final class Answers: Sendable {
  private let answers = Mutex<[CheckoutEntryPoint: Bool]>([:])

  func first(for entry: CheckoutEntryPoint, _ answer: () -> Bool) -> Bool {
    answers.withLock { answers in
      if let first = answers[entry] { return first }
      let first = answer()
      answers[entry] = first
      return first
    }
  }
}
