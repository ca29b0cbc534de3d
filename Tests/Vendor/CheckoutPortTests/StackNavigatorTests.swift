import CheckoutPort
import SystemLocks
import Testing

@Suite struct StackNavigatorTests {
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
