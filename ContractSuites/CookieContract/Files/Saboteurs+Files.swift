import ContractTesting
import CookiePort
import Foundation
import Testing

/// The decisions of a reader and writer, each of which a saboteur replaces with a wrong one.
private struct FileFlaws: Sendable {
  /// Changes the text before it is read.
  var reads: @Sendable (String) -> String = { $0 }

  /// Changes the cookies that were read.
  var found: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Changes the text that is written.
  var writes: @Sendable (String) -> String = { $0 }
}

extension Saboteur<CookieFileFixture> {
  /// Declares a saboteur: a correct reader and writer with one wrong decision.
  fileprivate static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @Sendable (inout FileFlaws) -> Void
  ) -> Saboteur {
    var flaws = FileFlaws()
    change(&flaws)
    return Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) {
      [flaws] _ in
      CookieFileFixture { cookies in
        Data(
          flaws.writes(String(decoding: try NetscapeCookieFile.data(for: cookies), as: UTF8.self))
            .utf8)
      } reading: { data in
        let text = flaws.reads(String(decoding: data, as: UTF8.self))
        var cookies = readableCookies(in: Data(text.utf8))
        flaws.found(&cookies)
        return cookies
      }
    }
  }
}

/// The cookies of the valid lines.
private func readableCookies(in data: Data) -> [Cookie] {
  do throws(CookieFileError) {
    return try NetscapeCookieFile.cookies(in: data, now: .distantPast)
  } catch {
    return error.readable
  }
}

extension Saboteur<CookieFileFixture> {
  @SaboteurBuilder<CookieFileFixture>
  static var cookieFiles: [Saboteur] {
    flawed(
      "host-only-files", "ignores the flag for subdomains", caughtBy: "columns",
      saying: "the cookies of"
    ) { $0.found = { for index in $0.indices { $0[index].isHostOnly = true } } }
    flawed("hidden-is-comment", "takes #HttpOnly_ for a comment", caughtBy: "http-only") {
      $0.reads = { $0.replacing("#HttpOnly_", with: "# ") }
    }
    flawed("reads-comments", "reads cookies in comments", caughtBy: "comments") {
      $0.reads = { $0.replacing("\n#", with: "\n").replacing("\n example", with: "\nexample") }
    }
    flawed("keeps-returns", "takes a CR for a part of the line", caughtBy: "line-ends") {
      $0.reads = { $0.replacing("\r\n", with: "\tx\n") }
    }
    flawed(
      "needs-value", "ignores cookies with empty values", caughtBy: "empty-value", "round-trip"
    ) { $0.found = { $0.removeAll { $0.value.isEmpty } } }
    flawed("upper-case-flags", "knows only TRUE and FALSE", caughtBy: "flags") {
      $0.reads = { $0.replacing("true", with: "yes").replacing("True", with: "Yes") }
    }
    flawed("all-or-nothing", "reads nothing if a line is bad", caughtBy: "bad-lines") {
      $0.reads = { $0.contains("\texample.com\n") || $0.contains("\nexample.com\n") ? "" : $0 }
    }
    flawed(
      "no-dots", "writes domains without a leading dot", caughtBy: "written",
      saying: "the lines of cookies"
    ) { $0.writes = { $0.replacing("#HttpOnly_.", with: "#HttpOnly_") } }
    flawed("no-comments", "writes nothing but columns", caughtBy: "every-field") {
      $0.writes = { text in
        text.split(separator: "\n", omittingEmptySubsequences: false)
          .filter { !$0.hasPrefix("# swift") }.joined(separator: "\n")
      }
    }
  }
}
