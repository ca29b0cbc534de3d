import Foundation
import TransportDecoding
import TransportPort

/// An exchange with a secret in one place.
struct SecretPlace: Sendable {
  let name: String
  var request = HTTPRequest(method: .post, url: "http://h/a")
  var body: [UInt8] = []
  var trailers: HTTPFields = [:]
  var answer = OriginScript.respond(text: "ok")
  /// What the error says, if there is no answer.
  var failure: String?

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

extension SecretPlace {
  /// Content with a secret, by its media type.
  private static func contents(_ kind: SecretKind) -> [(type: String, text: String)] {
    let (name, value) = (kind.name, kind.value)
    let json = value.json
    return [
      ("application/x-www-form-urlencoded", "user=me&\(name)=\(encoded(value))&a=1"),
      ("application/json", "{\"user\":\"me\",\(name.json):\(json)}"),
      ("application/json", "[{\"a\":{\"b\":[1,{\"c\":{\(name.json): \(json)}}]}}]"),
      ("application/json", "{\"items\":[{\"name\":\(name.json),\"value\":\(json)}]}"),
      (
        "application/json",
        "{\"query\":\"mutation M($v: String!) { m(v: $v) }\",\"variables\":{\(name.json):\(json)}}"
      ),
      ("application/json", "{\"data\":\("{\(name.json):\(json)}".json)}"),
      (
        "application/json",
        "{\"data\":\"\(Data("{\(name.json):\(json)}".utf8).base64EncodedString())\"}"
      ),
      (
        "application/x-www-form-urlencoded",
        "payload=\(encoded("{\"a\":{\(name.json):\(json)}}"))&b=2"
      ),
      (
        "multipart/form-data; boundary=XyZ",
        "--XyZ\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
          + "--XyZ\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n--XyZ--\r\n"
      ),
      ("application/xml", "<r><user>me</user><\(name)>\(value)</\(name)></r>"),
      ("application/xml", "<r><p name=\"\(name)\" value=\"\(value)\"/></r>"),
      ("text/xml", "<s:E xmlns:s=\"u\"><s:\(name) t=\"x\"><![CDATA[\(value)]]></s:\(name)></s:E>"),
      ("text/csv", "user,\(name),a\r\nme,\"\(value.replacing("\"", with: "\"\""))\",1\r\n"),
      ("application/x-ndjson", "{\"a\":1}\n{\(name.json):\(json)}\n"),
      ("text/event-stream", "data: {\(name.json):\(json)}\n\n"),
      ("text/plain", "\(name)=\(value)"),
    ]
  }

  /// A GraphQL literal; its names have no hyphens.
  private static func literal(_ kind: SecretKind) -> String {
    let query = "mutation { signIn(user: \"me\", \(kind.name): \(kind.value.json)) { id } }"
    return "{\"query\":\(query.json)}"
  }

  /// All places of a secret.
  ///
  /// - Parameter turn: Selects the encodings of each content; three neighbours have all of them.
  static func all(of kind: SecretKind, turn: Int) -> [SecretPlace] {
    let (name, value) = (kind.name, kind.value)
    let isLine = !value.contains("\n")
    var places: [SecretPlace] = []
    func add(_ name: String, _ change: (inout SecretPlace) -> Void) {
      var place = SecretPlace(name: name)
      change(&place)
      places.append(place)
    }
    add("query") { $0.request = HTTPRequest(url: "http://h/q?a=1&\(name)=\(encoded(value))") }
    add("query, twice encoded") {
      let inner = encoded("https://h/x?\(name)=\(encoded(value))")
      $0.request = HTTPRequest(url: "http://h/q?u=\(inner)")
    }
    add("Location") {
      $0.answer = .redirect(to: "http://h/done?a=1&\(name)=\(encoded(value))")
    }
    add("Location, relative") { $0.answer = .redirect(to: "/done?\(name)=\(encoded(value))") }
    add("fragment") { $0.answer = .redirect(to: "/done#a=1&\(name)=\(encoded(value))") }
    add("page in a fragment") { $0.answer = .redirect(to: "/#/cb?\(name)=\(encoded(value))") }
    if isLine {
      add("request field") { $0.request.headerFields[.init(name)] = value }
      add("response field") {
        $0.answer = .respond(headerFields: [.init(name): value], text: "ok")
      }
      add("field with items") { $0.request.headerFields["X-Items"] = "a=1; \(name)=\"\(value)\"" }
      add("request trailer") { $0.trailers = [.init(name): value] }
      add("response trailer") {
        $0.answer = .raw(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(name): \(value)\r\n\r\n")
      }
      add("cookie") { $0.request.headerFields[.cookie] = "a=1; \(name)=\(value)" }
      add("Set-Cookie") {
        $0.answer = .respond(headerFields: [.setCookie: "\(name)=\(value); Path=/"], text: "ok")
      }
      add("Authorization") { $0.request.headerFields[.authorization] = "Bearer \(value)" }
      add("Basic") {
        $0.request.headerFields[.authorization] =
          "Basic \(Data("me:\(value)".utf8).base64EncodedString())"
      }
      if !value.contains("/"), !value.contains(" ") {
        add("userinfo") { $0.answer = .redirect(to: "http://me:\(value)@h/") }
        add("userinfo of the request") { $0.request = HTTPRequest(url: "http://me:\(value)@h/") }
        add("parameter of a path") { $0.request.path = "/a;\(name)=\(value)/b" }
      }
    }
    var contents = contents(kind)
    if !name.contains("-") { contents.append(("application/json", literal(kind))) }
    for (index, content) in contents.enumerated() {
      let bytes = Array(content.text.utf8)
      let label = "\(content.type) \(index)"
      let coding = ["identity", "gzip", "br"][(index + turn) % 3]
      var fields: HTTPFields = [.contentType: content.type]
      if coding != "identity" { fields[.contentEncoding] = coding }
      let body = WholeContent.encode(bytes, coding) ?? []
      add("request, \(label), \(coding)") {
        $0.request.headerFields = fields
        $0.body = body
      }
      add("response, \(label), \(coding)") {
        $0.answer = .respond(headerFields: fields, body: body)
      }
      let inner =
        switch (index + turn) % 3 {
        case 0: Data(bytes).base64EncodedString()
        case 1: Data(WholeContent.encode(bytes, "gzip") ?? []).base64EncodedString()
        default: bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
      add("\(label) in base64, gzip or hexadecimal") {
        $0.answer = .respond(
          headerFields: [.contentType: "application/json"], text: "{\"file\":\"\(inner)\"}")
      }
    }
    return places
  }
}
