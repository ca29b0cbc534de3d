import CheckoutPort
import Storefront
import Testing

@Suite struct CheckoutScreenModelTests {
  private let toggles = FakeFeatureToggles(enabled: .oneTapCheckoutOnProduct)
  private let navigator = NavigatorSpy()

  private var model: CheckoutScreenModel {
    CheckoutScreenModel(product: "7", toggles: toggles, navigator: navigator)
  }

  @Test func `one tap buys where it is offered`() {
    #expect(model.buttonTitle == "Buy with one tap")
    model.buttonTapped()
    #expect(navigator.screens == [.oneTapCheckout(.product(id: "7"))])
  }

  @Test func `the cart is shown where one tap is not offered, or not any more`() {
    let model = model
    toggles.set(.oneTapCheckoutOnProduct, false)
    #expect(model.buttonTitle == "Add to cart")
    model.buttonTapped()
    #expect(navigator.screens == [.named("cart")])
  }
}
