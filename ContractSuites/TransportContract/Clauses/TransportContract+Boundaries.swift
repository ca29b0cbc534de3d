import ContractTesting
import SystemLocks
import Testing
import TransportPort

/// A clock that stands still, and records how long it was asked to sleep.
private final class StillClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private let recorded = Mutex<[Duration]>([])

  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }
  var pauses: [Duration] { recorded.withLock { $0 } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    recorded.withLock { $0.append(deadline.offset) }
  }
}

private let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

extension TransportFixture {
  /// Follows a redirect from `/b/c/d;p?q` and returns the target of the last request.
  fileprivate func target(of location: String) async throws -> String? {
    let world = try await world(.redirect(to: location), .respond())
      .through { $0.followingRedirects() }
    try await world.answer(.get, "/b/c/d;p?q")
    checkEqual(world.log.requests.count, 2, "the number of requests for Location: \(location)")
    return world.log.requests.last?.head.target
  }
}

extension TransportClauses {
  /// Clauses about values on both sides of a limit or rule.
  @ClauseBuilder<TransportFixture>
  static var boundaries: [Clause<TransportFixture>] {
    Clause(
      "redirect-reference", "every form of a reference is resolved as RFC 3986 does",
      from: "RFC 3986 §5.4"
    ) { fixture in
      for (location, target) in [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
        ("g?y", "/b/c/g?y"), ("g#s", "/b/c/g"), (";x", "/b/c/;x"), ("g;x?y#s", "/b/c/g;x?y"),
        (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
        ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
        ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"),
        ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"),
        ("g/../h", "/b/c/h"), ("g;x=1/../y", "/b/c/y"), ("g?y/../x", "/b/c/g?y/../x"),
        // A colon after text that is not a scheme.
        ("1:x", "/b/c/1:x"), ("@g:x", "/b/c/@g:x"), ("[g:x", "/b/c/[g:x"), ("g_:x", "/b/c/g_:x"),
        ("g@:x", "/b/c/g@:x"), ("g[:x", "/b/c/g[:x"), ("g/h:x", "/b/c/g/h:x"),
        // Bytes that are percent-encoded, and their neighbours.
        ("!a b~", "/b/c/!a%20b~"), ("é", "/b/c/%C3%A9"),
      ] {
        checkEqual(try await fixture.target(of: location), target, "the target of \(location)")
      }
      for location in ["a:x", "z:x", "Z:x", "az:x", "a1:x", "a+:x", "a-:x", "a.:x"] {
        try await fixture.world(.redirect(to: location), .respond())
          .through { $0.followingRedirects() }.expectFailure(.invalidRedirect)
      }
      let far = try fixture.peer(.respond(text: "far"))
      for location in ["\(far.url)/a/../b", "//127.0.0.1:\(far.port)/./b"] {
        let world = try await fixture.world([try fixture.peer(.redirect(to: location)), far])
          .through { $0.followingRedirects() }
        checkEqual(try await world.answer().text, "far", "the content at \(location)")
        checkEqual(far.log.requests.last?.head.target, "/b", "the target of \(location)")
      }
    }
    Clause(
      "redirect-reuse",
      "a redirect's content of at most 8 KiB is read, so the connection is reused",
      from: "this project", requires: .connections
    ) { fixture in
      for (count, connections) in [(8192, 1), (8193, 2)] {
        let content = [UInt8](repeating: 0x61, count: count)
        let world = try await fixture.world(
          OriginPlan { request in
            guard request.path == "/" else { return .respond(text: "there") }
            let fields: HTTPFields = [.location: "/end", .contentLength: "\(count)"]
            return .respond(302, headerFields: fields)
              + (count > 8192 ? [.stall] : [.send(content)])
          }
        ).through { $0.followingRedirects() }
        checkEqual(try await world.answer().text, "there", "the content")
        checkEqual(
          world.log.counts.connections, connections,
          "the number of connections after \(count) bytes")
      }
    }
    Clause(
      "redirect-default-limit", "by default 20 redirects are followed",
      from: "Fetch, HTTP-redirect fetch, 7"
    ) { fixture in
      let world = try await fixture.world(
        OriginPlan { request in
          let number = Int(request.path.dropFirst()) ?? 0
          return number == 0 ? .respond(text: "there") : .redirect(to: "/\(number - 1)")
        }
      ).through { $0.followingRedirects() }
      checkEqual(
        try await world.answer(.get, "/20").text, "there", "the content after 20 redirects")
      await world.expectFailure(.tooManyRedirects, of: .get, "/21")
    }
    Clause(
      "redirect-userinfo", "userinfo in a redirect hides no loop", from: "RFC 9110 §4.2.4",
      requires: .connections
    ) { fixture in
      let near = try fixture.peer(
        OriginPlan { request in
          let host = request.headerFields[.host] ?? ""
          return .redirect(to: "http://u@\(host)/\(request.path == "/a" ? "b" : "a")")
        })
      let loop = try await fixture.world([near]).through { $0.followingRedirects() }
      await loop.expectFailure(.redirectLoop, of: .get, "/a")
      checkEqual(loop.log.requests.count, 2, "the number of requests in the loop")
    }
    Clause(
      "retry-attempts", "a request is retried as often as allowed, after pauses that double",
      from: "this project"
    ) { fixture in
      for (attempts, count) in [(0, 1), (1, 1), (2, 2), (3, 3)] {
        let world = try await fixture.world([.readBody, .close])
        await world.through { $0.retryingWhenSafe(attempts: attempts) }.expectFailure(.emptyReply)
        checkEqual(world.log.requests.count, count, "the number of \(attempts) attempts")
      }
      let twice = try await fixture.world([.readBody, .close])
      await twice.through { $0.retryingWhenSafe() }.expectFailure(.emptyReply)
      checkEqual(twice.log.requests.count, 2, "the number of attempts by default")
      let random = RetryBackoff.doubling(from: .seconds(2), upTo: .seconds(4))
      for (failures, longest) in [(1, Duration.seconds(2)), (2, .seconds(4)), (.max, .seconds(4))] {
        let pauses = Set((1...1000).map { _ in random.pause(failures) })
        check(pauses.count > 1, "the pauses after \(failures) failures are not random")
        check(
          pauses.allSatisfy { $0 >= longest / 2 && $0 <= longest },
          "a pause after \(failures) failures is not between \(longest / 2) and \(longest)")
      }
      for first in [Duration.zero, .seconds(-1)] {
        let backoff = RetryBackoff.doubling(from: first, upTo: .seconds(4), share: { 1 })
        checkEqual(backoff.pause(.max), first, "the last pause from \(first)")
      }
      for (first, share, pauses) in [
        (20, 1.0, [20, 40, 50, 50]), (25, 0.5, [12.5, 25, 25, 25]), (80, 1.0, [50, 50, 50, 50]),
        (0, 1.0, []),
      ] {
        let clock = StillClock()
        let backoff = RetryBackoff.doubling(
          from: .milliseconds(first), upTo: .milliseconds(50), share: { share })
        let world = try await fixture.world([.readBody, .close])
        await world.through {
          $0.retryingWhenSafe(attempts: 5, backoff: backoff, clock: clock)
        }.expectFailure(.emptyReply)
        checkEqual(
          clock.pauses, pauses.map { .microseconds($0 * 1000) }, "the pauses from \(first) ms")
      }
    }
    Clause(
      "least-limits", "a limit of less than one connection counts as one", from: "this project",
      requires: .connections
    ) { fixture in
      checkEqual(
        ConnectionLimits(), ConnectionLimits(perOrigin: 64, total: 256), "the default limits")
      checkEqual(
        ConnectionLimits(perOrigin: 0, total: -1), ConnectionLimits(perOrigin: 1, total: 1),
        "the least limits")
      for limits in [ConnectionLimits(perOrigin: 0, total: 9), ConnectionLimits(total: 0)] {
        let world = try await fixture.world(
          OriginPlan { _ in [.pause(.milliseconds(10))] + .respond(text: "hi") }
        ) { $0.limits = limits }
        let texts = try await withThrowingTaskGroup { group in
          for _ in 1...8 { group.addTask { try await world.answer().text } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        checkEqual(texts, [String](repeating: "hi", count: 8), "the contents")
        checkEqual(world.log.counts.connections, 1, "the number of connections")
      }
    }
    Clause(
      "exact-head-limits", "a head at the limits is accepted, and one beyond them is not",
      from: "this project", requires: .connections
    ) { fixture in
      let start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
      for (extra, isAccepted) in [(0, true), (1, false)] {
        let line = "X-A: \r\n\r\n".utf8.count + start.utf8.count
        let large = start + "X-A: " + String(repeating: "x", count: 65_536 - line + extra)
        let many = start + (1..<256 + extra).map { "X-\($0): 1" }.joined(separator: "\r\n")
        for text in [large, many] {
          let world = try await fixture.world(.raw(text + "\r\n\r\n"))
          if isAccepted {
            checkEqual(try await world.answer().status, 200, "the status at the limits")
          } else {
            await world.expectFailure(.headTooLarge)
          }
        }
        let interim = String(repeating: "HTTP/1.1 102 X\r\n\r\n", count: 32 + extra)
        let world = try await fixture.world(.raw(interim + start + "\r\n"))
        if isAccepted {
          checkEqual(
            try await world.answer().exchange.informationalResponses.count, 32,
            "the number of interim responses")
        } else {
          await world.expectFailure(.tooManyInformational)
        }
      }
    }
    Clause(
      "exact-chunk-limits", "chunk framing at the limits is accepted, and beyond them it is not",
      from: "RFC 9112 §7.1, this project", requires: .connections
    ) { fixture in
      /// A chunk of one byte whose extension has a number of bytes.
      func chunk(_ count: Int) -> String {
        "1;\(String(repeating: "x", count: count - 1))\r\na\r\n"
      }
      // 65,536 bytes of extensions, and 64 for each of the 16 bytes before.
      let extensions = String(repeating: chunk(4000), count: 16)
      for text in [
        "000000000000001\r\na\r\n", chunk(4093), "1;\t ~\u{80}\r\na\r\n", extensions + chunk(2560),
      ] {
        let world = try await fixture.world(.raw(chunkedHead + text + "0\r\n\r\n"))
        checkEqual(try await world.answer().text.first, "a", "the content of \(text.prefix(20))")
      }
      for text in [
        "0000000000000001\r\na\r\n", chunk(4094), "1;\u{8}\r\na\r\n", "1;\u{1F}\r\na\r\n",
        "1;\u{7F}\r\na\r\n", "\na\r\n", "1\na\r\n", "1g\r\na\r\n", extensions + chunk(2561),
        "1\r\na\r\n0\r\nX-A: 1\rX",
      ] {
        try await fixture.world(.raw(chunkedHead + text) + [.stall]).expectFailure(.badChunk)
      }
    }
    Clause(
      "split-response", "a response is read in whatever pieces it arrives", from: "RFC 9112 §2.1"
    ) { fixture in
      let text = "3;x=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 1 2\r\n\r\n"
      for size in [1, 2, 3] {
        let world = try await fixture.world(.raw(chunkedHead + text).split(into: size))
        let answer = try await world.answer()
        checkEqual(answer.text, "abcde", "the content")
        checkEqual(
          answer.exchange.body.trailerFields, ["X-Sum": "1 2"], "the trailer section")
      }
    }
    Clause(
      "exact-request-size", "a head of 1,000,000 bytes is sent, and a larger one is rejected",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world(.respond())
      let names: [HTTPField.Name] = ["X-A", "X-B", "X-C", "X-D"]
      func fields(_ count: Int) -> HTTPFields {
        // All fields have the same size, except the last.
        let sizes = [count / 4, count / 4, count / 4, count - count / 4 * 3]
        return HTTPFields(
          zip(names, sizes).map { HTTPField(name: $0, value: String(repeating: "x", count: $1)) })
      }
      let small = try await world.arrival(of: .get, "/", fields(4))
      let lines = small.fields.map { $0.name.rawName.utf8.count + $0.bytes.count + 4 }
      let size = "GET / HTTP/1.1\r\n\r\n".utf8.count + lines.reduce(0, +)
      let room = 1_000_000 - size + 4
      let seen = try await world.arrival(of: .get, "/", fields(room))
      checkEqual(seen.fields["X-D"]?.utf8.count, room - room / 4 * 3, "the size of the last field")
      let refusing = try await fixture.world(.respond())
      await refusing.expectRefusal(
        .invalidRequest(.headTooLarge), of: refusing.request(.get, "/", fields(room + 1)))
    }
    Clause(
      "status-range", "a status from 100 to 199 is interim, and one from 200 to 299 successful",
      from: "RFC 9110 §15"
    ) { fixture in
      let interim = "HTTP/1.1 199 X\r\n\r\n"
      for (status, isSuccessful) in [(200, true), (299, true), (300, false), (999, false)] {
        let world = try await fixture.world(
          .raw(interim + "HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nhi"))
        let answer = try await world.answer()
        checkEqual(
          answer.exchange.informationalResponses.map(\.status.code), [199], "the interim responses")
        checkEqual(answer.status, status, "the status")
        checkEqual(
          answer.exchange.response.status.isSuccessful, isSuccessful,
          "whether \(status) is successful")
        checkEqual(answer.text, "hi", "the content")
        for interim in answer.exchange.informationalResponses {
          checkEqual(interim.status.isSuccessful, false, "whether 199 is successful")
        }
      }
      checkEqual(
        HTTPResponse.Status(code: 99).isInformational, false, "whether 99 is an interim status")
      for line in ["HTTP/1.1 20: OK", "HTTP/1.1 2/0 OK", "HTTP/1.1 099 OK"] {
        try await fixture.world(.raw(line + "\r\n\r\n") + [.close]).expectFailure(.malformedHead)
      }
    }
    Clause(
      "old-keep-alive", "HTTP/1.0 keeps a connection that the server offers to keep",
      from: "RFC 9112 §9.3", requires: .connections
    ) { fixture in
      for (line, connections) in [("Connection: keep-alive\r\n", 1), ("", 2)] {
        let world = try await fixture.world(
          .raw("HTTP/1.0 200 OK\r\n\(line)Content-Length: 2\r\n\r\nhi"))
        for _ in 1...2 { checkEqual(try await world.answer().text, "hi", "the content") }
        checkEqual(world.log.counts.connections, connections, "the number of connections")
      }
    }
    Clause(
      "unread-pieces", "pieces that arrive before they are read are returned in order",
      from: "RFC 9112 §6"
    ) { fixture in
      let pieces = (0..<40).map { [UInt8](repeating: $0, count: 3000) }
      let world = try await fixture.world(
        OriginScript(
          [.readBody, .send("HTTP/1.1 200 OK\r\nContent-Length: 120000\r\n\r\n")]
            + pieces.flatMap { [.send($0), .pause(.milliseconds(1))] }))
      let exchange = try await world.send()
      // A peer in memory reports no sent bytes.
      _ = try await world.log.happens { $0.sentBytes == 0 || $0.sentBytes >= 120_000 }
      check(
        try await exchange.body.collect(upTo: 120_000) == Array(pieces.joined()),
        "the content differs from the pieces that were sent")
    }
    Clause(
      "collect-limit", "content is collected up to the limit, and not beyond it",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(
        .raw(chunkedHead + "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n").split(into: 1))
      checkText(try await world.send().body.collect(upTo: 6), "abcdef", "the content of 6 bytes")
      let exchange = try await world.send()
      let error = await #expect(throws: TransportError.self) {
        try await exchange.body.collect(upTo: 5)
      }
      checkEqual(error?.kind, .responseTooLarge(limit: 5), "the error at a limit of 5 bytes")
    }
    Clause(
      "request-forms",
      "a URL without a path, an underscore in a name, and spaces around Host are fit",
      from: "RFC 3986 §3.3, RFC 9110 §5.5"
    ) { fixture in
      let world = try await fixture.world(.respond())
      checkEqual(try await world.arrival(of: .get, "?q").head.target, "/?q", "the target")
      for value in [" a.example", "a.example\t", " a.example "] {
        let seen = try await world.arrival(of: .get, "/", [.host: value, "X-A": value])
        checkEqual(seen.fields[values: .host], ["a.example"], "Host")
        checkEqual(seen.fields[values: "X-A"], ["a.example"], "X-A")
      }
      let port = world.peers[0].port
      try await world.answer(to: HTTPRequest(url: "http://a_b.localhost:\(port)/"))
      checkEqual(
        world.log.requests.last?.fields[.host], "a_b.localhost:\(port)", "Host of the last request")
    }
    Clause(
      "producer-promises",
      "content of another length than declared, or a trailer field that frames it, is an error",
      from: "RFC 9110 §6.5.1 and §8.6"
    ) { fixture in
      for length in [4, 6] {
        let world = try await fixture.world(.respond())
        for isDeclared in [false, true] {
          let error = await world.expectFailure(
            .bodyLengthMismatch, of: .post, "/",
            isDeclared ? [.contentLength: "\(length)"] : [:],
            body: .stream(Chunks("he", "llo"), length: isDeclared ? nil : length))
          checkEqual(error?.phase, .sending, "the phase")
          checkEqual(error?.bytesSent, true, "whether bytes were sent")
        }
      }
      for field in [
        HTTPField(name: .contentLength, value: "5"), HTTPField(name: .host, value: "a"),
      ] {
        let world = try await fixture.world(.respond())
        let error = await world.expectFailure(
          .bodyProducerFailed, of: .post,
          body: .stream(Chunks("hello"), trailers: { HTTPFields([field]) }))
        checkEqual(error?.bytesSent, true, "whether bytes were sent")
      }
    }
  }
}
