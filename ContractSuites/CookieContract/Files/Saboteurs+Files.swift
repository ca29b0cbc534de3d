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

  /// Changes what is wrong with a file.
  var reports: @Sendable (inout [CookieFileError.Problem]) -> Void = { _ in }

  /// Changes the text that is written.
  var writes: @Sendable (String) -> String = { $0 }
}

extension Saboteur<CookieFileFixture> {
  /// Declares a saboteur: a correct reader and writer with one wrong decision.
  fileprivate static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    of correct: CookieFileFixture = .netscape, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @Sendable (inout FileFlaws) -> Void
  ) -> Saboteur {
    var flaws = FileFlaws()
    change(&flaws)
    return Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) {
      [flaws] _ in
      CookieFileFixture { cookies in
        Data(flaws.writes(String(decoding: try correct.write(cookies), as: UTF8.self)).utf8)
      } reading: { data in
        var cookies = try correct.read(flaws.read(data))
        flaws.found(&cookies)
        return cookies
      } reporting: { data in
        var problems = try correct.report(flaws.read(data))
        flaws.reports(&problems)
        return problems
      }
    }
  }
}

extension FileFlaws {
  /// The bytes that are read; those that are no text are left as they are.
  fileprivate func read(_ data: Data) -> Data {
    String(bytes: data, encoding: .utf8).map { Data(reads($0).utf8) } ?? data
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
    flawed("counts-from-0", "numbers lines from 0", caughtBy: "reported", saying: "the problems") {
      $0.reports = { for index in $0.indices { $0[index].position -= 1 } }
    }
    flawed(
      "modest", "can what it says that it can't", caughtBy: "lacks-reports", "lacks-lenience"
    ) { _ in }
    flawed(
      "needs-plain-hosts", "ignores domains with a port", caughtBy: "other-programs",
      saying: "the host of example.com:8080"
    ) { $0.reads = { $0.replacing(":8080", with: ":") } }
  }

  @SaboteurBuilder<CookieFileFixture>
  static var cookieJSONFiles: [Saboteur] {
    flawed(
      "whole-seconds", "rounds instants to seconds", caughtBy: "round-trip", "parsed",
      "saved-jar", saying: "the cookies", of: .json
    ) {
      $0.found = {
        for index in $0.indices {
          let seconds = $0[index].creation.timeIntervalSinceReferenceDate.rounded()
          $0[index].creation = Date(timeIntervalSinceReferenceDate: seconds)
        }
      }
    }
    flawed(
      "all-one-version", "reads every version", caughtBy: "newer-version", of: .json
    ) {
      $0.reports = { $0 = [] }
    }
    flawed(
      "blames-cookies", "reports a bad file as a bad cookie", caughtBy: "no-file",
      saying: "the problems of", of: .json
    ) { $0.reports = { for index in $0.indices { $0[index].position += 1 } } }
    flawed(
      "drops-all", "reads nothing of a file with a bad cookie", caughtBy: "bad-cookies", of: .json
    ) {
      $0.reads = { $0.contains("a;b") || $0.contains("stern") ? "" : $0 }
    }
    Saboteur("writes-nan", "writes a date that is no number", caughtBy: "no-date") { _ in
      CookieFileFixture(
        writing: { cookies in
          try CookieFileFixture.json.write(
            cookies.filter { !$0.creation.timeIntervalSince1970.isNaN })
        }, reading: CookieFileFixture.json.read)
    }
  }
}
