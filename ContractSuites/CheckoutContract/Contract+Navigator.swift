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

  /// Goes back as the user would, and returns whether a screen was removed; never without
  /// ``Capability/goingBack``.
  public var goBack: @Sendable () async -> Bool

  /// Creates a fixture.
  public init(
    navigator: any Navigator, goBack: @escaping @Sendable () async -> Bool = { false },
    shown: @escaping @Sendable () async -> [Screen]
  ) {
    self.navigator = navigator
    self.goBack = goBack
    self.shown = shown
  }
}

extension Capability {
  /// The user can go back to the previous screen.
  public static let goingBack = Capability(
    "going-back", "the user can go back to the previous screen")
}

extension Contract<NavigatorFixture> {
  /// The behaviour of every navigator.
  public static let navigator: Self = Contract("navigator", "Navigator") {
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
    Clause(
      "back", "going back removes the topmost screen, if a call has shown one",
      requires: .goingBack
    ) { fixture in
      for name in ["songs", "song"] { fixture.navigator.show(.named(name)) }
      #expect(await fixture.goBack(), "a screen remained on top")
      #expect(await fixture.shown() == [.named("songs")])
      fixture.navigator.show(.named("album"))
      #expect(await fixture.shown() == [.named("songs"), .named("album")])
      for rest in [[Screen.named("songs")], []] {
        #expect(await fixture.goBack(), "a screen remained on top")
        #expect(await fixture.shown() == rest)
      }
      #expect(await !fixture.goBack(), "it went back from the first screen")
      #expect(await fixture.shown().isEmpty)
    }
    Absence(of: .goingBack, "no screen can be removed") { fixture in
      fixture.navigator.show(.named("songs"))
      #expect(await !fixture.goBack())
      #expect(await fixture.shown() == [.named("songs")])
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
    Saboteur("goes-back-after-all", "removes a screen", caughtBy: "lacks-going-back") {
      .flawed { $0.append($1) }
    }
    Saboteur("stays", "cannot go back", caughtBy: "back", saying: "remained on top") {
      .flawed(goingBack: { _ in false }) { $0.append($1) }
    }
    Saboteur("goes-home", "goes back to the first screen", caughtBy: "back") {
      .flawed(
        goingBack: { screens in
          defer { screens = [] }
          return !screens.isEmpty
        }
      ) { $0.append($1) }
    }
    Saboteur(
      "boasts", "claims to have gone back from the first screen", caughtBy: "back",
      saying: "from the first screen"
    ) {
      .flawed(
        goingBack: {
          _ = $0.popLast()
          return true
        }
      ) { $0.append($1) }
    }
  }
}

extension NavigatorFixture {
  /// Creates a fixture with a navigator that stores screens with a closure.
  fileprivate static func flawed(
    _ screens: [Screen] = [],
    goingBack goBack: @escaping @Sendable (inout [Screen]) -> Bool = { $0.popLast() != nil },
    _ show: @escaping @Sendable (inout [Screen], Screen) -> Void
  ) -> NavigatorFixture {
    let navigator = FlawedNavigator(screens, show)
    return NavigatorFixture(
      navigator: navigator, goBack: { navigator.goBack(goBack) }, shown: { navigator.screens })
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

  func goBack(_ body: (inout [Screen]) -> Bool) -> Bool { log.withLock { body(&$0) } }

  var screens: [Screen] { log.withLock(\.self) }
}
