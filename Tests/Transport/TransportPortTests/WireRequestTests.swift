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

  @Test(arguments: [
    ("http://h", "/", "h", 80), ("https://h", "/", "h", 443), ("http://h?q", "/?q", "h", 80),
    ("http://h:80/", "/", "h", 80), ("https://h:80/", "/", "h:80", 80),
    ("http://h:/x", "/x", "h", 80), ("http://[::1]:81/", "/", "[::1]:81", 81),
    ("http://127.0.0.1/", "/", "127.0.0.1", 80), ("http://1.0.255.0/", "/", "1.0.255.0", 80),
    ("http://h./", "/", "h.", 80), ("http://1a/", "/", "1a", 80), ("http://0xg/", "/", "0xg", 80),
    ("http://1.example/", "/", "1.example", 80), ("HTTPS://H:443/", "/", "h", 443),
    ("HTTP://H/#f", "/", "h", 80),
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
    ("http://a..b/", .url), ("http://a../", .url), ("http://.a/", .url), ("http://./", .url),
    ("http://\(String(repeating: "a", count: 64))/", .url),
    ("http://\(String(repeating: "a.", count: 128))/", .url),
    ("http://\(longest)a/", .url),
    ("http://[]/", .url), ("http://[1:2:3:4:5:6:7:8:9]/", .url), ("http://[::1.2.3.256]/", .url),
    ("http://[1.2.3.4::]/", .url), ("http://0X7f000001/", .url), ("http://x::1]/", .url),
    ("http://[::1]:80]/", .url),
  ])
  func `a URL that cannot be sent is rejected`(
    url: String, reason: TransportError.InvalidRequest
  ) throws {
    #expect(try Self.refusal(HTTPRequest(url: url)) == .invalidRequest(reason))
  }

  @Test func `fields are sent in order and unchanged, including repeated and empty ones`() throws {
    var request = HTTPRequest(url: "http://h/", headerFields: ["A": "1", "b": "", "a": " 2 "])
    request.headerFields.append(HTTPField(name: "L", bytes: [0xE9]))
    let wire = try WireRequest(request, body: .none)
    let expected = Array("GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\nb: \r\na: 2\r\nL: ".utf8)
    #expect(wire.head == expected + [0xE9, 0x0D, 0x0A, 0x0D, 0x0A])
  }

  @Test func `a Connection field without a value is left out`() throws {
    let fields: HTTPFields = ["Connection": " ", "connection": "close", "X": ""]
    let wire = try WireRequest(HTTPRequest(url: "http://h/", headerFields: fields), body: .none)
    #expect(
      wire.head == Array("GET / HTTP/1.1\r\nHost: h\r\nconnection: close\r\nX: \r\n\r\n".utf8))
  }

  @Test(
    arguments: [1, 9, 10, 80, 99, 100, 443, 999, 1_000, 9_999, 10_000, 65_535], ["a.test", "[::1]"])
  func `Host has the port unless it is that of the scheme`(_ port: Int, _ host: String) throws {
    for (scheme, standard) in [("http", 80), ("https", 443)] {
      let wire = try WireRequest(HTTPRequest(url: "\(scheme)://\(host):\(port)/"), body: .none)
      #expect(wire.headerFields[.host] == (port == standard ? host : "\(host):\(port)"))
    }
  }

  @Test func `an explicit length of no content is sent`() throws {
    let request = HTTPRequest(url: "http://h/", headerFields: ["Content-Length": "0"])
    #expect(try Self.head(request).last == "Content-Length: 0")
    #expect(try Self.head(HTTPRequest(url: "http://h/")) == ["GET / HTTP/1.1", "Host: h"])
    #expect(
      try Self.head(HTTPRequest(url: "http://h/"), body: .text("a")).last == "Content-Length: 1")
  }

  @Test func `a scheme may be in upper case`() throws {
    var request = HTTPRequest(url: "http://h/")
    request.scheme = "HTTPS"
    #expect(try WireRequest(request, body: .none).origin.port == 443)
  }

  @Test(arguments: [
    ("http://a../", "is not a host name"), ("http://./", "is not a host name"),
    ("http://[::1]x/", "is not a host name"), ("http://[g::]/", "is not an IPv6 address"),
    ("http://127.1/", "is a number"),
  ])
  func `a host that is refused is told why`(url: String, reason: String) {
    let error = #expect(throws: TransportError.self) {
      try WireRequest(HTTPRequest(url: url), body: .none)
    }
    #expect(error?.detail.contains(reason) == true, "\(error?.detail ?? "")")
  }

  @Test func `a fragment in a path is not sent`() throws {
    var request = HTTPRequest(url: "http://h/")
    request.path = "/a?b#c"
    #expect(try WireRequest(request, body: .none).target == "/a?b")
  }
}
