import Testing
import TransportPort

@Suite struct WireRequestTests {
  private static func head(
    _ request: HTTPRequest, body: HTTPRequestBody = .none
  ) throws -> [String] {
    let wire = try WireRequest(request, body: body)
    return String(decoding: wire.head, as: UTF8.self).split(separator: "\r\n").map(String.init)
  }

  private static func refusal(
    _ request: HTTPRequest, body: HTTPRequestBody = .none
  ) throws -> TransportError.Kind? {
    do {
      _ = try WireRequest(request, body: body)
      return nil
    } catch {
      #expect(error.phase == .preparing)
      #expect(!error.bytesSent)
      #expect(!error.isRetrySafe)
      #expect(!error.detail.isEmpty)
      return error.kind
    }
  }

  /// A host name of 253 bytes, the maximum.
  private static let longest = [63, 63, 63, 61].map { String(repeating: "a", count: $0) }
    .joined(separator: ".")

  @Test(arguments: ["a", " a", "a ", "\t a \t"])
  func `spaces around a value are not sent`(value: String) throws {
    let lines = try Self.head(HTTPRequest(url: "http://h/", headerFields: ["X": value]))
    #expect(lines == ["GET / HTTP/1.1", "Host: h", "X: a"])
  }

  @Test func `userinfo and fragment are not sent, the query is sent verbatim`() throws {
    let lines = try Self.head(
      HTTPRequest(url: "http://user:secret@Example.com:8080/a%20b?b=1&b=2&&=#top?x"))
    #expect(lines == ["GET /a%20b?b=1&b=2&&= HTTP/1.1", "Host: example.com:8080"])
  }

  @Test(arguments: [
    ("http://h", "/", "h", 80), ("https://h", "/", "h", 443), ("http://h?q", "/?q", "h", 80),
    ("http://h:80/", "/", "h", 80), ("https://h:80/", "/", "h:80", 80),
    ("http://h:/x", "/x", "h", 80), ("http://[::1]:81/", "/", "[::1]:81", 81),
    ("http://127.0.0.1/", "/", "127.0.0.1", 80), ("http://1.0.255.0/", "/", "1.0.255.0", 80),
    ("http://h./", "/", "h.", 80), ("http://1a/", "/", "1a", 80), ("http://0xg/", "/", "0xg", 80),
    ("http://1.example/", "/", "1.example", 80), ("HTTP://H/#f", "/", "h", 80),
    ("http://a@b@h/", "/", "h", 80), ("http://1x2/", "/", "1x2", 80),
    ("http://\(longest)/", "/", longest, 80),
    ("http://[2001:DB8::1.2.3.4]/", "/", "[2001:db8::1.2.3.4]", 80),
    ("http://h/a?http://b@c/#d", "/a?http://b@c/", "h", 80),
  ])
  func `URLs are split into target, host and port`(
    url: String, target: String, host: String, port: Int
  ) throws {
    let wire = try WireRequest(HTTPRequest(url: url), body: .none)
    #expect(wire.target == target)
    #expect(wire.headerFields[.host] == host)
    #expect(wire.origin.port == port)
  }

  @Test(arguments: [
    ("http://", TransportError.InvalidRequest.missingHost), ("http:///a", .missingHost),
    ("http://:80/", .missingHost), ("http://user@/", .missingHost), ("//h/", .url), ("h", .url),
    ("", .url), ("http:/h", .missingHost), ("http://h:0/", .url), ("http://h:65536/", .url),
    ("http://h:8a/", .url), ("http://h:-1/", .url), ("http://a b/", .url), ("http://h/a b", .url),
    ("http://h/é", .url), ("http://ü/", .url), ("http://h/\r\nX: y", .url), ("http://[::1/", .url),
    ("http://[g::]/", .url), ("http://[1:2]/", .url), ("http://[::1]x/", .url),
    ("http://[1::2::3]/", .url), ("http://h\r\nX: y/", .url), ("http://h\\@evil/", .url),
    ("http://2130706433/", .url), ("http://0x7f000001/", .url), ("http://0x/", .url),
    ("http://127.1/", .url), ("http://0177.0.0.1/", .url), ("http://1.2.3.4.5/", .url),
    ("http://127.0.0.1./", .url), ("http://256.0.0.1/", .url), ("http://a.1/", .url),
    ("http://a..b/", .url), ("http://.a/", .url), ("http://./", .url),
    ("http://\(String(repeating: "a", count: 64))/", .url),
    ("http://\(String(repeating: "a.", count: 128))/", .url),
    ("http://\(longest)a/", .url),
    ("http://[]/", .url), ("http://[1:2:3:4:5:6:7:8:9]/", .url), ("http://[::1.2.3.256]/", .url),
  ])
  func `a URL that cannot be sent is rejected`(
    url: String, reason: TransportError.InvalidRequest
  ) throws {
    #expect(try Self.refusal(HTTPRequest(url: url)) == .invalidRequest(reason))
  }

  @Test(arguments: ["file", "ftp", "gopher", "data", "ws", "javascript"])
  func `other schemes are rejected`(scheme: String) throws {
    #expect(
      try Self.refusal(HTTPRequest(url: "\(scheme)://h/etc/passwd")) == .unsupportedScheme(scheme))
    #expect(try Self.refusal(HTTPRequest(url: "\(scheme):x")) == .unsupportedScheme(scheme))
  }

  @Test func `a path without a slash is rejected and a fragment is removed`() throws {
    var request = HTTPRequest(method: .get, scheme: "http", authority: "h", path: "a")
    #expect(try Self.refusal(request) == .invalidRequest(.url))
    request.path = "/a#b"
    #expect(try Self.head(request)[0] == "GET /a HTTP/1.1")
    request.path = nil
    #expect(try Self.head(request)[0] == "GET / HTTP/1.1")
  }

  @Test(arguments: ["", "GET /evil HTTP/1.1\r\nX:", "A B", "GÉT", "GET\n", "CONNECT"])
  func `CONNECT and methods that are not tokens are rejected`(method: String) throws {
    let request = HTTPRequest(method: HTTPRequest.Method(method), url: "http://h/")
    #expect(try Self.refusal(request) == .invalidRequest(.method))
  }

  @Test func `a custom method is sent unchanged`() throws {
    #expect(try Self.head(HTTPRequest(method: "purge", url: "http://h/"))[0] == "purge / HTTP/1.1")
  }

  @Test(arguments: ["", "A B", "A:", "A\r\nB", "Ä", "A\0"])
  func `a field name that is not a token is rejected`(name: String) throws {
    let request = HTTPRequest(url: "http://h/", headerFields: [HTTPField.Name(name): "x"])
    #expect(try Self.refusal(request) == .invalidRequest(.fieldName))
  }

  @Test(arguments: ["x\r\nY: z", "x\n", "\r", "x\0y"])
  func `a field value with CR, LF or NUL is rejected`(value: String) throws {
    for name: HTTPField.Name in ["X-A", "Host", "Content-Type"] {
      let request = HTTPRequest(url: "http://h/", headerFields: [name: value])
      #expect(try Self.refusal(request) == .invalidRequest(.fieldValue))
    }
  }

  @Test func `fields are sent in order and unchanged, including repeated and empty ones`() throws {
    var request = HTTPRequest(url: "http://h/", headerFields: ["A": "1", "b": "", "a": " 2 "])
    request.headerFields.append(HTTPField(name: "L", bytes: [0xE9]))
    let wire = try WireRequest(request, body: .none)
    let expected = Array("GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\nb: \r\na: 2\r\nL: ".utf8)
    #expect(wire.head == expected + [0xE9, 0x0D, 0x0A, 0x0D, 0x0A])
  }

  @Test func `a Host field overrides the default, two are rejected`() throws {
    let lines = try Self.head(HTTPRequest(url: "http://h/", headerFields: ["hOST": "other"]))
    #expect(lines == ["GET / HTTP/1.1", "Host: other"])
    let twice = HTTPRequest(url: "http://h/", headerFields: ["Host": "a", "host": "a"])
    #expect(try Self.refusal(twice) == .invalidRequest(.framing))
  }

  @Test func `Transfer-Encoding in a request is rejected`() throws {
    let request = HTTPRequest(url: "http://h/", headerFields: ["transfer-encoding": "chunked"])
    #expect(try Self.refusal(request) == .invalidRequest(.framing))
  }

  @Test func `TRACE is sent only without a body`() throws {
    let request = HTTPRequest(method: .trace, url: "http://h/")
    #expect(try Self.refusal(request) == nil)
    #expect(try Self.refusal(request, body: .bytes([])) == .invalidRequest(.body))
  }

  @Test(arguments: [
    (HTTPRequest.Method.get, nil as String?), (.head, nil), (.delete, nil), (.options, nil),
    ("PURGE", nil), (.post, "0"), (.put, "0"), (.patch, "0"),
  ])
  func `no body means no Content-Length, except 0 for POST, PUT and PATCH`(
    method: HTTPRequest.Method, length: String?
  ) throws {
    let wire = try WireRequest(HTTPRequest(method: method, url: "http://h/"), body: .none)
    #expect(wire.headerFields[.contentLength] == length)
    #expect(!wire.headerFields.contains(.transferEncoding))
  }

  @Test func `a body of known length has Content-Length, any other is chunked`() throws {
    let request = HTTPRequest(method: .post, url: "http://h/")
    let known = try WireRequest(request, body: .text("abc"))
    #expect(known.framing == .length(3))
    #expect(known.headerFields[.contentLength] == "3")
    let empty = try WireRequest(HTTPRequest(url: "http://h/"), body: .bytes([]))
    #expect(empty.headerFields[.contentLength] == "0")
    let unknown = try WireRequest(request, body: .stream(Chunks([])))
    #expect(unknown.framing == .chunked)
    #expect(unknown.headerFields[.transferEncoding] == "chunked")
    #expect(!unknown.headerFields.contains(.contentLength))
    let trailed = try WireRequest(
      request, body: .stream(Chunks([]), length: 3, trailers: { [:] }))
    #expect(trailed.framing == .chunked)
  }

  @Test(arguments: ["4", "-3", "3, 3", "+3", "x", "", "99999999999999999999"])
  func `a Content-Length that does not match the body is rejected`(length: String) throws {
    let request = HTTPRequest(
      method: .post, url: "http://h/", headerFields: ["content-length": length])
    #expect(try Self.refusal(request, body: .text("abc")) == .invalidRequest(.contentLength))
  }

  @Test func `a matching Content-Length is sent once and applies to a stream`() throws {
    let request = HTTPRequest(
      method: .post, url: "http://h/", headerFields: ["content-length": "3"])
    let wire = try WireRequest(request, body: .text("abc"))
    #expect(wire.headerFields[values: .contentLength] == ["3"])
    #expect(try WireRequest(request, body: .stream(Chunks([]))).framing == .length(3))
    #expect(try Self.refusal(request) == .invalidRequest(.contentLength))
    #expect(
      try Self.refusal(request, body: .stream(Chunks([]), trailers: { [:] }))
        == .invalidRequest(.contentLength))
    #expect(
      try Self.refusal(
        HTTPRequest(method: .post, url: "http://h/"), body: .stream(Chunks([]), length: -1))
        == .invalidRequest(.contentLength))
  }

  @Test func `a URL of 100 KB is valid`() throws {
    let query = String(repeating: "q", count: 100_000)
    #expect(
      try WireRequest(HTTPRequest(url: "http://h/?\(query)"), body: .none).target.count > 100_000)
  }

  @Test func `HEAD is sent only without a body`() throws {
    let request = HTTPRequest(method: .head, url: "http://h/")
    for body in [HTTPRequestBody.text("a"), .bytes([])] {
      #expect(try Self.refusal(request, body: body) == .invalidRequest(.body))
    }
    var declared = request
    declared.headerFields[.contentLength] = "0"
    #expect(try Self.refusal(declared) == .invalidRequest(.body))
    #expect(try Self.refusal(request) == nil)
  }

  @Test func `a head beyond the limit is rejected, whichever part is too large`() throws {
    let bare = HTTPRequest(url: "http://h/")
    let room = WireRequest.headLimit - (try WireRequest(bare, body: .none).head.count)
    func request(_ count: Int) -> [HTTPRequest] {
      let text = String(repeating: "a", count: count)
      return [
        HTTPRequest(url: "http://h/" + text),
        HTTPRequest(method: HTTPRequest.Method("GET" + text), url: "http://h/"),
        HTTPRequest(url: "http://h/", headerFields: ["X": String(text.dropLast(5))]),
      ]
    }
    for request in request(room) { #expect(try Self.refusal(request) == nil) }
    for request in request(room + 1) {
      #expect(try Self.refusal(request) == .invalidRequest(.headTooLarge))
    }
  }
}
