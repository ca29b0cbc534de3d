import ContractTesting
import CookiePort
import Foundation
import Testing

/// A date as a server writes it (RFC 9110 §5.6.7).
package func httpDate(_ date: Date) -> String { DateParts(date).text("%a, %d %b %Y %H:%M:%S GMT") }

/// The parts of a date in UTC, for writing it in several formats.
struct DateParts {
  private let parts: DateComponents
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let longMonths = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  init(_ date: Date) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
  }

  /// The date in a `strftime` pattern with `%a`, `%d`, `%e`, `%b`, `%B`, `%Y`, `%y`, `%H`, `%k`,
  /// `%M`, `%S`.
  func text(_ pattern: String) -> String {
    func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
    let month = (parts.month ?? 1) - 1
    return [
      ("%a", Self.weekdays[(parts.weekday ?? 1) - 1]), ("%d", two(parts.day)),
      ("%e", "\(parts.day ?? 0)"), ("%b", Self.months[month]), ("%B", Self.longMonths[month]),
      ("%Y", "\(parts.year ?? 0)"), ("%y", two((parts.year ?? 0) % 100)),
      ("%H", two(parts.hour)), ("%k", "\(parts.hour ?? 0)"), ("%M", two(parts.minute)),
      ("%S", two(parts.second)),
    ].reduce(pattern) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}

extension CookieStoreFixture {
  /// Checks that a date is parsed as an instant.
  func expectDate(
    _ text: String, _ expected: Date, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let cookie = try await set("d=1; Expires=\(text)", sourceLocation: sourceLocation)
    checkExpiry(of: cookie, near: expected, "Expires=\(text)", sourceLocation: sourceLocation)
  }

  /// Checks that a date is parsed as one in the past, so that it deletes the existing cookie.
  func expectPast(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await set("d=1", sourceLocation: sourceLocation)
    try await setExpired("d=2; Expires=\(text)", sourceLocation: sourceLocation)
    let left = try await store.all()
    check(
      left.isEmpty,
      "Expires=\(text) is in the past; expected no cookie left, got \(describe(left))",
      sourceLocation: sourceLocation)
    try await store.clear()
  }

  /// Checks that a date is parsed as one in the future.
  func expectFuture(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let cookie = try await set("d=1; Expires=\(text)", sourceLocation: sourceLocation)
    let expires = cookie.expires
    check(
      expires.map { $0 > now } == true,
      "Expires=\(text): expected an expiry in the future, got \(describe(expires))",
      sourceLocation: sourceLocation)
  }

  /// Checks that text isn't parsed as a date, so that the attribute is ignored.
  func expectNoDate(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let cookie = try await set("d=1; Expires=\(text)", sourceLocation: sourceLocation)
    check(
      cookie.expires == nil,
      "Expires=\(text) is no date: expected a session cookie, got expiry \(describe(cookie.expires))",
      sourceLocation: sourceLocation)
  }
}

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var dates: [Clause<CookieStoreFixture>] {
    Clause(
      "date-order", "time, day, month and year of a date may have any order and notation",
      from: "RFC 6265bis §5.1.1"
    ) { fixture in
      // A day above the twelfth, and an hour of one digit.
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      let month = calendar.dateInterval(of: .month, for: fixture.now + 40 * 86_400)
      let date = try #require(month?.start).addingTimeInterval(21 * 86_400 + 31_777)
      for pattern in [
        "%a, %d %b %Y %H:%M:%S GMT", "%a, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y",
        "%Y %b %d %H:%M:%S", "%H:%M:%S %Y %d %b", "%b/%d/%Y,%k:%M:%S",
        "%B %e %Y %k:%M:%S", "%eth %b %Yad %H:%M:%Sx", "(%d)[%b]{%Y}\"%H:%M:%S\"",
        "%H:%M:%S %d %b %Y 11:11:11 12 Jan 2001", "%d %b %Y %H:%M:%S:59",
        "\t%d\t%b\t%Y\t%H:%M:%S",
      ] {
        let text = DateParts(date).text(pattern)
        try await fixture.expectDate(text, date)
        try await fixture.expectDate(text.lowercased(), date)
        try await fixture.expectDate(text.uppercased(), date)
      }
      // The first token that matches counts.
      try await fixture.expectPast("22 Nov 07 2035 08:49:37")
    }
    Clause("months", "every month has its English name", from: "RFC 6265bis §5.1.1") { fixture in
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      let start = try #require(calendar.dateInterval(of: .month, for: fixture.now)).start
      for month in 1...12 {
        let first = try #require(calendar.date(byAdding: .month, value: month, to: start))
        let date = first + 10 * 86_400
        try await fixture.expectDate(httpDate(date), date)
      }
    }
    Clause(
      "date-digits", "day, hour, minute and second have one or two digits, a year two to four",
      from: "RFC 6265bis §5.1.1"
    ) { fixture in
      let year = DateParts(fixture.now + 300 * 86_400).text("%Y")
      try await fixture.expectFuture("6 Dec \(year) 8:9:7")
      for text in [
        "006 Dec \(year) 08:49:37", "06 Dec 0\(year) 08:49:37", "06 Dec \(year) 008:49:37",
        "06 Dec \(year) 08:049:37", "06 Dec \(year) 08:49:037", "06 Dec 9 08:49:37",
        "06 De \(year) 08:49:37", "06 12 \(year) 08:49:37", "06 Dec \(year) 08:49",
        "06 Dec \(year) 08.49.37", "06 Dec \(year) x08:49:37", "06 Dec \(year) 08::49:37",
      ] {
        try await fixture.expectNoDate(text)
      }
    }
    Clause(
      "two-digit-years", "years 70 to 99 are in the 1900s, years 00 to 69 in the 2000s",
      from: "RFC 6265bis §5.1.1"
    ) { fixture in
      for year in ["70", "71", "99", "00", "01"] {
        try await fixture.expectPast("01 Jan \(year) 00:00:00 GMT")
      }
      try await fixture.expectFuture("01 Jan 69 00:00:00 GMT")
      let soon = fixture.now + 300 * 86_400
      try await fixture.expectDate(DateParts(soon).text("%d-%b-%y %H:%M:%S GMT"), soon)
    }
    Clause(
      "two-digit-years-exactly", "year 69 is 2069, 70 is 1970, 99 is 1999 and 00 is 2000",
      from: "RFC 6265bis §5.1.1", requires: .configurablePolicy, .controllableClock
    ) { fixture in
      fixture.clock.now = Date(timeIntervalSince1970: -86_400)
      let older = try await fixture.opening(.rfc6265)
      for (text, seconds) in [
        ("00", 946_684_800.0), ("69", 3_124_224_000), ("70", 0), ("99", 915_148_800),
        ("1999", 915_148_800), ("2000", 946_684_800),
      ] {
        let cookie = try await older.set("a=1; Expires=01 Jan \(text) 00:00:00")
        checkEqual(
          cookie.expires, Date(timeIntervalSince1970: seconds), "the expiry of year \(text)")
      }
    }
    Clause(
      "leap-years", "dates count the leap days of the Gregorian calendar",
      from: "RFC 6265bis §5.1.1", requires: .configurablePolicy, .controllableClock
    ) { fixture in
      fixture.clock.now = Date(timeIntervalSince1970: -86_400)
      let older = try await fixture.opening(.rfc6265)
      for (text, seconds) in [
        ("29 Feb 2000", 951_782_400.0), ("01 Mar 2000", 951_868_800),
        ("06 Nov 2003", 1_068_076_800),
        ("06 Nov 2016", 1_478_390_400), ("28 Feb 2100", 4_107_456_000),
        ("01 Mar 2100", 4_107_542_400), ("01 Mar 2400", 13_574_649_600),
      ] {
        let cookie = try await older.set("a=1; Expires=\(text) 00:00:00")
        checkEqual(cookie.expires, Date(timeIntervalSince1970: seconds), "the expiry on \(text)")
      }
    }
    Clause(
      "first-year", "a date before 1601 is invalid", from: "RFC 6265bis §5.1.1"
    ) { fixture in
      for year in ["1600", "100", "999", "1000"] {
        try await fixture.expectNoDate("31 Dec \(year) 23:59:59")
      }
      try await fixture.expectPast("01 Jan 1601 00:00:00")
    }
    Clause(
      "time-of-day", "a time is between 00:00:00 and 23:59:59", from: "RFC 6265bis §5.1.1"
    ) { fixture in
      let day = DateParts(fixture.now + 86_400 * 50).text("%d %b %Y")
      for time in [
        "24:00:00", "23:60:00", "23:59:60", "99:00:00", "00:99:00", "00:00:99", ":00:00", "12::00",
        "12:00:", "1x:00:00", "12:0x:00",
      ] {
        try await fixture.expectNoDate("\(day) \(time)")
      }
      for time in ["00:00:00", "23:59:59"] { try await fixture.expectFuture("\(day) \(time)") }
    }
    Clause(
      "calendar-days", "a day that its month doesn't have is invalid", from: "RFC 6265bis §5.1.1"
    ) { fixture in
      for day in [
        "30 Feb 2036", "29 Feb 2035", "29 Feb 2100", "31 Apr 2035", "31 Jun 2035", "31 Sep 2035",
        "31 Nov 2035", "32 Dec 2035", "00 Dec 2035",
      ] {
        try await fixture.expectNoDate("\(day) 12:00:00")
      }
      for day in [
        "29 Feb 2036", "28 Feb 2035", "29 Feb 2400", "30 Apr 2035", "31 Dec 2035", "01 Dec 2035",
      ] {
        try await fixture.expectFuture("\(day) 12:00:00")
      }
    }
    Clause(
      "time-zones", "every date is in UTC, whatever time zone it names", from: "RFC 6265bis §5.1.1"
    ) { fixture in
      let date = fixture.now + 90_000
      for zone in ["GMT", "UTC", "PST", "EST", "CEST", "+0100", "-0800", "Z", ""] {
        try await fixture.expectDate(DateParts(date).text("%d %b %Y %H:%M:%S \(zone)"), date)
      }
    }
    Clause(
      "bad-date", "an Expires without a date is ignored and doesn't override an earlier one",
      from: "RFC 6265bis §5.6.1"
    ) { fixture in
      for text in ["", "tomorrow", "0", "-1", "1 Jan", "12:00:00", "1800000000", "20350101"] {
        try await fixture.expectNoDate(text)
      }
      checkEqual(
        try await fixture.set("a=1; Expires").expires, nil, "the expiry of a bare Expires")
      let cookie = try await fixture.set(
        "b=1; Expires=\(httpDate(fixture.now + 3600)); Expires=never")
      checkExpiry(of: cookie, near: fixture.now + 3600, "a date, then Expires=never")
    }
  }
}
