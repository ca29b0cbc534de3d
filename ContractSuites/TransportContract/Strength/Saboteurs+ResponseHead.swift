import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var responseHead: [Saboteur<TransportFixture>] {
    flawed(
      "drops-controls", "ignores control characters in a reason phrase",
      caughtBy: "reason-controls", saying: "got status 200"
    ) { $0.receivedBytes = { $0.replacing("\u{7}\r\n", by: "\r\n") } }
    flawed("wants-reason", "requires a reason phrase", caughtBy: "no-reason") {
      $0.receivedBytes = { $0.replacing("HTTP/1.1 200\r\n", by: "HTTP/1.1\r\n") }
    }
    flawed(
      "invents-reason", "invents a reason phrase", caughtBy: "no-reason",
      saying: "the reason phrase"
    ) {
      $0.response = {
        if $0.response.status.reasonPhrase.isEmpty { $0.response.status.reasonPhrase = "'OK'" }
      }
    }
    flawed(
      "any-version-case", "accepts the version in any case", caughtBy: "version-case",
      saying: "expected malformedHead, got status 200"
    ) { $0.receivedBytes = { $0.replacing("Http/1.1", by: "HTTP/1.1") } }
    flawed("two-minors", "rejects a minor version above 1", caughtBy: "minor-version") {
      $0.receivedBytes = { $0.replacing("HTTP/1.2", by: "HTTP/0.2") }
    }
    flawed(
      "later-minor-closes", "processes a minor version above 1 as HTTP/1.0",
      caughtBy: "minor-version", saying: "number of connections"
    ) { $0.receivedBytes = { $0.replacing("HTTP/1.2", by: "HTTP/1.0") } }
    flawed(
      "earlier-major", "accepts a status line of HTTP/0.9", caughtBy: "major-version",
      saying: "got status 200"
    ) { $0.receivedBytes = { $0.replacing("HTTP/0.9", by: "HTTP/1.1") } }
    flawed("any-major", "accepts an HTTP/2 status line", caughtBy: "own-version") {
      $0.receivedBytes = { $0.replacing("HTTP/2", by: "HTTP/1.1") }
    }
    flawed("status-to-599", "reports statuses above 599 as 599", caughtBy: "status-999") {
      $0.response = { if $0.response.status.code > 599 { $0.response.status.code = 599 } }
    }
    flawed(
      "three-digits", "reads only the first three digits of a status", caughtBy: "status-digits"
    ) {
      $0.receivedBytes = { $0.replacing("HTTP/1.1 2000", by: "HTTP/1.1 200") }
    }
    flawed(
      "http-0-9", "accepts any bytes as an HTTP/0.9 response", caughtBy: "garbage",
      timeLimit: .milliseconds(500)
    ) {
      $0.receivedBytes = {
        $0.starts(with: "HTTP/1".utf8) ? $0 : Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + $0
      }
    }
    flawed(
      "empty-as-truncated", "reports an empty reply as a truncated head", caughtBy: "empty-reply"
    ) {
      $0.error = { error in
        var error = error
        if error.kind == .emptyReply { error.kind = .truncatedHead }
        return error
      }
    }
    flawed(
      "takes-half-heads", "accepts a truncated head",
      caughtBy: "truncated-head", saying: "expected truncatedHead, got status 200"
    ) {
      $0.receivedBytes = { bytes in
        let isHalf = bytes.count < 60 && bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil
        return isHalf && bytes.starts(with: "HTTP/1.1 200".utf8)
          ? Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8) : bytes
      }
    }
    flawed(
      "waits-after-bad-head", "waits for more bytes after an invalid head",
      caughtBy: "bad-head-held", timeLimit: .milliseconds(500)
    ) { $0.wait(afterFailure: .malformedHead) }
    flawed("wants-space", "requires a space after the colon", caughtBy: "no-space") {
      $0.receivedBytes = { $0.replacing("X-A:1", by: "X-A1") }
    }
    flawed("keeps-space", "keeps spaces at the end of values", caughtBy: "optional-space") {
      $0.response = {
        $0.response.headerFields = HTTPFields(
          $0.response.headerFields.map { HTTPField(name: $0.name, bytes: $0.bytes + [0x20]) })
      }
    }
    flawed(
      "trims-names", "removes spaces before the colon", caughtBy: "name-space",
      saying: "expected malformedHead, got status 200"
    ) { $0.receivedBytes = { $0.replacing("X-A :", by: "X-A:") } }
    flawed("splits-folds", "returns a folded line as a separate field", caughtBy: "folding") {
      $0.receivedBytes = { $0.replacing("\r\n 2", by: "\r\nX-A: 2") }
    }
    flawed("trims-lines", "removes spaces before the first field line", caughtBy: "folded-first") {
      $0.receivedBytes = { $0.replacing("200 OK\r\n X-A", by: "200 OK\r\nX-A") }
    }
    flawed("cuts-at-nul", "ends values at NUL", caughtBy: "nul") {
      $0.receivedBytes = { $0.replacing("\0b", by: "") }
    }
    flawed("skips-lines", "ignores lines without a colon", caughtBy: "no-colon") {
      $0.receivedBytes = { $0.replacing("No colon here\r\n", by: "") }
    }
    flawed("recodes-latin-1", "converts values to UTF-8", caughtBy: "latin-1") {
      $0.response = {
        $0.response.headerFields = HTTPFields(
          $0.response.headerFields.map { HTTPField(name: $0.name, value: $0.value) })
      }
    }
    flawed("marks-names", "replaces - in field names with _", caughtBy: "name-case") {
      $0.response = {
        $0.response.headerFields = HTTPFields(
          $0.response.headerFields.map { field in
            field.name.rawName == "x-mIXed" ? HTTPField(name: "x_mixed", bytes: field.bytes) : field
          })
      }
    }
    flawed("joins-duplicates", "joins lines of the same name", caughtBy: "duplicates") {
      $0.response = { $0.response.headerFields["X-A"] = $0.response.headerFields["X-A"] }
    }
    flawed(
      "joins-set-cookie", "joins Set-Cookie lines with commas", caughtBy: "set-cookie",
      saying: "Set-Cookie"
    ) {
      $0.response = {
        let joined = $0.response.headerFields[values: .setCookie].joined(separator: ", ")
        $0.response.headerFields[.setCookie] = joined
      }
    }
    flawed("no-head-limit", "accepts heads of any size", caughtBy: "head-limits") {
      $0.request = { _, _, options in
        options.headLimits = HTTPHeadLimits(bytes: 1 << 20, fields: 10_000)
      }
    }
    flawed("wants-crlf", "rejects a bare LF", caughtBy: "bare-lf") {
      $0.receivedBytes = {
        $0.firstRange(of: Array("X-A: 1\n".utf8)) == nil ? $0 : Array("\0\n".utf8)
      }
    }
    flawed("bare-cr", "accepts a bare CR as the end of a line", caughtBy: "bare-lf") {
      $0.receivedBytes = { $0.replacing("1\rX", by: "1\r\nX") }
    }
    flawed("final-103", "returns an interim response as the final one", caughtBy: "interim") {
      $0.response = {
        if let first = $0.informationalResponses.first { $0.response = first }
      }
    }
    flawed(
      "merges-interim", "adds the fields of interim responses to the final head",
      caughtBy: "interim"
    ) {
      $0.response = { exchange in
        for field in exchange.informationalResponses.flatMap(\.headerFields) {
          exchange.response.headerFields.append(field)
        }
      }
    }
    flawed(
      "endless-interim", "has no limit on interim responses", caughtBy: "interim-flood",
      timeLimit: .milliseconds(500)
    ) {
      $0.wait(afterFailure: .tooManyInformational)
    }
  }
}
