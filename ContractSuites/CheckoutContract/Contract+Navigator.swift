public import CheckoutPort
public import ContractTesting
import SystemLocks
import Testing

/// What a clause about navigators works with.
public struct NavigatorFixture: Sendable {
  /// The navigator under test, which has shown nothing yet.
  public var navigator: any Navigator

  /// The screens that were shown since, from the first to the one on top.
  public var shown: @Sendable () async -> [Screen]

  /// Puts a fixture together.
  public init(navigator: any Navigator, shown: @escaping @Sendable () async -> [Screen]) {
    self.navigator = navigator
    self.shown = shown
  }
}

extension Contract<NavigatorFixture> {
  /// What every navigator promises.
  public static let navigator = Contract("navigator", "Navigator") {
    Clause("nothing-invented", "nothing is shown that was not asked for") { fixture in
      #expect(await fixture.shown().isEmpty)
    }
    Clause("order", "each screen is put on top of the one before") { fixture in
      let screens: [Screen] = [
        .named("songs"), .oneTapCheckout(.cart), .oneTapCheckout(.product(id: "7")),
      ]
      for (count, screen) in screens.enumerated() {
        fixture.navigator.show(screen)
        #expect(await fixture.shown() == Array(screens[...count]))
      }
    }
    Clause("again", "a screen that is on top already is shown again") { fixture in
      for _ in 1...2 { fixture.navigator.show(.named("songs")) }
      #expect(await fixture.shown() == [.named("songs"), .named("songs")])
    }
    Clause("nothing-lost", "screens that eight threads ask for are all shown") { fixture in
      await onThreads(8) { thread in
        for number in 0..<25 { fixture.navigator.show(.named("\(thread)-\(number)")) }
      }
      #expect(Set(await fixture.shown()).count == 8 * 25, "a screen was lost")
    }
  } saboteurs: {
    Saboteur("has-root", "counts its own first screen", caughtBy: "nothing-invented") {
      .sabotaged(by: [.named("root")]) { $0.append($1) }
    }
    Saboteur("replaces", "shows the last screen only", caughtBy: "order") {
      .sabotaged { $0 = [$1] }
    }
    Saboteur("no-repeats", "will not show a screen again", caughtBy: "again") {
      .sabotaged { if $0.last != $1 { $0.append($1) } }
    }
    Saboteur("forgets", "keeps a hundred screens", caughtBy: "nothing-lost", saying: "was lost") {
      .sabotaged { if $0.count < 100 { $0.append($1) } }
    }
  }
}

extension NavigatorFixture {
  fileprivate static func sabotaged(
    by screens: [Screen] = [], _ show: @escaping @Sendable (inout [Screen], Screen) -> Void
  ) -> NavigatorFixture {
    let navigator = Sabotaged(screens, show)
    return NavigatorFixture(navigator: navigator) { navigator.screens }
  }
}

private final class Sabotaged: Navigator {
  private let log: Mutex<[Screen]>
  private let append: @Sendable (inout [Screen], Screen) -> Void

  init(_ screens: [Screen], _ append: @escaping @Sendable (inout [Screen], Screen) -> Void) {
    log = Mutex(screens)
    self.append = append
  }

  func show(_ screen: Screen) { log.withLock { append(&$0, screen) } }

  var screens: [Screen] { log.withLock(\.self) }
}
