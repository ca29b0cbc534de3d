import CheckoutPort
import Foundation
import Testing

@Suite struct EnvironmentFeatureTogglesTests {
  private static let name = "TOGGLE_ONE_TAP_CHECKOUT_IN_CART"

  @Test(arguments: ["1", "true", "YES", "On"])
  func `values that turn a toggle on`(_ value: String) throws {
    #expect(try EnvironmentFeatureToggles([Self.name: value]).isEnabled(.oneTapCheckoutInCart))
  }

  @Test(arguments: ["0", "False", "no", "OFF", ""])
  func `values that turn a toggle off`(_ value: String) throws {
    #expect(try !EnvironmentFeatureToggles([Self.name: value]).isEnabled(.oneTapCheckoutInCart))
  }

  @Test(arguments: ["2", " on", "enabled", "\u{0}"])
  func `any other value is an error that names the variable`(_ value: String) {
    let error = #expect(throws: FeatureTogglesError.self) {
      try EnvironmentFeatureToggles([Self.name: value])
    }
    #expect(error?.source == Self.name)
  }

  @Test func `the prefix selects the variables`() throws {
    let toggles = try EnvironmentFeatureToggles(
      ["SHOP_ONE_TAP_CHECKOUT_IN_CART": "on", Self.name: "nonsense"], prefix: "SHOP_")
    #expect(toggles.isEnabled(.oneTapCheckoutInCart))
  }
}

@Suite final class FileFeatureTogglesTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("toggles-\(UUID().uuidString)", isDirectory: true)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func file(_ text: String) throws -> URL {
    let file = folder.appendingPathComponent("toggles.json")
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test(
    arguments: [
      "", "{", "[]", "null", #"{"a": 1}"#, #"{"a": "true"}"#, #"{"a": null}"#, "\u{0}",
      #"[{"one-tap-checkout-in-cart": true}]"#,
    ])
  func `a file that does not map names to Booleans is an error that names the file`(_ text: String)
    throws
  {
    let file = try file(text)
    let error = #expect(throws: FeatureTogglesError.self) { try FileFeatureToggles(file) }
    #expect(error?.source == file.path)
  }

  @Test func `a missing file and a folder are errors`() {
    for file in [folder.appendingPathComponent("missing.json"), folder] {
      let error = #expect(throws: FeatureTogglesError.self) { try FileFeatureToggles(file) }
      #expect(error?.source == file.path)
    }
  }

  @Test func `a property list is read like JSON`() throws {
    let file = folder.appendingPathComponent("toggles.plist")
    let toggles = ["one-tap-checkout-in-cart": true]
    try PropertyListEncoder().encode(toggles).write(to: file)
    #expect(try FileFeatureToggles(file).isEnabled(.oneTapCheckoutInCart))
  }

  @Test func `unknown names are ignored`() throws {
    let toggles = try FileFeatureToggles(
      file(#"{"of-another-version": true, "one-tap-checkout-in-cart": true}"#))
    #expect(toggles.isEnabled(.oneTapCheckoutInCart))
    #expect(!toggles.isEnabled(.oneTapCheckoutOnProduct))
  }

  @Test func `a toggle missing from the reloaded file is off`() throws {
    let toggles = try FileFeatureToggles(file(#"{"one-tap-checkout-in-cart": true}"#))
    _ = try file(#"{"one-tap-checkout-on-product": true}"#)
    try toggles.reload()
    #expect(!toggles.isEnabled(.oneTapCheckoutInCart))
    #expect(toggles.isEnabled(.oneTapCheckoutOnProduct))
  }
}
