import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("CookieDate")
struct CookieDateTests {
  @Test("dates from 1601 to 9999 are formatted with their weekday, and parsed again")
  func everyDay() {
    let first = -11_644_473_600  // A Monday.
    let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    var random = SplitMix64(seed: 1)
    for _ in 0..<20_000 {
      let seconds = Int.random(in: first...253_402_300_799, using: &random)
      let date = Date(timeIntervalSince1970: TimeInterval(seconds))
      let text = CookieDate.format(date)
      #expect(text.hasPrefix(weekdays[(seconds - first) / 86_400 % 7] + ", "))
      #expect(CookieDate.parse(text) == date)
    }
  }

  @Test(
    "formatting drops fractions and clamps to the years that can be parsed",
    arguments: [
      (0.9, "Thu, 01 Jan 1970 00:00:00 GMT"), (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (-1e300, "Mon, 01 Jan 1601 00:00:00 GMT"), (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (.nan, "Mon, 01 Jan 1601 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (784_198_177, "Mon, 07 Nov 1994 08:49:37 GMT"),
      (784_284_577, "Tue, 08 Nov 1994 08:49:37 GMT"),
      (784_630_177, "Sat, 12 Nov 1994 08:49:37 GMT"),
    ])
  func format(_ seconds: TimeInterval, _ text: String) {
    #expect(CookieDate.format(Date(timeIntervalSince1970: seconds)) == text)
  }
}
