import ContractTesting
import Testing
import TransportPort

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var request: [Clause<TransportFixture>] {
    Clause("methods", "the standard methods are sent under their names", from: "RFC 9110 §9.3") {
      fixture in
      let world = try await fixture.world(.respond())
      let methods: [HTTPRequest.Method] = [.get, .head, .put, .post, .delete, .options, .patch]
      for method in methods { try await world.answer(method) }
      checkEqual(world.log.requests.map(\.head.method), methods, "the list of received methods")
    }
    Clause(
      "custom-method", "a custom method is sent unchanged, including its case",
      from: "RFC 9110 §9.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for name in ["PROPFIND", "purge", "M-SEARCH", "a!#$%&'*+-.^_`|~9"] {
        let seen = try await world.arrival(of: HTTPRequest.Method(name))
        checkEqual(seen.head.method.rawValue, name, "the received method")
      }
    }
    Clause(
      "method-token", "an empty method, or one that is not a token, is rejected before any output",
      from: "RFC 9110 §9.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for name in ["", " ", "GE T", "GET\t", "GET / HTTP/1.1\r\nX-Injected: 1\r\n\r\nGET", "GÉT"] {
        await world.expectRefusal(
          .invalidRequest(.method), of: world.request(HTTPRequest.Method(name)))
      }
    }
    Clause(
      "connect-method", "CONNECT, which is for proxy tunnels, is rejected before any output",
      from: "RFC 9110 §9.3.6"
    ) { fixture in
      let world = try await fixture.world(.respond())
      await world.expectRefusal(.invalidRequest(.method), of: world.request(.connect))
    }
    Clause(
      "own-framing", "a Transfer-Encoding or a second Host of the caller is rejected",
      from: "RFC 9112 §3.2 and §6.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for fields: HTTPFields in [
        [.transferEncoding: "chunked"], ["transfer-encoding": "identity"],
        [.host: "a.example", .host: "a.example"], [.host: "a.example", "host": "b.example"],
      ] {
        await world.expectRefusal(.invalidRequest(.framing), of: world.request(.get, "/", fields))
      }
    }
    Clause(
      "value-controls", "a field value with CR, LF or NUL is rejected before any output",
      from: "RFC 9110 §5.5"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for value in ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b", "\n", "a\r\n"] {
        await world.expectRefusal(
          .invalidRequest(.fieldValue), of: world.request(.get, "/", ["X-A": value]))
      }
    }
    Clause(
      "name-token", "a field name that is not a token is rejected before any output",
      from: "RFC 9110 §5.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for name in ["", "X A", "X:", "X\r\nX-Injected", "X\0", "(X)", "Ключ"] {
        await world.expectRefusal(
          .invalidRequest(.fieldName),
          of: world.request(.get, "/", HTTPFields([HTTPField(name: .init(name), value: "1")])))
      }
    }
    Clause("empty-value", "a field with an empty value is sent", from: "RFC 9110 §5.5") { fixture in
      let world = try await fixture.world(.respond())
      let seen = try await world.arrival(of: .get, "/", ["X-Empty": "", "X-Full": "1"])
      checkEqual(seen.fields[values: "X-Empty"], [""], "X-Empty")
      checkEqual(seen.fields[values: "X-Full"], ["1"], "X-Full")
    }
    Clause(
      "repeated-fields", "repeated fields are sent as separate lines, in order",
      from: "RFC 9110 §5.3"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let seen = try await world.arrival(
        of: .get, "/", ["X-A": "2", "X-B": "b", "x-a": "1", "X-A": "2"])
      checkEqual(seen.fields[values: "X-A"], ["2", "1", "2"], "X-A")
    }
    Clause(
      "override-defaults", "the caller's fields replace the defaults, whatever their case",
      from: "RFC 9110 §5.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let fields: HTTPFields = [
        "user-agent": "mine/1", "ACCEPT": "text/plain", "accept-encoding": "identity",
        "content-type": "text/x-mine",
      ]
      let seen = try await world.arrival(of: .post, "/", fields, body: .text("a"))
      for field in fields {
        checkEqual(
          seen.fields[values: field.name], [field.value], "the received \(field.name)")
      }
    }
    Clause(
      "host", "Host is sent once, from the URL unless the caller sets it",
      from: "RFC 9110 §7.2"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let derived = try await world.arrival()
      checkEqual(
        derived.fields[values: .host], ["127.0.0.1:\(world.peers[0].port)"], "Host from the URL")
      let given = try await world.arrival(of: .get, "/", ["host": "other.example"])
      checkEqual(given.fields[values: .host], ["other.example"], "Host from the caller")
    }
    Clause(
      "length-mismatch",
      "a Content-Length that differs from the body's length is rejected before any output",
      from: "RFC 9110 §8.6"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for length in ["4", "6", "0", "-5", "+5", "0x5", "5, 5", "5 5", ""] {
        await world.expectRefusal(
          .invalidRequest(.contentLength),
          of: world.request(.post, "/", [.contentLength: length]), body: .text("hello"))
      }
      await world.expectRefusal(
        .invalidRequest(.contentLength),
        of: world.request(.post, "/", [.contentLength: "5", "content-length": "5"]),
        body: .text("hello"))
      await world.expectRefusal(
        .invalidRequest(.contentLength), of: world.request(.post),
        body: .stream(Chunks("hello"), length: -1))
      await world.expectRefusal(
        .invalidRequest(.contentLength), of: world.request(.post, "/", [.contentLength: "5"]),
        body: .stream(Chunks("hello"), trailers: { [:] }))
      let seen = try await world.arrival(
        of: .post, "/", [.contentLength: "5"], body: .text("hello"))
      checkEqual(seen.fields[values: .contentLength], ["5"], "the correct Content-Length")
    }
    Clause(
      "query-verbatim", "path and query are sent unchanged, including duplicates and escapes",
      from: "RFC 9110 §7.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for target in [
        "/a?x=1&x=2&x=1", "/?", "/?a?b=/c&&=", "/%7e%2F+?q=%20+%c3%a9", "/a//b/../c/./d;e=f",
        "/!\"$&'()*+,-.09:;<=>?@AZ[\\]^_`az{|}~",
      ] {
        let seen = try await world.arrival(of: .get, target)
        checkEqual(seen.head.target, target, "the received target")
      }
    }
    Clause(
      "target-syntax",
      "a path that has a space, control or non-ASCII character, or no slash, is rejected",
      from: "RFC 9112 §3.2, RFC 3986 §3.3"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for path in ["/a b", "/ ", "/\t", "/a\r\nX-Injected: 1", "/\0", "/\u{7F}", "/é", "a", "*"] {
        var request = world.request()
        request.path = path
        await world.expectRefusal(.invalidRequest(.url), of: request)
      }
    }
    Clause("fragment", "a fragment is never sent", from: "RFC 9110 §7.1") { fixture in
      let world = try await fixture.world(.respond())
      for (path, target) in [("/a?b#c", "/a?b"), ("#c", "/"), ("/#?x", "/"), ("/a#b#c", "/a")] {
        let seen = try await world.arrival(of: .get, path)
        checkEqual(seen.head.target, target, "the target of \(path)")
        guard path.hasPrefix("/") else { continue }
        var request = world.request()
        request.path = path
        try await world.answer(to: request)
        checkEqual(world.log.requests.last?.head.target, target, "the target of the path \(path)")
      }
    }
    Clause(
      "userinfo", "the user and password of a URL are never sent", from: "RFC 9110 §4.2.4"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let port = world.peers[0].port
      for user in ["alice:secret", "alice", ":secret", "a:b:c"] {
        try await world.answer(to: HTTPRequest(url: "http://\(user)@127.0.0.1:\(port)/x"))
      }
      checkEqual(world.log.requests.count, 4, "the number of requests")
      for seen in world.log.requests {
        checkEqual(seen.head.target, "/x", "the target")
        checkEqual(seen.fields[values: .host], ["127.0.0.1:\(port)"], "Host")
        checkEqual(seen.fields[values: .authorization], [], "Authorization")
      }
    }
    Clause(
      "ipv6-literal", "an IPv6 literal is a valid host, in brackets in the URL and in Host",
      from: "RFC 9110 §4.2.1, RFC 3986 §3.2.2"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let authority = "[::ffff:127.0.0.1]:\(world.peers[0].port)"
      try await world.answer(to: HTTPRequest(url: "http://\(authority)/six"))
      checkEqual(world.log.requests.map(\.head.target), ["/six"], "the list of received targets")
      checkEqual(
        world.log.requests.map { $0.fields[.host] ?? "" }, [authority], "Host")
    }
    Clause(
      "schemes", "a scheme other than http and https is rejected before any output",
      from: "RFC 9110 §4.2"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let port = world.peers[0].port
      for (scheme, url) in [
        ("file", "file:///etc/passwd"), ("file", "file://127.0.0.1:\(port)/etc/passwd"),
        ("ftp", "ftp://127.0.0.1:\(port)/"), ("gopher", "gopher://127.0.0.1:\(port)/_GET"),
        ("data", "data:,hello"), ("httpx", "httpx://127.0.0.1:\(port)/"),
      ] {
        await world.expectRefusal(.unsupportedScheme(scheme), of: HTTPRequest(url: url))
      }
    }
    Clause(
      "missing-host", "a URL without a host is rejected before any output", from: "RFC 9110 §4.2.1"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for url in ["http:///a", "http://:\(world.peers[0].port)/", "http://user@/", "http:/a"] {
        await world.expectRefusal(.invalidRequest(.missingHost), of: HTTPRequest(url: url))
      }
    }
    Clause(
      "host-numbers", "a numeric host other than four decimal numbers is rejected",
      from: "RFC 3986 §3.2.2 and §7.4"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for host in ["2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.1."] {
        await world.expectRefusal(
          .invalidRequest(.url), of: HTTPRequest(url: "http://\(host):\(world.peers[0].port)/"))
      }
    }
    Clause(
      "host-syntax",
      "a host name of labels of at most 63 bytes, 253 in all, is valid, and no other",
      from: "RFC 1035 §2.3.4, RFC 3986 §3.2.2"
    ) { fixture in
      let label = String(repeating: "a", count: 63)
      let (start, end) = ("\(label).\(label).\(label).", ".localhost")
      let world = try await fixture.world(.respond())
      // Transports resolve the names below `localhost` without a server (RFC 6761 §6.3).
      let hosts = [
        "zZ09-.localhost", "127.0.0.1.localhost", "0x7f.localhost", label + end,
        start + label.prefix(51) + end,
      ]
      for host in hosts {
        try await world.answer(to: HTTPRequest(url: "http://\(host):\(world.peers[0].port)/"))
      }
      checkEqual(world.log.requests.count, hosts.count, "the number of requests")
      let refusing = try await fixture.world(.respond())
      for host in [
        "a" + label + end, start + label.prefix(52) + end, "a..localhost", ".localhost", ".",
        "é.localhost", "%61.localhost", "a!.localhost", "1.2.3.256", "1.2.3.04", "1.2.3.4.5",
        "1.2..3", "1.2.3.", "a.1", "a.0x1F", "0x", "a[.localhost",
      ] {
        var request = refusing.request()
        request.authority = "\(host):\(refusing.peers[0].port)"
        await refusing.expectRefusal(.invalidRequest(.url), of: request)
      }
    }
    Clause(
      "authority-bytes", "an authority with a byte at which parsers disagree is rejected",
      from: "RFC 3986 §3.2"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for byte in "\\\"<>^`{|}/?# \t\0\u{1F}\u{7F}é" {
        for authority in ["user\(byte)@127.0.0.1", "127.0.0.1\(byte)@other.example"] {
          var request = world.request()
          request.authority = "\(authority):\(world.peers[0].port)"
          await world.expectRefusal(.invalidRequest(.url), of: request)
        }
      }
    }
    Clause(
      "port-range", "a port is a number from 1 to 65535, and no other", from: "RFC 3986 §3.2.3"
    ) { fixture in
      let nowhere = try await fixture.world([])
      for port in ["1", "00001", "65535"] {
        await nowhere.expectFailure(
          [.connectionRefused], of: HTTPRequest(url: "http://127.0.0.1:\(port)/"))
      }
      let world = try await fixture.world(.respond())
      for port in [
        "0", "65536", "99999", "065535", "-1", "+1", "1a", "0x1", "99999999999999999999",
      ] {
        var request = world.request()
        request.authority = "127.0.0.1:\(port)"
        await world.expectRefusal(.invalidRequest(.url), of: request)
      }
    }
    Clause(
      "ipv6-syntax", "every form of an IPv6 literal is valid, without a zone, and no other text",
      from: "RFC 4291 §2.2, RFC 3986 §3.2.2"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let port = world.peers[0].port
      let literals = [
        "::ffff:7f00:1", "0:0:0:0:0:ffff:127.0.0.1", "0:0:0:0:0:FFFF:7F00:0001",
        "0:0:0:0::ffff:7f00:1",
      ]
      for literal in literals {
        try await world.answer(to: HTTPRequest(url: "http://[\(literal)]:\(port)/"))
      }
      checkEqual(world.log.requests.count, literals.count, "the number of requests")
      let refusing = try await fixture.world(.respond())
      for literal in [
        "", ":", ":::", "::1::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2:3:4:5:6:7:8",
        "12345::", "g::", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "::1.2.3.0004", "::1.2.3.",
        "::1.2.3.a", "::1.2..3", "::.1.2.3", "::1.2.3.4.", "::1.2.3.04", "1::2:3:4:5:6:7::8",
        "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "fe80::1%25lo", "v1.a", "::1]",
        "127.0.0.1",
      ] {
        var request = refusing.request()
        request.authority = "[\(literal)]:\(refusing.peers[0].port)"
        await refusing.expectRefusal(.invalidRequest(.url), of: request)
      }
    }
    Clause("long-target", "a target of 100,000 bytes is sent completely", from: "RFC 9110 §4.1") {
      fixture in
      let world = try await fixture.world(.respond())
      let target = "/" + String(repeating: "0123456789", count: 10_000)
      let seen = try await world.arrival(of: .get, target)
      checkEqual(seen.head.target.utf8.count, target.utf8.count, "the length of the target")
      checkEqual(seen.head.target, target, "the target")
    }
    Clause(
      "trace-body", "TRACE with a body is rejected before any output", from: "RFC 9110 §9.3.8"
    ) { fixture in
      let world = try await fixture.world(.respond())
      await world.expectRefusal(
        .invalidRequest(.body), of: world.request(.trace), body: .text("secret"))
      let seen = try await world.arrival(of: .trace)
      checkEqual(seen.head.method, .trace, "the method without a body")
    }
    Clause(
      "head-body", "HEAD with a body is rejected before any output", from: "RFC 9110 §9.3.2"
    ) { fixture in
      let world = try await fixture.world(.respond())
      for body in [HTTPRequestBody.text("a"), .bytes([]), .stream(Chunks("a"))] {
        await world.expectRefusal(.invalidRequest(.body), of: world.request(.head), body: body)
      }
    }
    Clause(
      "request-head-limit",
      "a request head of more than 1,000,000 bytes is rejected before any output",
      from: "this project"
    ) { fixture in
      let world = try await fixture.world(.respond())
      let long = String(repeating: "a", count: WireRequest.headLimit)
      for request in [
        world.request(.get, "/" + long), world.request(.get, "/", ["X-A": long]),
        world.request(HTTPRequest.Method(long)),
      ] {
        await world.expectRefusal(.invalidRequest(.headTooLarge), of: request)
      }
      let seen = try await world.arrival(of: .get, "/", ["X-A": String(long.dropLast(200))])
      checkEqual(seen.fields["X-A"]?.utf8.count, long.utf8.count - 200, "the length of X-A")
    }
  }
}
