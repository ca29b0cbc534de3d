import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var parsing: [Saboteur] {
    flawed(
      "delete-character", "accepts the control character DEL",
      caughtBy: "control-characters", saying: "expected it rejected as controlCharacter"
    ) { $0.line = { line, _ in line.replacing("\u{7F}", with: "") } }
    flawed(
      "no-tab", "rejects TAB like other control characters", caughtBy: "control-characters",
      saying: "expected it stored"
    ) { $0.rejectAdmitted = { cookie, _ in cookie.value.contains("\t") ? .controlCharacter : nil } }
    flawed(
      "empty-value-runs-on", "reads past the first semicolon if the value is empty",
      caughtBy: "first-semicolon", saying: "the value of c=;d=2"
    ) { $0.line = { line, _ in line.replacing("=;", with: "=") } }
    flawed(
      "last-equals", "ends the name at the last equals sign", caughtBy: "first-equals",
      saying: "the name of a=b=c"
    ) {
      $0.admitted = { cookie, _ in
        guard !cookie.name.isEmpty, let sign = cookie.value.lastIndex(of: "=") else { return }
        cookie.name += "=" + cookie.value[..<sign]
        cookie.value = String(cookie.value[cookie.value.index(after: sign)...])
      }
    }
    flawed(
      "bare-flags", "accepts Secure and HttpOnly only without a value", caughtBy: "flag-values",
      saying: "isSecure with 'Secure='"
    ) {
      $0.admitted = { cookie, received in
        if received.line.contains("Secure=") { cookie.isSecure = false }
        if received.line.contains("HttpOnly=") { cookie.isHTTPOnly = false }
      }
    }
    flawed(
      "true-flags", "treats HttpOnly=0 and HttpOnly=FALSE as absent", caughtBy: "flag-values",
      saying: "isHTTPOnly with 'HttpOnly=0'"
    ) {
      $0.admitted = { cookie, received in
        let values = received.values(of: "HttpOnly").map { $0.lowercased() }
        if values.contains(where: ["0", "false"].contains) { cookie.isHTTPOnly = false }
      }
    }
    flawed(
      "counts-otherwise", "locates the value by a length in another text unit",
      caughtBy: "long-letters", saying: "the value of 🍪"
    ) {
      $0.admitted = { cookie, _ in
        cookie.value.removeFirst(
          min(cookie.value.count, cookie.name.utf16.count - cookie.name.count))
      }
    }
    flawed(
      "letters-need-value", "rejects an empty value if the name has multi-unit characters",
      caughtBy: "long-letters-empty", saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, _ in
        let isLong = cookie.name.utf16.count > cookie.name.count
        return isLong && cookie.value.isEmpty ? .tooLarge : nil
      }
    }
    flawed(
      "signs-by-letter", "searches for separators by character, not by byte",
      caughtBy: "joined-signs",
      saying: "the value before a semicolon"
    ) {
      $0.admitted = { cookie, received in
        let pair = received.line.split(separator: ";" as Character, maxSplits: 1)[0]
        let value = pair.split(
          separator: "=", maxSplits: 1, omittingEmptySubsequences: false
        ).last
        if pair.utf8.count > "\(cookie.name)=\(cookie.value)".utf8.count, let value {
          cookie.value = String(value)
        }
      }
    }
    flawed(
      "bare-name", "treats a pair without an equals sign as a name without a value",
      caughtBy: "nameless", "nameless-header"
    ) {
      $0.admitted = { cookie, received in
        guard cookie.name.isEmpty, received.line.first != "=" else { return }
        swap(&cookie.name, &cookie.value)
      }
    }
    flawed(
      "nameless-always", "keeps nameless cookies in RFC 6265 too", caughtBy: "nameless-rfc6265",
      saying: "expected it rejected as missingName"
    ) {
      $0.admitRejected = { rejection, received in
        guard rejection == .missingName else { return nil }
        return received.cookie { _, _, policy in policy.profile = .rfc6265bis }
      }
    }
    flawed(
      "trims-unicode", "trims every Unicode white space", caughtBy: "white-space",
      saying: "between other Unicode spaces"
    ) {
      $0.admitted = { cookie, _ in
        cookie.value = cookie.value.trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
    flawed(
      "collapses-space", "collapses runs of spaces in a value", caughtBy: "white-space"
    ) {
      $0.admitted = { cookie, _ in
        cookie.value = cookie.value.split { " \t".contains($0) }.joined(separator: " ")
      }
    }
    flawed(
      "nothing-is-something", "keeps a cookie with neither name nor value",
      caughtBy: "empty-cookie", saying: "expected it rejected as emptyNameAndValue"
    ) {
      $0.admitRejected = { rejection, received in
        guard rejection == .emptyNameAndValue else { return nil }
        var cookie = received.cookie { line, _, _ in line = "x" + line }
        cookie?.name = ""
        cookie?.value = ""
        return cookie
      }
    }
    flawed(
      "counts-characters", "counts characters instead of bytes", caughtBy: "pair-size",
      saying: "expected it rejected as tooLarge"
    ) {
      $0.admitRejected = { rejection, received in
        guard rejection == .tooLarge, received.line.count < 4096 else { return nil }
        return received.cookie { _, _, policy in policy.profile = .rfc6265 }
      }
    }
    flawed(
      "full-is-too-full", "accepts at most 4,095 bytes", caughtBy: "pair-size",
      saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, _ in
        cookie.name.utf8.count + cookie.value.utf8.count == 4096 ? .tooLarge : nil
      }
    }
    flawed(
      "limits-old-cookies", "limits sizes in RFC 6265 too", caughtBy: "pair-size-rfc6265",
      saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, received in
        received.policy.profile == .rfc6265 && cookie.value.utf8.count > 4096 ? .tooLarge : nil
      }
    }
    flawed(
      "attribute-too-long", "accepts attribute values of 1,025 bytes", caughtBy: "attribute-size",
      saying: "the path before one of 1025 bytes"
    ) {
      $0.admitted = { cookie, received in
        guard let path = received.values(of: "Path").last, path.utf8.count == 1025 else { return }
        cookie.path = path
      }
    }
    flawed(
      "attribute-too-short", "ignores attribute values of 1,024 bytes",
      caughtBy: "attribute-size", saying: "the path of 1024 bytes"
    ) {
      $0.line = { line, policy in
        guard policy.profile == .rfc6265bis else { return line }
        return line.rewriting("Path") { $0.utf8.count == 1024 ? nil : $0 }
      }
    }
    flawed(
      "decodes-percent", "percent-decodes values", caughtBy: "percent-forms",
      saying: "the value"
    ) {
      $0.admitted = { cookie, _ in
        cookie.value = cookie.value.replacing("%41", with: "A")
      }
    }
    flawed(
      "strips-quotes", "strips the quotes from a quoted value", caughtBy: "quotes",
      saying: "the quoted value"
    ) {
      $0.admitted = { cookie, _ in
        guard cookie.value.count > 1, cookie.value.first == "\"", cookie.value.last == "\"" else {
          return
        }
        cookie.value = String(cookie.value.dropFirst().dropLast())
      }
    }
    flawed("splits-at-commas", "ends a cookie at a comma", caughtBy: "comma", saying: "a=1,b=2") {
      $0.admitted = { cookie, _ in
        cookie.value = String(cookie.value.prefix { $0 != "," })
      }
    }
    flawed(
      "attributes-by-prefix", "treats every attribute that begins with Secure as Secure",
      caughtBy: "unknown-attributes", saying: "isSecure"
    ) {
      $0.admitted = { cookie, received in
        if received.line.contains("; Secured") { cookie.isSecure = true }
      }
    }
    flawed(
      "attributes-as-written", "accepts HttpOnly only in its usual case",
      caughtBy: "attribute-case", saying: "isHTTPOnly"
    ) {
      $0.admitted = { cookie, received in
        if !received.line.contains("HttpOnly") { cookie.isHTTPOnly = false }
      }
    }
    flawed(
      "first-path", "uses the first Path of several", caughtBy: "last-attribute",
      saying: "the path of"
    ) {
      $0.line = { line, _ in
        var isFirst = true
        return line.rewriting("Path") {
          defer { isFirst = false }
          return isFirst ? $0 : nil
        }
      }
    }
    flawed(
      "secure-undone", "lets Secure=false override Secure", caughtBy: "last-attribute",
      saying: "isSecure of Secure; Secure=false"
    ) {
      $0.admitted = { cookie, received in
        if received.values(of: "Secure").last == "false" { cookie.isSecure = false }
      }
    }
    flawed(
      "latin-1", "decodes bytes as Latin-1", caughtBy: "non-ascii", saying: "the value is"
    ) {
      $0.admitted = { cookie, _ in
        cookie.value = String(String.UnicodeScalarView(cookie.value.utf8.map(UnicodeScalar.init)))
      }
    }
    flawed(
      "safe-methods-only", "rejects cookies from responses to unsafe methods",
      caughtBy: "any-response"
    ) { $0.rejectAdmitted = { _, received in received.request.isSafeMethod ? nil : .crossSite } }
    flawed(
      "no-final-comma", "rejects a value that ends in a comma",
      caughtBy: "joined-fields", saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, _ in cookie.value.hasSuffix(",") ? .tooLarge : nil }
    }
    flawed(
      "repairs-octets", "replaces octets that are not UTF-8 by U+FFFD", caughtBy: "raw-octets",
      saying: "the octets of the cookies sent"
    ) {
      $0.line = { line, _ in
        String(
          String.UnicodeScalarView(
            line.unicodeScalars.map { (0x10F780...0x10F7FF).contains($0.value) ? "\u{FFFD}" : $0 }))
      }
    }
    flawed(
      "counts-utf8", "counts the bytes of text in UTF-8 instead of octets", caughtBy: "raw-octets"
    ) {
      $0.rejectAdmitted = { cookie, _ in
        cookie.name.utf8.count + cookie.value.utf8.count > 4096 ? .tooLarge : nil
      }
    }
  }
}
