import ContractTesting
import Testing
import TransportPort

extension TransportClauses {
  /// The values that callers and transports share, and what they mean when they are sent.
  @ClauseBuilder<TransportFixture>
  static var values: [Clause<TransportFixture>] {
    Clause(
      "wire-form", "a request is sent with exactly the lines that its wire form has",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let requests: [(HTTPRequest, HTTPRequestBody)] = [
        (world.request(.get, "/a?b", ["X-B": "1", "x-a": " 2 ", "Accept": "*/*"]), .none),
        (world.request(.post, "", ["X-B": "é"]), .text("hello")),
        (world.request(.put, "/#c", ["host": "a.example", .contentLength: "5"]), .text("hello")),
        (world.request("PURGE", "/", ["X-Empty": ""]), HTTPRequestBody.stream(Chunks("hello"))),
      ]
      for (request, body) in requests {
        let wire = try WireRequest(request, body: body)
        try await world.answer(to: request, body: body)
        let head = try #require(world.log.requests.last?.head)
        let lines = head.headerFields.map { "\($0.name.rawName): \($0.value)" }
        let form = String(decoding: wire.head, as: UTF8.self)
          .split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        checkEqual(form.first, "\(head.method) \(head.target) HTTP/1.1", "the request line")
        checkEqual(form.dropFirst().sorted(), (lines + ["", ""]).sorted(), "the field lines")
      }
    }
    Clause(
      "request-parts", "a request's URL is composed of its parts, and one without a path is fit",
      from: "RFC 3986 §5.3"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let authority = "127.0.0.1:\(world.peers[0].port)"
      for path in ["/a?b", nil] {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
        checkEqual(request.url, world.url + (path ?? ""), "the URL")
        let answer = try await world.answer(to: request)
        checkEqual(answer.exchange.request, request, "the answered request")
      }
      checkEqual(world.log.requests.map(\.head.target), ["/a?b", "/"], "the list of targets")
      let refusing = try await fixture.world(.respond())
      let invalid: [(HTTPRequest, String, TransportError.InvalidRequest)] = [
        (
          HTTPRequest(method: .get, scheme: nil, authority: authority, path: "/a"),
          "//\(authority)/a", TransportError.InvalidRequest.url
        ),
        (
          HTTPRequest(method: .get, scheme: "", authority: authority, path: nil),
          "://\(authority)", .url
        ),
        (
          HTTPRequest(method: .get, scheme: "http", authority: nil, path: nil), "http:",
          .missingHost
        ),
      ]
      for (request, url, reason) in invalid {
        checkEqual(request.url, url, "the URL")
        await refusing.expectRefusal(.invalidRequest(reason), of: request)
      }
    }
    Clause(
      "proxied-names", "every host name that is no number is fit, and so is every IPv4 address",
      from: "RFC 3986 §3.2.2 and §7.4", requires: .proxy
    ) { fixture in
      let proxy = try fixture.peer(.respond(text: "proxied"))
      let world = try await fixture.world([proxy]) { $0.proxy = proxy.url }
      let hosts = [
        "a.0ab", "a.1x2", "a.0xg1", "a.0x1g", "a.0x_", "0.0.0.0", "10.20.30.40",
        "255.255.255.255", "100.200.1.9",
      ]
      for host in hosts {
        try await world.answer(to: HTTPRequest(url: "http://\(host):80/"))
      }
      checkEqual(
        proxy.log.requests.map { $0.fields[.host] ?? "" }, hosts, "the list of hosts at the proxy")
    }
    Clause(
      "memory-content", "a policy can answer with content in memory, which is read like any other",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond(text: "network"))
        .through { KeepingTransport(base: $0) }
      for (path, text) in [("/", "network"), ("/kept", "kept"), ("/empty", "")] {
        let answer = try await world.answer(.get, path)
        checkEqual(answer.text, text, "the content")
        checkEqual(
          answer.exchange.body.trailerFields, path == "/" ? [:] : ["X-Kept": "yes"],
          "the trailer section")
        guard path != "/" else { continue }
        checkEqual(answer.status, 203, "the status of an answer from memory")
        checkEqual(answer.exchange.response.status.reasonPhrase, "", "its reason phrase")
        checkEqual(
          answer.exchange.informationalResponses.count, 0, "its number of interim responses")
      }
      checkEqual(world.log.requests.count, 1, "the number of requests")
    }
    Clause(
      "script-pieces", "a script is played alike whole and in pieces of any size",
      from: "this project"
    ) { fixture in
      let text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
      let whole: OriginScript = [.readBody, .send(text)]
      check(whole == .raw(text), "two scripts with the same steps differ")
      check(whole != .raw(text + "!"), "two scripts with different steps are equal")
      for (size, count) in [(-1, 40), (0, 40), (1, 40), (20, 2), (39, 2), (40, 1), (41, 1)] {
        let script = whole.split(into: size, pausing: .zero)
        let pieces = script.steps.compactMap { step -> [UInt8]? in
          if case .send(let bytes) = step { bytes } else { nil }
        }
        checkEqual(pieces.count, count, "the number of pieces of at most \(size) bytes")
        checkText(Array(pieces.joined()), text, "the pieces together")
        checkEqual(
          script.steps.count, 2 * count, "the number of steps, with a pause between two pieces,")
        checkEqual(whole.split(into: size).steps.count, 1 + count, "the number without pauses")
        checkEqual(try await fixture.world(script).answer().text, "hi", "the content")
      }
    }
    Clause(
      "repeated-pieces", "a script sends a piece exactly as often as it says",
      from: "this project"
    ) { fixture in
      for piece in ["", "a", "abc", String(repeating: "abc", count: 1000)] {
        for count in [-1, 0, 1, 2, 3, 4, 7, 2049] {
          let world = try await fixture.world([
            .readBody, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
            .sendRepeatedly(Array(piece.utf8), count: count), .close,
          ])
          let content = try await world.answer().content
          check(
            content == Array(String(repeating: piece, count: max(0, count)).utf8),
            "\(count) pieces of \(piece.utf8.count) bytes are \(content.count) bytes")
        }
      }
    }
    Clause(
      "script-defaults",
      "a script's response is 200 or 302, with a length unless its status has no content",
      from: "RFC 9110 §8.6"
    ) { fixture in
      let plain = try await fixture.world(.respond(text: "hi"), .redirect(to: "/end"))
      let answer = try await plain.answer()
      checkEqual(answer.status, 200, "the status")
      checkEqual(answer.fields, [.contentLength: "2"], "the fields")
      let redirect = try await plain.answer()
      checkEqual(redirect.status, 302, "the status of a redirect")
      checkEqual(redirect.fields[.location], "/end", "Location")
      let interim = try await fixture.world(.respond(199) + .respond(204))
      let last = try await interim.answer().exchange
      checkEqual(
        last.informationalResponses.map(\.headerFields), [[:]], "the fields of the interim response"
      )
      checkEqual(last.response.headerFields, [:], "the fields of 204")
      let other = try await fixture.world([.goAway(isProcessed: false)] + .respond(text: "hi"))
      checkEqual(try await other.answer().text, "hi", "the content with GOAWAY over HTTP/1.1")
    }
  }
}

/// Answers some requests from memory.
private struct KeepingTransport: HTTPTransport {
  let base: any HTTPTransport

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    guard let path = request.path, path != "/" else {
      return try await base.send(request, body: body, options: options)
    }
    let content: [UInt8] = path == "/kept" ? Array("kept".utf8) : []
    return HTTPExchange(
      request: request, response: HTTPResponse(status: .init(code: 203)),
      body: HTTPResponseBody(content, trailers: ["X-Kept": "yes"]))
  }
}
