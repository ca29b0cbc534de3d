public import CheckoutPort
public import ContractTesting
import SystemLocks
import SystemThreads
import Testing

/// The fixture of the navigator contract.
public struct NavigatorFixture: Sendable {
  /// The navigator under test, before any call.
  public var navigator: any Navigator

  /// Returns the screens shown by calls so far, with the topmost last.
  public var shown: @Sendable () async -> [Screen]

  /// Creates a fixture.
  public init(navigator: any Navigator, shown: @escaping @Sendable () async -> [Screen]) {
    self.navigator = navigator
    self.shown = shown
  }
}

extension Contract<NavigatorFixture> {
  /// The behaviour of every navigator.
  public static let navigator = Contract("navigator", "Navigator") {
    Clause("nothing-invented", "a new navigator has shown no screen") { fixture in
      #expect(await fixture.shown().isEmpty)
    }
    Clause("order", "each screen is shown on top of the previous one") { fixture in
      let screens: [Screen] = [
        .named("songs"), .oneTapCheckout(.cart), .oneTapCheckout(.product(id: "7")),
      ]
      for (count, screen) in screens.enumerated() {
        fixture.navigator.show(screen)
        #expect(await fixture.shown() == Array(screens[...count]))
      }
    }
    Clause("again", "the topmost screen can be shown again") { fixture in
      for _ in 1...2 { fixture.navigator.show(.named("songs")) }
      #expect(await fixture.shown() == [.named("songs"), .named("songs")])
    }
    Clause("nothing-lost", "all screens of eight threads are shown") { fixture in
      await onThreads(8) { thread in
        for number in 0..<25 { fixture.navigator.show(.named("\(thread)-\(number)")) }
      }
      #expect(Set(await fixture.shown()).count == 8 * 25, "a screen was lost")
    }
  } saboteurs: {
    Saboteur("has-root", "counts its root screen", caughtBy: "nothing-invented") {
      .flawed([.named("root")]) { $0.append($1) }
    }
    Saboteur("replaces", "keeps only the last screen", caughtBy: "order") {
      .flawed { $0 = [$1] }
    }
    Saboteur("no-repeats", "ignores a repeated screen", caughtBy: "again") {
      .flawed { if $0.last != $1 { $0.append($1) } }
    }
    Saboteur(
      "forgets", "drops screens after the first hundred", caughtBy: "nothing-lost",
      saying: "was lost"
    ) {
      .flawed { if $0.count < 100 { $0.append($1) } }
    }
  }
}

extension NavigatorFixture {
  /// Creates a fixture with a navigator that stores screens with a closure.
  fileprivate static func flawed(
    _ screens: [Screen] = [], _ show: @escaping @Sendable (inout [Screen], Screen) -> Void
  ) -> NavigatorFixture {
    let navigator = FlawedNavigator(screens, show)
    return NavigatorFixture(navigator: navigator) { navigator.screens }
  }
}

private final class FlawedNavigator: Navigator {
  private let log: Mutex<[Screen]>
  private let append: @Sendable (inout [Screen], Screen) -> Void

  init(_ screens: [Screen], _ append: @escaping @Sendable (inout [Screen], Screen) -> Void) {
    log = Mutex(screens)
    self.append = append
  }

  func show(_ screen: Screen) { log.withLock { append(&$0, screen) } }

  var screens: [Screen] { log.withLock(\.self) }
}
