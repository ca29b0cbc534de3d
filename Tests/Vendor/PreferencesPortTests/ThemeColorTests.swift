import PreferencesPort
import Testing

@Suite struct ThemeColorTests {
  @Test func `each component is written as two digits and parsed again`() {
    for component in UInt8.min...UInt8.max {
      let color = ThemeColor(red: component, green: 255 - component, blue: component / 2)
      #expect("\(color)".utf8.count == 7)
      #expect(ThemeColor("\(color)") == color)
    }
    #expect("\(ThemeColor(red: 1, green: 2, blue: 255))" == "#0102ff")
    #expect(ThemeColor("#0102FF") == ThemeColor(red: 1, green: 2, blue: 255))
  }

  @Test(arguments: [
    "", "#", "0102ff", "#0102f", "#0102fff", "#+102ff", "#-102ff", "#0102fg", "#１２３",
  ])
  func `any other text is not a colour`(_ text: String) { #expect(ThemeColor(text) == nil) }
}
