import CheckoutPort
import Storefront
import Testing

@Suite struct CheckoutScreenModelTests {
  private let toggles = FakeFeatureToggles(enabled: .oneTapCheckoutOnProduct)
  private let navigator = NavigatorSpy()

  private var model: CheckoutScreenModel {
    CheckoutScreenModel(product: "7", toggles: toggles, navigator: navigator)
  }

  @Test func `the button shows the one-tap checkout if it is enabled`() {
    #expect(model.buttonTitle == "Buy with one tap")
    model.buttonTapped()
    #expect(navigator.screens == [.oneTapCheckout(.product(id: "7"))])
  }

  @Test func `the button shows the cart if one-tap checkout is disabled`() {
    let model = model
    toggles.set(.oneTapCheckoutOnProduct, false)
    #expect(model.buttonTitle == "Add to cart")
    model.buttonTapped()
    #expect(navigator.screens == [.named("cart")])
  }
}
