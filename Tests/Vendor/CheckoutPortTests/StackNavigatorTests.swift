import CheckoutPort
import SystemLocks
import Testing

@Suite struct StackNavigatorTests {
  @Test func `going back removes the topmost screen, but not the root`() {
    let navigator = StackNavigator(root: .named("home"))
    navigator.show(.named("songs"))
    #expect(navigator.screens == [.named("home"), .named("songs")])
    #expect(navigator.goBack())
    #expect(!navigator.goBack())
    #expect(navigator.screens == [.named("home")])
  }

  @Test func `each change is rendered once`() {
    let rendered = Mutex<[[Screen]]>([])
    let navigator = StackNavigator(root: .named("a")) { screens in
      rendered.withLock { $0.append(screens) }
    }
    navigator.show(.named("b"))
    navigator.goBack()
    navigator.goBack()
    #expect(rendered.withLock(\.self) == [[.named("a"), .named("b")], [.named("a")]])
  }
}

@Suite struct OneTapCheckoutModuleTests {
  private final class App: OneTapCheckoutDelegate {
    func isOneTapEnabled(at entryPoint: CheckoutEntryPoint) -> Bool { true }
    func showOneTapCheckout(for entryPoint: CheckoutEntryPoint) {}
  }

  @Test func `one-tap checkout is disabled after the app is deallocated`() {
    var app: App? = App()
    let module = app.map { OneTapCheckoutModule(delegate: $0) }
    #expect(module?.isEnabled(at: .cart) == true)
    app = nil
    #expect(module?.isEnabled(at: .cart) == false)
    #expect(module?.present(from: .cart) == false)
  }
}
