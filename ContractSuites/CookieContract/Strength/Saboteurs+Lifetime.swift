import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var lifetime: [Saboteur] {
    flawed(
      "later-lifetime", "lets a later Expires override Max-Age", caughtBy: "max-age-first",
      saying: "it expires at"
    ) {
      $0.line = { line, _ in
        guard let age = line.range(of: "Max-Age"), let date = line.range(of: "Expires"),
          age.lowerBound < date.lowerBound
        else { return line }
        return line.rewriting("Max-Age") { _ in nil }
      }
    }
    flawed(
      "zero-is-session", "treats Max-Age=0 as absent", caughtBy: "max-age-deletes",
      saying: "expected nothing stored"
    ) { $0.line = { line, _ in line.rewriting("Max-Age") { $0 == "0" ? nil : $0 } } }
    flawed(
      "negative-is-bad", "ignores a negative Max-Age", caughtBy: "max-age-deletes",
      saying: "Max-Age=-1"
    ) { $0.line = { line, _ in line.rewriting("Max-Age") { $0.hasPrefix("-") ? nil : $0 } } }
    flawed(
      "one-second-less", "expires a cookie one second before its Max-Age",
      caughtBy: "max-age-exactly", "expiry-instant"
    ) { $0.admitted = { cookie, _ in cookie.expires? -= 1 } }
    flawed(
      "plus-sign", "accepts a plus sign in Max-Age", caughtBy: "bad-max-age",
      saying: "Max-Age=+60"
    ) { $0.line = { line, _ in line.rewriting("Max-Age") { $0 == "+60" ? "60" : $0 } } }
    flawed(
      "leading-digits", "accepts a Max-Age that begins with digits", caughtBy: "bad-max-age",
      saying: "the expiry of Max-Age=1.5"
    ) {
      $0.line = { line, _ in
        line.rewriting("Max-Age") {
          let digits = $0.prefix { $0.isASCII && $0.isNumber }
          return digits.isEmpty ? $0 : String(digits)
        }
      }
    }
    flawed(
      "overflow", "ignores a Max-Age beyond 64 bits", caughtBy: "huge-max-age",
      saying: "expected an expiry in more than 300 days"
    ) { $0.line = { line, _ in line.rewriting("Max-Age") { Int($0) == nil ? "" : $0 } } }
    flawed(
      "wraps-around", "computes Max-Age modulo 2^32", caughtBy: "huge-max-age"
    ) {
      $0.line = { line, _ in
        line.rewriting("Max-Age") {
          Int($0).map { String(Int32(truncatingIfNeeded: $0)) } ?? $0
        }
      }
    }
    flawed(
      "expires-unlimited", "applies the 400-day limit to Max-Age only", caughtBy: "longest-life",
      "longest-life-exactly"
    ) {
      $0.admitted = { cookie, received in
        guard received.values(of: "Max-Age").isEmpty else { return }
        cookie.expires = received.cookie { $2.profile = .rfc6265 }?.expires
      }
    }
    flawed(
      "a-day-too-long", "limits lifetimes to 400 days and one second",
      caughtBy: "longest-life-exactly",
      saying: "400 d"
    ) {
      $0.admitted = { cookie, received in
        guard let asked = received.cookie({ $2.profile = .rfc6265 })?.expires else { return }
        cookie.expires = min(asked, received.now + 400 * 86_400 + 1)
      }
    }
    flawed(
      "limits-old-lives", "limits lifetimes in RFC 6265 too", caughtBy: "longest-life-rfc6265",
      saying: "500 days"
    ) {
      $0.admitted = { cookie, received in
        cookie.expires = cookie.expires.map { min($0, received.now + 400 * 86_400) }
      }
    }
    flawed(
      "no-session", "keeps session cookies for a month", caughtBy: "session-cookie",
      "session-outlasts"
    ) { $0.admitted = { $0.expires = $0.expires ?? $1.now + 30 * 86_400 } }
    flawed(
      "shows-expired", "returns expired cookies until the next cookie is stored",
      caughtBy: "expired-hidden", "expiry-instant"
    ) { $0.returnsExpired = true }
    flawed(
      "keeps-expired", "hides expired cookies but doesn't remove them", caughtBy: "expired-evicted",
      "eviction-order"
    ) { $0.removesExpiredOnStore = false }
    flawed(
      "restores-beside-expired", "leaves expired cookies in place when cookies are restored",
      caughtBy: "restore-expired", saying: "the count after restoring is 1"
    ) { $0.removesExpiredOnRestore = false }
    flawed(
      "no-deletion", "ignores a cookie that has expired on received", caughtBy: "expired-overwrite",
      "max-age-deletes", "new-creation"
    ) { $0.deletesOnExpiredLine = false }
    flawed(
      "lives-at-expiry", "returns a cookie at the instant of its expiry",
      caughtBy: "expiry-instant"
    ) { $0.hasExpired = { cookie, now in cookie.expires.map { $0 < now } ?? false } }
    flawed(
      "clock-alone", "orders cookies by the clock only", caughtBy: "clock-backwards",
      "clock-back-after-restore"
    ) { $0.orderByClockOnly() }
    flawed(
      "year-ten-thousand", "lets cookies expire after the year 9999", caughtBy: "last-year",
      saying: "the expiry of Max-Age=999999999999"
    ) {
      $0.admitted = { cookie, _ in
        if let expires = cookie.expires, expires > .distantFuture { cookie.expires = expires + 1 }
      }
    }
    flawed(
      "some-seconds-back", "notices only that the clock goes back by more than 5 s",
      caughtBy: "clock-back-between", saying: "the creation after the clock went back by 5 s"
    ) { $0.creation = { now, latest in latest.map { $0 > now + 5 ? $0 : now } ?? now } }
    flawed(
      "first-wave-only", "removes expired cookies only once", caughtBy: "expired-in-waves",
      saying: "the count of the second wave is 0"
    ) { $0.expiryWaves = 1 }
    flawed(
      "remembers-removed", "never sets a creation before that of a removed cookie",
      caughtBy: "clock-back-after-removal", "clock-back-after-overwrite",
      saying: "the creation after"
    ) { $0.latestCreation = .ofReplacingToo }
    flawed(
      "remembers-deleted", "never sets a creation before that of a deleted cookie",
      caughtBy: "clock-back-after-removal", saying: "the creation after its deletion"
    ) { $0.latestCreation = .ofRemovedToo }
  }
}
