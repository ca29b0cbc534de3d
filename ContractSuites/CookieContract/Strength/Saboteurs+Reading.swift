import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var parsing: [Saboteur] {
    Saboteur(
      "delete-character", "lets the control character DEL through",
      caughtBy: "control-characters", saying: "expected it refused as controlCharacter"
    ) {
      try await .flawed(in: $0) { $0.line = { line, _ in line.replacing("\u{7F}", with: "") } }
    }
    Saboteur(
      "no-tab", "takes TAB for a control character like others", caughtBy: "control-characters",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, _ in cookie.value.contains("\t") ? .controlCharacter : nil }
      }
    }
    Saboteur(
      "empty-value-runs-on", "goes on past the first semicolon where the value is empty",
      caughtBy: "first-semicolon", saying: "the value of c=;d=2"
    ) {
      try await .flawed(in: $0) { $0.line = { line, _ in line.replacing("=;", with: "=") } }
    }
    Saboteur(
      "last-equals", "ends the name at the last equals sign", caughtBy: "first-equals",
      saying: "the name of a=b=c"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          guard !cookie.name.isEmpty, let sign = cookie.value.lastIndex(of: "=") else { return }
          cookie.name += "=" + cookie.value[..<sign]
          cookie.value = String(cookie.value[cookie.value.index(after: sign)...])
        }
      }
    }
    Saboteur(
      "bare-flags", "heeds Secure and HttpOnly only without a value", caughtBy: "flag-values",
      saying: "isSecure with 'Secure='"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if arrival.line.contains("Secure=") { cookie.isSecure = false }
          if arrival.line.contains("HttpOnly=") { cookie.isHTTPOnly = false }
        }
      }
    }
    Saboteur(
      "true-flags", "takes 0 and FALSE for no flag", caughtBy: "flag-values",
      saying: "isHTTPOnly with 'HttpOnly=0'"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          let values = arrival.values(of: "HttpOnly").map { $0.lowercased() }
          if values.contains(where: ["0", "false"].contains) { cookie.isHTTPOnly = false }
        }
      }
    }
    Saboteur(
      "counts-otherwise", "finds the value by counting letters in another unit",
      caughtBy: "long-letters", saying: "the value of 🍪"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          cookie.value.removeFirst(
            min(cookie.value.count, cookie.name.utf16.count - cookie.name.count))
        }
      }
    }
    Saboteur(
      "letters-need-value", "refuses an empty value under a name of long letters",
      caughtBy: "long-letters-empty", saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, _ in
          let isLong = cookie.name.utf16.count > cookie.name.count
          return isLong && cookie.value.isEmpty ? .tooLarge : nil
        }
      }
    }
    Saboteur(
      "signs-by-letter", "looks for signs among letters, not octets", caughtBy: "joined-signs",
      saying: "the value before a semicolon"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          let pair = arrival.line.split(separator: ";" as Character, maxSplits: 1)[0]
          let value = pair.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false
          ).last
          if pair.utf8.count > "\(cookie.name)=\(cookie.value)".utf8.count, let value {
            cookie.value = String(value)
          }
        }
      }
    }
    Saboteur(
      "bare-name", "takes a pair without an equals sign for a name without a value",
      caughtBy: "nameless", "nameless-header"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          guard cookie.name.isEmpty, arrival.line.first != "=" else { return }
          swap(&cookie.name, &cookie.value)
        }
      }
    }
    Saboteur(
      "nameless-always", "keeps nameless cookies in RFC 6265 too", caughtBy: "nameless-rfc6265",
      saying: "expected it refused as missingName"
    ) {
      try await .flawed(in: $0) {
        $0.pardon = { rejection, arrival in
          guard rejection == .missingName else { return nil }
          return arrival.admitted { _, _, policy in policy.profile = .rfc6265bis }
        }
      }
    }
    Saboteur(
      "trims-unicode", "trims every Unicode white space", caughtBy: "white-space",
      saying: "between other Unicode spaces"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          cookie.value = cookie.value.trimmingCharacters(in: .whitespacesAndNewlines)
        }
      }
    }
    Saboteur(
      "collapses-space", "makes one space of several in a value", caughtBy: "white-space"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          cookie.value = cookie.value.split { " \t".contains($0) }.joined(separator: " ")
        }
      }
    }
    Saboteur(
      "nothing-is-something", "keeps a cookie with neither name nor value",
      caughtBy: "empty-cookie", saying: "expected it refused as emptyNameAndValue"
    ) {
      try await .flawed(in: $0) {
        $0.pardon = { rejection, arrival in
          guard rejection == .emptyNameAndValue else { return nil }
          var cookie = arrival.admitted { line, _, _ in line = "x" + line }
          cookie?.name = ""
          cookie?.value = ""
          return cookie
        }
      }
    }
    Saboteur(
      "counts-characters", "counts characters where octets are meant", caughtBy: "pair-size",
      saying: "expected it refused as tooLarge"
    ) {
      try await .flawed(in: $0) {
        $0.pardon = { rejection, arrival in
          guard rejection == .tooLarge, arrival.line.count < 4096 else { return nil }
          return arrival.admitted { _, _, policy in policy.profile = .rfc6265 }
        }
      }
    }
    Saboteur(
      "full-is-too-full", "takes 4,095 octets at most", caughtBy: "pair-size",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, _ in
          cookie.name.utf8.count + cookie.value.utf8.count == 4096 ? .tooLarge : nil
        }
      }
    }
    Saboteur(
      "limits-old-cookies", "limits sizes in RFC 6265 too", caughtBy: "pair-size-rfc6265",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, arrival in
          arrival.policy.profile == .rfc6265 && cookie.value.utf8.count > 4096 ? .tooLarge : nil
        }
      }
    }
    Saboteur(
      "attribute-too-long", "heeds attribute values of 1,025 octets", caughtBy: "attribute-size",
      saying: "the path before one of 1025 octets"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          guard let path = arrival.values(of: "Path").last, path.utf8.count == 1025 else { return }
          cookie.path = path
        }
      }
    }
    Saboteur(
      "attribute-too-short", "ignores attribute values of 1,024 octets",
      caughtBy: "attribute-size", saying: "the path of 1024 octets"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, policy in
          guard policy.profile == .rfc6265bis else { return line }
          return line.rewriting("Path") { $0.utf8.count == 1024 ? nil : $0 }
        }
      }
    }
    Saboteur(
      "decodes-percent", "decodes percent forms in values", caughtBy: "percent-forms",
      saying: "the value"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          cookie.value = cookie.value.replacing("%41", with: "A")
        }
      }
    }
    Saboteur(
      "strips-quotes", "takes the quotes off a quoted value", caughtBy: "quotes",
      saying: "the quoted value"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          guard cookie.value.count > 1, cookie.value.first == "\"", cookie.value.last == "\"" else {
            return
          }
          cookie.value = String(cookie.value.dropFirst().dropLast())
        }
      }
    }
    Saboteur("splits-at-commas", "ends a cookie at a comma", caughtBy: "comma", saying: "a=1,b=2") {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          cookie.value = String(cookie.value.prefix { $0 != "," })
        }
      }
    }
    Saboteur(
      "attributes-by-prefix", "takes every attribute that begins with Secure for Secure",
      caughtBy: "unknown-attributes", saying: "isSecure"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if arrival.line.contains("; Secured") { cookie.isSecure = true }
        }
      }
    }
    Saboteur(
      "attributes-as-written", "knows HttpOnly only as it is usually written",
      caughtBy: "attribute-case", saying: "isHTTPOnly"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if !arrival.line.contains("HttpOnly") { cookie.isHTTPOnly = false }
        }
      }
    }
    Saboteur(
      "first-path", "heeds the first Path of several", caughtBy: "last-attribute",
      saying: "the path of"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          var isFirst = true
          return line.rewriting("Path") {
            defer { isFirst = false }
            return isFirst ? $0 : nil
          }
        }
      }
    }
    Saboteur(
      "secure-undone", "lets Secure=false undo Secure", caughtBy: "last-attribute",
      saying: "isSecure of Secure; Secure=false"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if arrival.values(of: "Secure").last == "false" { cookie.isSecure = false }
        }
      }
    }
    Saboteur(
      "latin-1", "reads octets as Latin-1", caughtBy: "non-ascii", saying: "the value is"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          cookie.value = String(String.UnicodeScalarView(cookie.value.utf8.map(UnicodeScalar.init)))
        }
      }
    }
    Saboteur(
      "safe-methods-only", "takes no cookie from an answer to an unsafe method",
      caughtBy: "any-response"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { _, arrival in arrival.request.isSafeMethod ? nil : .crossSite }
      }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var dates: [Saboteur] {
    Saboteur(
      "day-before-month", "wants the day before the month", caughtBy: "date-order",
      saying: "it expires at nothing"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          line.rewriting("Expires") { $0.contains(/[A-Za-z]{3}[ \/]\d\d[ \/,]/) ? "?" : $0 }
        }
      }
    }
    Saboteur(
      "month-as-written", "knows months in mixed case only", caughtBy: "date-order",
      saying: "it expires at nothing"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          line.rewriting("Expires") { $0.contains(/[A-Z][a-z]{2}/) ? $0 : "?" }
        }
      }
    }
    Saboteur(
      "three-digit-day", "takes the last two of three digits for a day", caughtBy: "date-digits",
      saying: "is no date"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Expires") { $0.replacing("006 ", with: "06 ") } }
      }
    }
    Saboteur(
      "sixty-nine-is-past", "reads year 69 as 1969", caughtBy: "two-digit-years",
      "two-digit-years-exactly"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(" 69 ", with: " 1969 ") } }
      }
    }
    Saboteur(
      "seventy-is-to-come", "reads year 70 as 2070", caughtBy: "two-digit-years",
      "two-digit-years-exactly"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(" 70 ", with: " 2070 ") } }
      }
    }
    Saboteur(
      "ninety-nine-is-ninety-eight", "reads year 99 as 1998", caughtBy: "two-digit-years-exactly",
      saying: "the expiry of year 99"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(" 99 ", with: " 1998 ") } }
      }
    }
    Saboteur("year-1600", "takes 1600 for a year", caughtBy: "first-year") {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Expires") { $0.replacing("1600", with: "1601") } }
      }
    }
    Saboteur(
      "leap-second", "takes the sixtieth second", caughtBy: "time-of-day", saying: "is no date"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Expires") { $0.replacing(":59:60", with: ":59:59") }
        }
      }
    }
    Saboteur(
      "rolls-over", "reads 30 February as a day in March", caughtBy: "calendar-days",
      saying: "is no date"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Expires") { $0.replacing("30 Feb", with: "01 Mar") }
        }
      }
    }
    Saboteur(
      "leap-centuries", "takes every fourth year for a leap year", caughtBy: "calendar-days",
      saying: "29 Feb 2100"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          line.rewriting("Expires") { $0.replacing("29 Feb 2100", with: "01 Mar 2100") }
        }
      }
    }
    Saboteur("zones", "heeds the zone PST", caughtBy: "time-zones", saying: "PST: it expires at") {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if arrival.line.contains("PST") { cookie.expires?.addTimeInterval(8 * 3600) }
        }
      }
    }
    Saboteur(
      "zero-is-the-past", "takes Expires=0 for the past, as caches do", caughtBy: "bad-date"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          line.rewriting("Expires") { $0 == "0" ? "01 Jan 1970 00:00:00" : $0 }
        }
      }
    }
    Saboteur(
      "bad-date-undoes", "lets a bad date undo an earlier one", caughtBy: "bad-date",
      saying: "a date, then Expires=never"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if arrival.values(of: "Expires").last == "never" { cookie.expires = nil }
        }
      }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var lifetime: [Saboteur] {
    Saboteur(
      "later-lifetime", "lets Max-Age lose to a later Expires", caughtBy: "max-age-first",
      saying: "it expires at"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          guard let age = line.range(of: "Max-Age"), let date = line.range(of: "Expires"),
            age.lowerBound < date.lowerBound
          else { return line }
          return line.rewriting("Max-Age") { _ in nil }
        }
      }
    }
    Saboteur(
      "zero-is-session", "takes Max-Age=0 for none", caughtBy: "max-age-deletes",
      saying: "expected nothing stored"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Max-Age") { $0 == "0" ? nil : $0 } }
      }
    }
    Saboteur(
      "negative-is-bad", "ignores a negative Max-Age", caughtBy: "max-age-deletes",
      saying: "Max-Age=-1"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Max-Age") { $0.hasPrefix("-") ? nil : $0 } }
      }
    }
    Saboteur(
      "one-second-less", "lets a cookie live a second less than its Max-Age",
      caughtBy: "max-age-exactly", "expiry-instant"
    ) {
      try await .flawed(in: $0) { $0.admitted = { cookie, _ in cookie.expires? -= 1 } }
    }
    Saboteur(
      "plus-sign", "takes a plus sign before a Max-Age", caughtBy: "bad-max-age",
      saying: "Max-Age=+60"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Max-Age") { $0 == "+60" ? "60" : $0 } }
      }
    }
    Saboteur(
      "leading-digits", "takes the digits that a Max-Age begins with", caughtBy: "bad-max-age",
      saying: "the expiry of Max-Age=1.5"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          line.rewriting("Max-Age") {
            let digits = $0.prefix { $0.isASCII && $0.isNumber }
            return digits.isEmpty ? $0 : String(digits)
          }
        }
      }
    }
    Saboteur(
      "overflow", "ignores a Max-Age beyond 64 bits", caughtBy: "huge-max-age",
      saying: "expected an expiry far ahead"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Max-Age") { Int($0) == nil ? "" : $0 } }
      }
    }
    Saboteur(
      "wraps-around", "takes a Max-Age modulo 2^32", caughtBy: "huge-max-age"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          line.rewriting("Max-Age") {
            Int($0).map { String(Int32(truncatingIfNeeded: $0)) } ?? $0
          }
        }
      }
    }
    Saboteur(
      "expires-unlimited", "limits Max-Age alone to 400 days", caughtBy: "longest-life",
      "longest-life-exactly"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          guard arrival.values(of: "Max-Age").isEmpty else { return }
          cookie.expires = arrival.admitted { $2.profile = .rfc6265 }?.expires
        }
      }
    }
    Saboteur(
      "a-day-too-long", "limits lives to 400 days and a second", caughtBy: "longest-life-exactly",
      saying: "400 d"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          guard let asked = arrival.admitted({ $2.profile = .rfc6265 })?.expires else { return }
          cookie.expires = min(asked, arrival.now + 400 * 86_400 + 1)
        }
      }
    }
    Saboteur(
      "limits-old-lives", "limits lives in RFC 6265 too", caughtBy: "longest-life-rfc6265",
      saying: "500 days"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          cookie.expires = cookie.expires.map { min($0, arrival.now + 400 * 86_400) }
        }
      }
    }
    Saboteur(
      "no-session", "keeps session cookies for a month", caughtBy: "session-cookie",
      "session-outlasts"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { $0.expires = $0.expires ?? $1.now + 30 * 86_400 }
      }
    }
    Saboteur(
      "shows-expired", "gives expired cookies back until the next is stored",
      caughtBy: "expired-hidden", "expiry-instant"
    ) {
      try await .flawed(in: $0) { $0.showsExpired = true }
    }
    Saboteur(
      "keeps-expired", "hides expired cookies and keeps them", caughtBy: "expired-evicted",
      "eviction-order"
    ) {
      try await .flawed(in: $0) { $0.evictsExpired = false }
    }
    Saboteur(
      "no-deletion", "ignores a cookie that has expired on arrival", caughtBy: "expired-overwrite",
      "max-age-deletes", "new-creation"
    ) {
      try await .flawed(in: $0) { $0.deletesByExpiry = false }
    }
    Saboteur(
      "lives-at-expiry", "lets a cookie live through the instant of its expiry",
      caughtBy: "expiry-instant"
    ) {
      try await .flawed(in: $0) {
        $0.hasExpired = { cookie, now in cookie.expires.map { $0 < now } ?? false }
      }
    }
    Saboteur(
      "clock-alone", "goes by the clock alone", caughtBy: "clock-backwards"
    ) {
      try await .flawed(in: $0) { $0.goByClockAlone() }
    }
  }
}

extension Flaws {
  /// Orders cookies by what the clock showed when they came.
  mutating func goByClockAlone() {
    creation = { now, _ in now }
    leads = {
      $0.path.utf8.count == $1.path.utf8.count
        ? $0.creation < $1.creation : $0.path.utf8.count > $1.path.utf8.count
    }
    listed = { $0.sort { $0.creation < $1.creation } }
  }
}
