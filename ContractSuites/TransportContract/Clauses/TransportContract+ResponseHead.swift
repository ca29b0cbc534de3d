import ContractTesting
import Testing
import TransportPort

/// Sends a response with these lines and no content.
private func head(_ lines: String..., end: String = "\r\n") -> OriginScript {
  .raw(lines.map { $0 + end }.joined() + "Content-Length: 0" + end + end)
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var responseHead: [Clause<TransportFixture>] {
    Clause(
      "no-reason", "the reason phrase is optional, and so is the space before it",
      from: "RFC 9112 §4"
    ) { fixture in
      for (line, phrase) in [
        ("HTTP/1.1 200", ""), ("HTTP/1.1 200 ", ""), ("HTTP/1.1 200 A b", "A b"),
      ] {
        let answer = try await fixture.world(head(line)).answer()
        checkEqual(answer.status, 200, "the status of \(describe(line))")
        checkEqual(
          answer.exchange.response.status.reasonPhrase, phrase,
          "the reason phrase of \(describe(line))")
      }
    }
    Clause(
      "version-case", "a version other than HTTP/1 in upper case is an error", from: "RFC 9112 §2.3"
    ) { fixture in
      for line in ["Http/1.1 200 OK", "http/1.1 200 OK", "HTTP/2.7 200 OK", "HTTP/x.1 200 OK"] {
        try await fixture.world(head(line) + [.close]).expectFailure(.malformedHead)
      }
    }
    Clause(
      "minor-version", "a minor version above 1 is processed as HTTP/1.1", from: "RFC 9110 §2.5"
    ) { fixture in
      for line in ["HTTP/1.2 200 OK", "HTTP/1.9 200 OK"] {
        let world = try await fixture.world(.raw("\(line)\r\nContent-Length: 2\r\n\r\nhi"))
        for _ in 1...2 { checkEqual(try await world.answer().text, "hi", "the content") }
        checkEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "major-version", "a major version other than 1 is an error", from: "RFC 9110 §2.5"
    ) { fixture in
      for line in ["HTTP/0.9 200 OK", "HTTP/2 200", "HTTP/2.0 200 OK", "HTTP/3 200"] {
        try await fixture.world(head(line) + [.close]).expectFailure(.malformedHead)
      }
    }
    Clause(
      "own-version", "an HTTP/2 status line is an error if the connection negotiated HTTP/1.1",
      from: "RFC 9113 §3.2"
    ) { fixture in
      for line in ["HTTP/2 200 ", "HTTP/2 200 OK", "HTTP/3 200"] {
        try await fixture.world(head(line) + [.close], scheme: .https).expectFailure(.malformedHead)
      }
    }
    Clause("status-999", "every status from 100 to 999 is accepted", from: "RFC 9110 §15") {
      fixture in
      for status in [200, 299, 418, 599, 600, 999] {
        let answer = try await fixture.world(head("HTTP/1.1 \(status) Odd")).answer()
        checkEqual(answer.status, status, "the status")
      }
    }
    Clause("status-digits", "a status that is not three digits is an error", from: "RFC 9112 §4") {
      fixture in
      for status in ["2000", "20", "2", "099", "-20", "2OO", "200OK", "101 Go"] {
        try await fixture.world(head("HTTP/1.1 \(status)") + [.close]).expectFailure(.malformedHead)
      }
    }
    Clause(
      "reason-controls", "a reason phrase with a control character is an error", from: "RFC 9112 §4"
    ) { fixture in
      for character in ["\u{7}", "\u{7F}"] {
        let world = try await fixture.world(head("HTTP/1.1 200 A\(character)") + [.close])
        await world.expectFailure(.malformedHead)
      }
    }
    Clause("garbage", "bytes that are not an HTTP response are an error", from: "RFC 9112 §2") {
      fixture in
      for text in [
        "SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>\r\n\r\n", "ICY 200 OK\r\n\r\n",
        String(repeating: "x", count: 70_000) + "\r\n",
      ] {
        try await fixture.world(.raw(text) + [.close]).expectFailure(.malformedHead)
      }
      try await fixture.world(.raw("220 ready") + [.stall]).expectFailure(.malformedHead)
    }
    Clause(
      "empty-reply", "a connection that ends before the first byte is a separate error",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world([.readBody, .close])
      let error = await world.expectFailure(.emptyReply, of: .post, body: .text("a"))
      checkEqual(error?.phase, .awaitingHead, "the phase")
    }
    Clause(
      "truncated-head", "a truncated head is an error and never a response",
      from: "RFC 9112 §8"
    ) { fixture in
      for text in [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r",
        "HTTP/1.1 103 Early\r\n\r\n",
      ] {
        try await fixture.world(.raw(text) + [.close]).expectFailure(.truncatedHead)
      }
    }
    Clause(
      "bad-head-held", "an invalid head is an error at once, although the connection stays open",
      from: "RFC 9112 §2.2, this project", requires: .connections
    ) { fixture in
      for line in ["", "No colon\r\n", "X-A : 1\r\n", " X-A: 1\r\n"] {
        let world = try await fixture.world(
          [.send(line.isEmpty ? "HTTP/1.1 2000\r\n" : "HTTP/1.1 200 OK\r\n\(line)"), .stall])
        await world.expectFailure(.malformedHead)
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      }
    }
    Clause("no-space", "the space after a field's colon is optional", from: "RFC 9112 §5") {
      fixture in
      let answer = try await fixture.world(head("HTTP/1.1 200 OK", "X-A:1")).answer()
      checkEqual(answer.fields["X-A"], "1", "X-A")
    }
    Clause(
      "optional-space", "spaces and tabs around a field value are removed", from: "RFC 9112 §5"
    ) { fixture in
      let script = head("HTTP/1.1 200 OK", "X-A: \t a  b \t ", "X-B:   ", "X-C: c ")
      let answer = try await fixture.world(script).answer()
      checkEqual(answer.fields["X-A"], "a  b", "X-A")
      checkEqual(answer.fields["X-B"], "", "X-B")
      checkEqual(answer.fields["X-C"], "c", "X-C")
    }
    Clause(
      "name-space", "a space between a field's name and its colon is an error",
      from: "RFC 9112 §5.1"
    ) { fixture in
      for line in ["X-A : 1", "Content-Length\t: 0", ": 1"] {
        let world = try await fixture.world(head("HTTP/1.1 200 OK", line) + [.close])
        await world.expectFailure(.malformedHead)
      }
    }
    Clause(
      "folding", "a folded line is joined to the previous line with a space", from: "RFC 9112 §5.2"
    ) { fixture in
      let script = head("HTTP/1.1 200 OK", "X-A: 1", " 2", "\t3", "X-B: b")
      let answer = try await fixture.world(script).answer()
      checkEqual(answer.fields[values: "X-A"], ["1 2 3"], "X-A")
      checkEqual(answer.fields["X-B"], "b", "X-B")
    }
    Clause(
      "folded-first",
      "a first field line that starts with a space or tab is an error on every connection",
      from: "RFC 9112 §2.2"
    ) { fixture in
      for line in [" X-A: 1", "\tX-A: 1", " "] {
        let world = try await fixture.world(
          head("HTTP/1.1 200 OK", "X-B: \(String(repeating: "b", count: 100))"),
          head("HTTP/1.1 200 OK", line), head("HTTP/1.1 103 Early") + head("HTTP/1.1 200 OK", line))
        try await world.answer()
        await world.expectFailure(.malformedHead)
        await world.expectFailure(.malformedHead)
      }
    }
    Clause("nul", "NUL in a head is an error", from: "RFC 9110 §5.5") { fixture in
      for line in ["X-A: a\0b", "X\0A: 1", "X-A: \0"] {
        let world = try await fixture.world(head("HTTP/1.1 200 OK", line) + [.close])
        await world.expectFailure(.malformedHead)
      }
    }
    Clause("no-colon", "a field line without a colon is an error", from: "RFC 9112 §5") { fixture in
      let world = try await fixture.world(head("HTTP/1.1 200 OK", "No colon here") + [.close])
      await world.expectFailure(.malformedHead)
    }
    Clause("latin-1", "bytes above 127 in a field value are preserved", from: "RFC 9110 §5.5") {
      fixture in
      let bytes: [UInt8] = [0x63, 0x61, 0x66, 0xE9, 0x20, 0xFF]
      let lines = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: ".utf8)
      let script: OriginScript = [.send(lines + bytes + [0x0D, 0x0A, 0x0D, 0x0A])]
      let answer = try await fixture.world(script).answer()
      checkEqual(answer.fields[fields: "X-A"].map(\.bytes), [bytes], "the list of bytes of X-A")
    }
    Clause("name-case", "field names are found whatever their case", from: "RFC 9110 §5.1") {
      fixture in
      let answer = try await fixture.world(head("HTTP/1.1 200 OK", "x-mIXed: 1", "x-aZ: 2"))
        .answer()
      for name in ["X-Mixed", "x-mixed", "X-MIXED"] {
        checkEqual(answer.fields[HTTPField.Name(name)], "1", name)
      }
      for name in ["x-az", "x-Az", "x-aZ"] {
        checkEqual(answer.fields[HTTPField.Name(name)], "2", name)
      }
    }
    Clause(
      "duplicates", "lines of the same name are returned separately, in order",
      from: "RFC 9110 §5.3"
    ) { fixture in
      let script = head("HTTP/1.1 200 OK", "X-A: 2", "X-B: b", "x-a: 1, 3", "X-A: 2")
      let answer = try await fixture.world(script).answer()
      checkEqual(answer.fields["X-A"], "2, 1, 3, 2", "the joined values of X-A")
      checkEqual(answer.fields[values: "X-A"], ["2", "1, 3", "2"], "X-A")
    }
    Clause("set-cookie", "Set-Cookie lines are never joined", from: "RFC 9110 §5.3") { fixture in
      let cookies = ["a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT", "b=2", "a=3"]
      let script = head(
        "HTTP/1.1 200 OK", cookies.map { "Set-Cookie: \($0)" }.joined(separator: "\r\n"))
      let answer = try await fixture.world(script).answer()
      checkEqual(answer.fields[.setCookie], cookies[0], "the first Set-Cookie")
      checkEqual(answer.fields[values: .setCookie], cookies, "Set-Cookie")
    }
    Clause(
      "head-limits", "a head beyond the limit of bytes or fields is a separate error",
      from: "RFC 9110 §5.4", requires: .connections
    ) { fixture in
      var options = TransportOptions()
      options.headLimits = HTTPHeadLimits(bytes: 400, fields: 8)
      let long = "X-A: \(String(repeating: "x", count: 500))"
      let many = (1...9).map { "X-\($0): 1" }.joined(separator: "\r\n")
      for line in [long, many] {
        let world = try await fixture.world(head("HTTP/1.1 200 OK", line) + [.stall])
        await world.expectFailure(.headTooLarge, options: options)
        try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      }
      try await fixture.world(
        [.send("HTTP/1.1 200 OK\r\nX: "), .sendRepeatedly([0x61], count: nil)]
      ).expectFailure(.headTooLarge)
      let within = try await fixture.world(head("HTTP/1.1 200 OK", "X-A: 1", "X-B: 2"))
      checkEqual(
        try await within.answer(options: options).status, 200,
        "the status of a head within the limits")
    }
    Clause("bare-lf", "a bare LF ends a line, and a bare CR is an error", from: "RFC 9112 §2.2") {
      fixture in
      let answer = try await fixture.world(head("HTTP/1.1 200 OK", "X-A: 1", end: "\n")).answer()
      checkEqual(answer.fields["X-A"], "1", "X-A")
      let world = try await fixture.world(head("HTTP/1.1 200 OK", "X-A: 1\rX-B: 2") + [.close])
      await world.expectFailure(.malformedHead)
    }
    Clause(
      "interim", "interim responses are returned with the final one, but separately",
      from: "RFC 9110 §15.2"
    ) { fixture in
      let text =
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
      for script in [OriginScript.raw(text), OriginScript.raw(text).split(into: 1)] {
        let answer = try await fixture.world(script).answer()
        checkEqual(answer.status, 200, "the final status")
        checkEqual(answer.text, "hi", "the content")
        checkEqual(answer.fields.contains("Link"), false, "whether the final head has Link")
        let interim = answer.exchange.informationalResponses
        checkEqual(interim.map(\.status.code), [102, 103], "the interim statuses")
        checkEqual(interim.last?.headerFields["Link"], "</a>", "Link of 103")
      }
    }
    Clause(
      "interim-flood", "endless interim responses are an error that closes the connection",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(
        [.sendRepeatedly(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), count: nil)])
      await world.expectFailure(.tooManyInformational)
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
    }
  }
}
