import ContractTesting
import CookiePort
import Foundation
import Testing

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var parsing: [Clause<CookieStoreFixture>] {
    Clause(
      "control-characters", "a line with a control character other than TAB is rejected",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      for code in Array(0x00...0x08) + Array(0x0A...0x1F) + [0x7F] {
        let control = String(UnicodeScalar(UInt8(code)))
        for line in ["a\(control)b=1", "a=1\(control)2", "a=1; Foo=\(control)", "a=1\(control)"] {
          try await fixture.expectRejection(line, as: .controlCharacter)
        }
      }
      checkSameBytes(try await fixture.set("tab=1\t2").value, "1\t2", "the value with a TAB")
      checkSameBytes(
        try await fixture.set("c1=1\u{85}2").value, "1\u{85}2", "the value with U+0085")
    }
    Clause(
      "first-semicolon", "name and value end at the first semicolon", from: "RFC 6265bis §5.6"
    ) { fixture in
      checkSameBytes(try await fixture.set("a=1;b=2").value, "1", "the value of a=1;b=2")
      checkSameBytes(try await fixture.set("c=;d=2").value, "", "the value of c=;d=2")
      try await fixture.expectAll(["a=1", "c="])
    }
    Clause(
      "first-equals", "the name ends at the first equals sign", from: "RFC 6265bis §5.6"
    ) { fixture in
      for (line, name, value) in [("a=b=c", "a", "b=c"), ("d==", "d", "="), ("=e=f", "", "e=f")] {
        let cookie = try await fixture.set(line)
        checkSameBytes(cookie.name, name, "the name of \(line)")
        checkSameBytes(cookie.value, value, "the value of \(line)")
      }
    }
    Clause(
      "nameless", "a pair without an equals sign is a nameless value",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      let bare = try await fixture.set("token")
      checkSameBytes(bare.name, "", "the name of 'token'")
      checkSameBytes(bare.value, "token", "the value of 'token'")
      try await fixture.set("=other")
      try await fixture.expectAll(["other"])
    }
    Clause(
      "nameless-rfc6265", "in RFC 6265 a pair without a name is rejected",
      from: "RFC 6265 §5.2", requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      for line in ["token", "=token", " =token", "", "="] {
        try await older.expectRejection(line, as: .missingName)
      }
      try await older.set("a=")
    }
    Clause(
      "white-space", "spaces and TABs around names and values are stripped, inner ones are kept",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      let cookie = try await fixture.set(" \ta b\t = \t1 \t2\t ; \tPath\t = \t/docs \t; Secure ")
      checkSameBytes(cookie.name, "a b", "the name")
      checkSameBytes(cookie.value, "1 \t2", "the value")
      checkSameBytes(cookie.path, "/docs", "the path")
      checkEqual(cookie.isSecure, true, "isSecure")
      let wide = try await fixture.set("b=\u{A0}1\u{3000}")
      checkSameBytes(wide.value, "\u{A0}1\u{3000}", "the value between other Unicode spaces")
    }
    Clause(
      "empty-cookie", "a pair with neither name nor value is rejected", from: "RFC 6265bis §5.7, 2"
    ) { fixture in
      for line in ["", "=", " \t = \t", ";", "; Path=/", "=; Secure"] {
        try await fixture.expectRejection(line, as: .emptyNameAndValue)
      }
      try await fixture.set("a=")
      try await fixture.set("=b")
    }
    Clause(
      "pair-size", "name and value may have at most 4,096 bytes together",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      func text(_ count: Int) -> String { String(repeating: "x", count: count) }
      for (name, value) in [
        (text(2048), text(2048)), (text(4096), ""), ("", text(4096)),
        ("é", String(repeating: "é", count: 2047)),
      ] {
        let cookie = try await fixture.set(" \(name) = \(value) ; Path=/")
        checkSameBytes(cookie.name, name, "the name of a pair of 4096 bytes")
        checkSameBytes(cookie.value, value, "the value of a pair of 4096 bytes")
      }
      for (name, value) in [
        (text(2049), text(2048)), (text(4097), ""), ("", text(4097)),
        ("é", String(repeating: "é", count: 2047) + "x"),
      ] {
        try await fixture.expectRejection("\(name)=\(value)", as: .tooLarge)
      }
    }
    Clause(
      "pair-size-rfc6265", "RFC 6265 doesn't limit sizes", from: "RFC 6265 §5.2",
      requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      let value = String(repeating: "x", count: 5000)
      checkSameBytes(try await older.set("a=\(value)").value, value, "a value of 5000 bytes")
      let path = "/" + String(repeating: "x", count: 1500)
      checkSameBytes(
        try await older.set("b=1; Path=/docs; Path=\(path)").path, path, "a path of 1501 bytes")
    }
    Clause(
      "attribute-size",
      "an attribute value over 1,024 bytes is ignored and doesn't override an earlier one",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      let fit = "/" + String(repeating: "x", count: 1023)
      checkSameBytes(
        try await fixture.set("a=1; Path=/docs; Path= \(fit) ").path, fit,
        "the path of 1024 bytes after an earlier one")
      checkSameBytes(
        try await fixture.set("b=1; Path=/docs; Path=\(fit)x").path, "/docs",
        "the path before one of 1025 bytes")
      checkSameBytes(
        try await fixture.set("c=1; Path=\(fit)é", at: "https://example.com/a/b").path, "/a",
        "the path if the only one has 1026 bytes")
      let long = String(repeating: "x", count: 1025)
      let cookie = try await fixture.set("d=1; SameSite=Strict; SameSite=\(long); Secure=\(long)")
      checkEqual(cookie.sameSite, .strict, "SameSite before one of 1025 bytes")
      checkEqual(cookie.isSecure, false, "isSecure if Secure has a value of 1025 bytes")
    }
    Clause(
      "percent-forms", "nothing is percent-decoded", from: "RFC 6265bis §5.6"
    ) { fixture in
      let cookie = try await fixture.set("a%3Db=%41%3B+%zz")
      checkSameBytes(cookie.name, "a%3Db", "the name")
      checkSameBytes(cookie.value, "%41%3B+%zz", "the value")
      try await fixture.expect("a%3Db=%41%3B+%zz")
    }
    Clause("quotes", "quotes are part of the value", from: "RFC 6265bis §5.6") { fixture in
      checkSameBytes(try await fixture.set(#"a="b c""#).value, #""b c""#, "the quoted value")
      checkSameBytes(
        try await fixture.set(#"d="e;f""#).value, #""e"#, "the value up to a semicolon")
      try await fixture.expect(#"a="b c"; d="e"#)
    }
    Clause("comma", "a comma is part of the value", from: "RFC 6265bis §5.6") { fixture in
      checkSameBytes(try await fixture.set("a=1,b=2").value, "1,b=2", "the value of a=1,b=2")
      let line = "c=1, d=2; Path=/docs, e=3; Secure"
      let cookie = try await fixture.set(line)
      checkSameBytes(cookie.value, "1, d=2", "the value of \(line)")
      checkSameBytes(cookie.path, "/docs, e=3", "the path of \(line)")
      try await fixture.expectAll(["a=1,b=2", "c=1, d=2"])
    }
    Clause(
      "unknown-attributes", "unknown attributes are ignored", from: "RFC 6265bis §5.6"
    ) { fixture in
      let cookie = try await fixture.set(
        "a=1; Priority=High; Foo; =x; ; ;; Secured; XSecure; Secure-; Path =/docs; HttpOnlyX; Bar=")
      checkSameBytes(cookie.path, "/docs", "the path among unknown attributes")
      checkEqual(cookie.isSecure, false, "isSecure with 'Secured', 'XSecure' and 'Secure-'")
      checkEqual(cookie.isHTTPOnly, false, "isHTTPOnly with 'HttpOnlyX'")
    }
    Clause(
      "attribute-case", "attribute names are case-insensitive", from: "RFC 6265bis §5.6"
    ) { fixture in
      let cookie = try await fixture.set(
        "a=1; pATH=/docs; sECURE; hTTPoNLY; dOMAIN=example.com; mAX-aGE=3600; sAMEsITE=sTRICT")
      checkSameBytes(cookie.path, "/docs", "the path of pATH")
      checkEqual(cookie.isSecure, true, "isSecure of sECURE")
      checkEqual(cookie.isHTTPOnly, true, "isHTTPOnly of hTTPoNLY")
      checkEqual(cookie.isHostOnly, false, "isHostOnly with dOMAIN")
      checkExpiry(of: cookie, near: fixture.now + 3600, "mAX-aGE=3600")
      checkEqual(cookie.sameSite, .strict, "SameSite of sAMEsITE=sTRICT")
      let date = httpDate(fixture.now + 7200)
      let dated = try await fixture.set("b=1; eXPIRES=\(date.uppercased())")
      checkExpiry(of: dated, near: fixture.now + 7200, "eXPIRES")
    }
    Clause(
      "flag-values", "Secure and HttpOnly apply with any value",
      from: "RFC 6265bis §5.6.5, §5.6.6"
    ) { fixture in
      for value in ["", "1", "0", "true", "FALSE", "no; Path=/docs"] {
        let cookie = try await fixture.set("a=1; Secure=\(value); HttpOnly=\(value)")
        checkEqual(cookie.isSecure, true, "isSecure with 'Secure=\(value)'")
        checkEqual(cookie.isHTTPOnly, true, "isHTTPOnly with 'HttpOnly=\(value)'")
      }
    }
    Clause(
      "last-attribute", "the last of several attributes with the same name applies",
      from: "RFC 6265bis §5.7"
    ) { fixture in
      let line =
        "a=1; Path=/; Max-Age=60; SameSite=Lax; Domain=example.com; "
        + "Path=/docs; Max-Age=3600; SameSite=Strict; Domain=api.example.com"
      let cookie = try await fixture.set(line, at: "https://api.example.com/")
      checkSameBytes(cookie.path, "/docs", "the path of \(line)")
      checkExpiry(of: cookie, near: fixture.now + 3600, line)
      checkEqual(cookie.sameSite, .strict, "SameSite of \(line)")
      checkSameBytes(cookie.domain, "api.example.com", "the domain of \(line)")
      let early = httpDate(fixture.now + 60)
      let late = httpDate(fixture.now + 7200)
      checkExpiry(
        of: try await fixture.set("b=1; Expires=\(early); Expires=\(late)"),
        near: fixture.now + 7200, "two Expires")
      checkSameBytes(
        try await fixture.set("c=1; Path=/docs; Path=x", at: "https://example.com/a/b").path, "/a",
        "the path if the last Path is invalid")
      checkEqual(
        try await fixture.set("d=1; Secure; Secure=false").isSecure, true,
        "isSecure of Secure; Secure=false")
    }
    Clause(
      "non-ascii", "non-ASCII bytes are returned unchanged", from: "RFC 6265bis §5.6"
    ) { fixture in
      let cookie = try await fixture.set("café=日本🍪\u{FEFF}; Path=/")
      checkSameBytes(cookie.name, "café", "the name")
      checkSameBytes(cookie.value, "日本🍪\u{FEFF}", "the value")
      try await fixture.expect("café=日本🍪\u{FEFF}")
    }
    Clause(
      "long-letters",
      "the value begins after the equals sign, whatever characters the name consists of",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      for name in ["🍪", "e\u{301}", "\u{600}a", "👩\u{200D}👩", "日本e\u{301}🍪"] {
        let cookie = try await fixture.set("\(name)=123456789; Path=/")
        checkSameBytes(cookie.name, name, "the name")
        checkSameBytes(cookie.value, "123456789", "the value of \(name)")
      }
    }
    Clause(
      "long-letters-empty", "a name of any characters may have an empty value",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      for name in ["🍪", "e\u{301}", "\u{600}a", "👩\u{200D}👩"] {
        checkSameBytes(try await fixture.set("\(name)=").value, "", "the value of \(name)")
      }
    }
    Clause(
      "joined-signs",
      "a semicolon or equals sign is recognized even before a combining character",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      for joining in ["\u{301}", "\u{200D}", "\u{FE0F}"] {
        let position =
          "followed by U+\(String(joining.unicodeScalars.first?.value ?? 0, radix: 16))"
        let first = try await fixture.set("a=\(joining)1; Secure")
        checkSameBytes(first.value, "\(joining)1", "the value after an equals sign \(position)")
        let second = try await fixture.set("b=1;\(joining)x; Path=/docs")
        checkSameBytes(second.value, "1", "the value before a semicolon \(position)")
        checkSameBytes(second.path, "/docs", "the path after a semicolon \(position)")
      }
    }
    Clause(
      "any-response", "a cookie is accepted from every response, whatever the request",
      from: "RFC 6265bis §5.3"
    ) { fixture in
      // The port has no status code, so error responses need no case.
      var requests: [CookieRequest] = []
      for isNavigation in [false, true] {
        for isSafe in [false, true] {
          requests.append(
            try CookieRequest(
              CookieStoreFixture.origin, isTopLevelNavigation: isNavigation, isSafeMethod: isSafe))
        }
      }
      for (index, request) in requests.enumerated() {
        try await fixture.store.store("a\(index)=1", from: request)
      }
      try await fixture.expectAll(["a0=1", "a1=1", "a2=1", "a3=1"])
    }
    Clause(
      "joined-fields", "fields that were joined by commas are split before a name and '='",
      from: "RFC 9110 §5.3"
    ) { fixture in
      for (joined, lines) in [
        ("", []), (" \t", []), ("a=1", ["a=1"]), (", a=1 ,\tb=2\t", ["a=1", "b=2"]),
        (
          "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT, b=2",
          [
            "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "b=2",
          ]
        ),
        (
          "a=1,az=2,AZ=3,09=4,!#$%&'*+-.^_`|~ \t=5",
          [
            "a=1", "az=2", "AZ=3", "09=4", "!#$%&'*+-.^_`|~ \t=5",
          ]
        ),
        ("a=1,@=,[=,{=,/=,:=,(=,é=,=", ["a=1,@=,[=,{=,/=,:=,(=,é=,="]),
        ("a=1,b,c d=1,,e=2", ["a=1,b,c d=1,", "e=2"]),
      ] {
        let found = Cookie.lines(ofJoined: joined)
        check(
          found == lines, "the fields of \(describe(joined)) are \(contrast(found, lines))")
        for line in lines { try await fixture.set(line) }
        checkEqual(
          try await fixture.store.all().count, lines.count,
          "the number of cookies of \(describe(joined))")
        try await fixture.store.clear()
      }
    }
    Clause(
      "raw-octets", "octets that are not UTF-8 are sent as they were received",
      from: "RFC 6265bis §5.6"
    ) { fixture in
      let request = try CookieRequest(CookieStoreFixture.origin)
      func expect(_ octets: [[UInt8]]) async throws {
        let sent = try await fixture.store.headerOctets(for: request) ?? []
        let lines = sent.split(separator: UInt8(ascii: ";")).map { Array($0.drop { $0 == 0x20 }) }
        checkEqual(
          lines.sorted { $0.lexicographicallyPrecedes($1) },
          octets.sorted { $0.lexicographicallyPrecedes($1) }, "the octets of the cookies sent")
      }
      let start = Array("a=".utf8)
      try await fixture.store.store(start + [0xE9], from: request)
      checkEqual(
        try await fixture.store.all().map(\.value), ["\u{10F7E9}"], "the value of the octet 0xE9")
      for value in ["é", "\u{4F780}"] {
        try await fixture.store.store(start + Array(value.utf8), from: request)
        checkEqual(
          try await fixture.store.all().map(\.value), [value], "the value of octets in UTF-8")
      }
      for octets: [UInt8] in [
        [0xF4], [0xF4, 0x8F], [0xF4, 0x8F, 0x9E], [0xF1, 0x8F, 0x9E, 0x80],
        [0xF4, 0x8F, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0x63, 0xE9], [0xFF, 0x80, 0xC3],
        [0xC3, 0xA9], [0xED, 0xA0, 0x80],
        [0xF4, 0x8F, 0x9E, 0x80], [0xF4, 0x80, 0x9E, 0x80], [0xF4, 0x8F, 0xA0, 0x80],
        [0xF4, 0x8F, 0x9F, 0xBF, 0xBF], Array(0x80...0xFF),
      ] {
        try await fixture.store.store(start + octets + Array("; Secure".utf8), from: request)
        try await expect([start + octets])
      }
      try await fixture.store.clear()
      try await fixture.store.store([0xE9, 0x3D, 0x31], from: request)
      try await fixture.store.store([0xC3, 0xA9, 0x3D, 0x32], from: request)
      try await expect([[0xE9, 0x3D, 0x31], [0xC3, 0xA9, 0x3D, 0x32]])
      try await fixture.store.clear()
      // As text these octets have more than 4,096 bytes.
      let longest = start + [UInt8](repeating: 0x78, count: 4093) + [0xFF, 0xFF]
      try await fixture.store.store(longest, from: request)
      try await expect([longest])
    }
  }
}
