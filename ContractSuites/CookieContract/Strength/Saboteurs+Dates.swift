import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var dates: [Saboteur] {
    flawed(
      "day-before-month", "requires the day before the month", caughtBy: "date-order",
      saying: "it expires at nothing"
    ) {
      $0.line = { line, _ in
        line.rewriting("Expires") { $0.contains(/[A-Za-z]{3}[ \/]\d\d[ \/,]/) ? "?" : $0 }
      }
    }
    flawed(
      "month-as-written", "accepts month names in mixed case only", caughtBy: "date-order",
      saying: "it expires at nothing"
    ) {
      $0.line = { line, _ in
        line.rewriting("Expires") { $0.contains(/[A-Z][a-z]{2}/) ? $0 : "?" }
      }
    }
    flawed(
      "no-january", "does not know January", caughtBy: "months", saying: "it expires at nothing"
    ) {
      $0.line = { line, _ in line.rewriting("Expires") { $0.contains("Jan") ? "?" : $0 } }
    }
    flawed(
      "empty-fields-left-out", "leaves out an empty field of a time", caughtBy: "date-digits",
      saying: "is no date"
    ) { $0.line = { line, _ in line.rewriting("Expires") { $0.replacing("::", with: ":") } } }
    flawed(
      "three-digit-day", "reads the last two digits of a three-digit day", caughtBy: "date-digits",
      saying: "is no date"
    ) { $0.line = { line, _ in line.rewriting("Expires") { $0.replacing("006 ", with: "06 ") } } }
    flawed(
      "sixty-nine-is-past", "reads year 69 as 1969", caughtBy: "two-digit-years",
      "two-digit-years-exactly"
    ) {
      $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(" 69 ", with: " 1969 ") } }
    }
    flawed(
      "seventy-is-to-come", "reads year 70 as 2070", caughtBy: "two-digit-years",
      "two-digit-years-exactly"
    ) {
      $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(" 70 ", with: " 2070 ") } }
    }
    flawed(
      "ninety-nine-is-ninety-eight", "reads year 99 as 1998", caughtBy: "two-digit-years-exactly",
      saying: "the expiry of year 99"
    ) {
      $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(" 99 ", with: " 1998 ") } }
    }
    flawed(
      "every-fourth-year", "has a leap day in 2100", caughtBy: "leap-years",
      saying: "the expiry on 01 Mar 2100"
    ) {
      $0.admitted = { cookie, received in
        if received.line.contains("Mar 2100") { cookie.expires? += 86_400 }
      }
    }
    flawed("year-1600", "accepts the year 1600", caughtBy: "first-year") {
      $0.line = { line, _ in line.rewriting("Expires") { $0.replacing("1600", with: "1601") } }
    }
    flawed(
      "leap-second", "accepts 60 as a second", caughtBy: "time-of-day", saying: "is no date"
    ) {
      $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(":59:60", with: ":59:59") }
      }
    }
    flawed(
      "rolls-over", "reads 30 February as a day in March", caughtBy: "calendar-days",
      saying: "is no date"
    ) {
      $0.line = { line, _ in line.rewriting("Expires") { $0.replacing("30 Feb", with: "01 Mar") }
      }
    }
    flawed(
      "leap-centuries", "treats every fourth year as a leap year", caughtBy: "calendar-days",
      saying: "29 Feb 2100"
    ) {
      $0.line = { line, _ in
        line.rewriting("Expires") { $0.replacing("29 Feb 2100", with: "01 Mar 2100") }
      }
    }
    flawed(
      "zones", "honors the time zone PST", caughtBy: "time-zones", saying: "PST: it expires at"
    ) {
      $0.admitted = { cookie, received in
        if received.line.contains("PST") { cookie.expires?.addTimeInterval(8 * 3600) }
      }
    }
    flawed(
      "zero-is-the-past", "treats Expires=0 as a past date, as caches do", caughtBy: "bad-date"
    ) {
      $0.line = { line, _ in
        line.rewriting("Expires") { $0 == "0" ? "01 Jan 1970 00:00:00" : $0 }
      }
    }
    flawed(
      "bad-date-undoes", "lets an invalid date override an earlier one", caughtBy: "bad-date",
      saying: "a date, then Expires=never"
    ) {
      $0.admitted = { cookie, received in
        if received.values(of: "Expires").last == "never" { cookie.expires = nil }
      }
    }
  }
}
