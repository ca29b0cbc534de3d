import PreferencesPort
import Testing

@Suite struct ThemeColorTests {
  @Test func `every part is written with two digits and read again`() {
    for part in UInt8.min...UInt8.max {
      let color = ThemeColor(red: part, green: 255 - part, blue: part / 2)
      #expect("\(color)".utf8.count == 7)
      #expect(ThemeColor("\(color)") == color)
    }
    #expect("\(ThemeColor(red: 1, green: 2, blue: 255))" == "#0102ff")
    #expect(ThemeColor("#0102FF") == ThemeColor(red: 1, green: 2, blue: 255))
  }

  @Test(arguments: [
    "", "#", "0102ff", "#0102f", "#0102fff", "#+102ff", "#-102ff", "#0102fg", "#１２３",
  ])
  func `any other text is no colour`(_ text: String) { #expect(ThemeColor(text) == nil) }
}
