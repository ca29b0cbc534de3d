import CheckoutPort
import Testing

@Suite struct CheckoutEntryTests {
  @Test func `factory methods create the enum's cases`() {
    #expect(CheckoutEntry.cart().entryPoint == .cart)
    #expect(CheckoutEntry.product(id: "7").entryPoint == .product(id: "7"))
  }

  @Test func `entries are equal if their entry points are equal`() {
    #expect(CheckoutEntry.product(id: "7") == CheckoutEntry.product(id: "7"))
    #expect(CheckoutEntry.product(id: "7").hash == CheckoutEntry.product(id: "7").hash)
    #expect(CheckoutEntry.product(id: "7") != CheckoutEntry.product(id: "8"))
    #expect(CheckoutEntry.cart() != CheckoutEntry.product(id: "7"))
    #expect(!CheckoutEntry.cart().isEqual("cart"))
  }
}
