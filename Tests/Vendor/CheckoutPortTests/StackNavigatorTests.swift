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
    navigator.show(.named("c"))
    #expect(navigator.goBack())
    #expect(navigator.goBack())
    #expect(!navigator.goBack())
    let expected = ["ab", "abc", "ab", "a"].map { $0.map { Screen.named("\($0)") } }
    #expect(rendered.withLock(\.self) == expected)
  }
}
