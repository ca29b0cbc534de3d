import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieFileFixture> {
  @SaboteurBuilder<CookieFileFixture>
  static var cookieFiles: [Saboteur] {
    Saboteur("hidden-is-comment", "takes #HttpOnly_ for a comment", caughtBy: "http-only") {
      CookieFileFixture(writing: CookieFileFixture.netscape.write) { data in
        let text = String(decoding: data, as: UTF8.self)
        return try CookieFileFixture.netscape.read(
          Data(text.replacing("#HttpOnly_", with: "# ").utf8))
      }
    }
    Saboteur("all-or-nothing", "reads nothing if a line is bad", caughtBy: "bad-lines") {
      CookieFileFixture(writing: CookieFileFixture.netscape.write) { data in
        (try? NetscapeCookieFile.cookies(in: data, now: .distantPast)) ?? []
      }
    }
  }
}
