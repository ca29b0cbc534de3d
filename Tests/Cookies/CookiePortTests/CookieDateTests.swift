import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("CookieDate")
struct CookieDateTests {
  @Test(
    "dates are parsed in any order, with any text around the parts",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("08:49:37 1994 november 6", 784_111_777),
      ("1994 6 08:49:37 NOVxyz", 784_111_777), ("06 Nov 1994 08:49:37 PST+0800", 784_111_777),
      ("6th Nov 1994x 8:49:37.5", 784_111_777), ("6 Nov 1994 08:49:37:99", 784_111_777),
      ("Thu, 01-Jan-70 00:00:00 GMT", 0), ("1 Jan 1970 0:0:0", 0), ("1 Jan 070 0:0:0", 0),
      ("31 Dec 9999 23:59:59", 253_402_300_799), ("1 Jan 1601 00:00:00", -11_644_473_600),
      ("29 Feb 2000 00:00:00", 951_782_400), ("28 Feb 1900 00:00:00", -2_203_977_600),
      ("1 Jan 69 0:0:0", 3_124_224_000), ("1 Jan 00 0:0:0", 946_684_800),
      ("1 Jan 99 0:0:0", 915_148_800), ("19 Jan 2038 03:14:08", 2_147_483_648),
      ("\u{E9} 1 Jan 1970 00:00:01", 1), ("1\tJan\"1970#00:00:01;", 1),
      // The first token that matches is used: a second day, month or time is skipped.
      ("1 2 Jan Feb 1970 00:00:01 00:00:02", 1),
    ])
  func dates(_ text: String, _ seconds: Int) {
    #expect(CookieDate.parse(text) == Date(timeIntervalSince1970: TimeInterval(seconds)))
  }

  @Test(
    "a date with a missing or out-of-range part, or a day that doesn't exist, is invalid",
    arguments: [
      "", "1 Jan 1970", "Jan 1970 00:00:00", "1 1970 00:00:00", "1 Jan 00:00:00",
      "0 Jan 1970 00:00:00", "32 Jan 1970 00:00:00", "30 Feb 2000 00:00:00", "29 Feb 1999 00:00:00",
      "29 Feb 1900 00:00:00", "29 Feb 1800 00:00:00", "31 Apr 1999 00:00:00", "1 Jan 1600 23:59:59",
      "1 Jan 1970 24:00:00",
      "1 Jan 1970 00:60:00", "1 Jan 1970 00:00:60", "1 Jan 10000 00:00:00", "1 Jan 100 00:00:00",
      "1 Ja 1970 00:00:00", "1 Jan 1970 000:00:00", "1 Jan 1970 00:00", "1 Jan 1970 00:00:",
      "1 Jan 1970 00:00:000", "001 Jan 1970x 00:00:00", "1 Jan 1970 0a:00:00",
      "1 Jan\u{7F}1970 00:00:00",
      "99999999999999999999999999999999 Jan 1970 00:00:00",
    ])
  func noDates(_ text: String) {
    #expect(CookieDate.parse(text) == nil)
  }

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
    ])
  func format(_ seconds: TimeInterval, _ text: String) {
    #expect(CookieDate.format(Date(timeIntervalSince1970: seconds)) == text)
  }
}
