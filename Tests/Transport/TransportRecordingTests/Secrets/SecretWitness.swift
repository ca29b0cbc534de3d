import Foundation
import TransportDecoding
import TransportPort

@testable import TransportRecording

/// An exchange with a secret in an odd place.
struct SecretWitness: Sendable {
  var secret = "hunter2x"
  var place: SecretPlace
  /// The reader without which the secret is written; `nil` if several find it.
  var reader: RedactionRule.Reader?
}

extension SecretWitness {
  private static func request(
    _ reader: RedactionRule.Reader?, _ path: String, _ secret: String = "hunter2x"
  ) -> SecretWitness {
    SecretWitness(
      secret: secret, place: SecretPlace(name: path, request: HTTPRequest(url: "http://h" + path)),
      reader: reader)
  }

  private static func field(
    _ reader: RedactionRule.Reader?, _ name: String, _ value: String, _ secret: String = "hunter2x"
  ) -> SecretWitness {
    SecretWitness(
      secret: secret,
      place: SecretPlace(
        name: "\(name): \(value)",
        answer: .respond(headerFields: [.init(name): value], text: "ok")), reader: reader)
  }

  private static func answer(
    _ reader: RedactionRule.Reader?, _ type: String, _ bytes: [UInt8], _ secret: String = "hunter2x"
  ) -> SecretWitness {
    SecretWitness(
      secret: secret,
      place: SecretPlace(
        name: "\(type): \(String(decoding: bytes.prefix(80), as: UTF8.self))",
        answer: .respond(headerFields: [.contentType: type], body: bytes)), reader: reader)
  }

  private static func answer(
    _ reader: RedactionRule.Reader?, _ type: String, _ text: String, _ secret: String = "hunter2x"
  ) -> SecretWitness { answer(reader, type, Array(text.utf8), secret) }

  private static func raw(_ reader: RedactionRule.Reader, _ head: String) -> SecretWitness {
    SecretWitness(place: SecretPlace(name: head, answer: .raw(head)), reader: reader)
  }

  private static func base64(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
  }

  private static let json = "application/json"
  private static let word = "Zk3vQ9xLw7RtB2nHs8YpFd4G"
  private static let key = (0..<4).map { "MIIEvQIBADANBgkqhkiG9w0BAQE\($0)AASCBKcwggSjAgEAAoIBAQ" }
  /// `password=hunter2x` as gzip.
  private static let compressed = "H4sIAAAAAAACAytILC4uzy9Ksc0ozStJLTKqAABcnvHsEQAAAA=="
  private static let pem =
    "-----BEGIN PRIVATE KEY-----\n\(key.joined(separator: "\n"))\n-----END PRIVATE KEY-----\n"
  private static let jwt =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r"

  /// One for each reader.
  static let readers: [SecretWitness] = [
    field(.cookieAttributes, "Set-Cookie", "a=b; Path=/; token=hunter2x"),
    field(.userinfo, "Location", "http://me:hunter2x@h/"),
    request(.query, "/q?pass%77ord=hunter2x"), field(.fragment, "Location", "/d#password=hunter2x"),
    request(.path, "/reset/a1b2c3d4e5", "a1b2c3d4e5"),
    request(.pathParameters, "/a;password=hunter2x/b"),
    raw(
      .trailers,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Token: hunter2x\r\n\r\n"),
    raw(
      .interimResponses,
      "HTTP/1.1 103 Early Hints\r\nX-Token: hunter2x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
    raw(.reason, "HTTP/1.1 204 password=hunter2x\r\n\r\n"),
    SecretWitness(
      place: SecretPlace(name: "failure", failure: "no answer from http://me:hunter2x@h/"),
      reader: .failure),
    answer(.json, json, #"{"pin":471108}"#, "471108"),
    answer(.describedValue, json, #"[{"name":"password","value":"hunter2x"}]"#),
    answer(.innerNames, json, #"{"secret":{"a":"hunter2x"}}"#),
    answer(.keyParameters, json, #"{"kty":"EC","d":"hunter2x"}"#),
    answer(
      .variables, json,
      #"[{"query":"mutation L($p: String!) { login(password: $p) { id } }","variables":{"p":"hunter2x"}}]"#
    ),
    answer(.form, "application/x-www-form-urlencoded", "pass%77ord=abcd%26hunter2x&b=1"),
    answer(
      .multipart, "multipart/form-data; boundary=X",
      "--X\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2x\r\n--X--\r\n"),
    answer(.table, "text/csv", "user,password\r\nme,hunter2x\r\n"),
    answer(.markup, "text/xml", "<r><password>hunter2x</password></r>"),
    answer(.innerElements, "text/xml", "<r><password><v>hunter2x</v></password></r>"),
    answer(.assignments, "text/plain", "password=hunter2x"),
    answer(.lines, "text/yaml", "db:\n  password: correcthorse\n", "correcthorse"),
    answer(.keyBlocks, "text/plain", pem, key[2]),
    answer(
      .keys, json, "{\"blob\":\"\(base64([0x30, 0x82, 1, 0, 2, 1, 0] + Array(0..<200)))\"}",
      "AgMEBQYHCAkK"),
    answer(.base64, "image/png", base64(#"{"password":"hunter2x"}"#.utf8)),
    answer(
      .hexadecimal, "text/plain", "password=hunter2x".utf8.map { String($0, radix: 16) }.joined()),
    answer(.gzip, "application/gzip", Array(Data(base64Encoded: compressed) ?? Data())),
    answer(
      .utf16, "application/json",
      #"{"password":"hunter2x"}"#.utf16.flatMap { [UInt8($0 & 255), 0] }),
    answer(.percentEncoding, "text/plain", "see pass%77ord=hunter2x"),
    answer(.escapes, "text/plain", #"see "pass\u0077ord":"hunter2x""#),
    answer(.entities, "text/plain", "see password&#61;hunter2x"),
    answer(.randomWords, json, "{\"blob\":\"\(word)\"}", word),
    SecretWitness(
      secret: "0f3a9b7c5d1e2f4a6b8c9d0e1f2a3b4c",
      place: SecretPlace(
        name: "hash", body: Array(#"{"blob":"0f3a9b7c5d1e2f4a6b8c9d0e1f2a3b4c"}"#.utf8)),
      reader: .hashes),
  ]

  /// Secrets in places that need more than one reader, or a shape.
  static let others: [SecretWitness] = [
    request(nil, "/q?data=" + base64(#"{"password":"hunter2x"}"#.utf8)),
    request(nil, "/verify/\(jwt)", jwt),
    request(
      nil, "/b?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20240305%2Feu%2Fs3%2Faws4_request",
      "AKIAIOSFODNN7EXAMPLE"),
    request(nil, "/b?X-Amz-Signature=\(String(repeating: "0f3a9b7c", count: 8))", "0f3a9b7c0f3a"),
    request(
      nil, "/c?sv=2022-11-02&sig=aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9d%3D", "aB3dE5fG7hI9"),
    request(nil, "/bot123456789:AAh3vQ9xLw7RtB2nHs8YpFd4GkW1cZ6mE0u/getMe", "AAh3vQ9xLw7RtB2"),
    field(
      nil, "Location",
      "https://api.telegram.org/bot123456789:AAh3vQ9xLw7RtB2nHs8YpFd4GkW1cZ6mE0u/x",
      "AAh3vQ9xLw7RtB2"),
    field(nil, "Refresh", "0; url=/done?token=hunter2x"),
    field(nil, "Link", "<https://h/x?access_token=hunter2x>; rel=next"),
    field(nil, "X-Forwarded-Authorization", "Basic bWU6aHVudGVyMng=", "bWU6aHVudGVyMng"),
    field(nil, "Sec-WebSocket-Protocol", "v1, authorization.bearer.\(jwt)", jwt),
    field(nil, "Content-Disposition", "attachment; filename=\"a?token=hunter2x\""),
    answer(
      nil, json, #"[{"query":"mutation { a }","variables":{"input":{"password":"hunter2x"}}}]"#),
    answer(nil, json, "{\"private_key\":\(pem.json),\"client_email\":\"a@b.iam\"}", key[1]),
    answer(nil, json, #"{"database":"postgres://u:hunter2x@db:5432/x?sslmode=require"}"#),
    answer(nil, json, #"{"broker":"redis://:hunter2x@h:6379/0","m":"mongodb+srv://u:p@h/"}"#),
    answer(nil, json, #"{"store":"jdbc:postgresql://h/db?user=u&password=hunter2x"}"#),
    answer(nil, json, #"{"backupCodes":["hunter2x","swordfish"]}"#, "swordfish"),
    answer(nil, json, #"{"headers":{"Cookie":"theme=hunter2x","Accept":"*/*"}}"#),
    answer(nil, json, #"{"set-cookie":["theme=hunter2x; Path=/"]}"#),
    answer(nil, json, #"{"auths":{"h":{"auth":"bWU6aHVudGVyMng="}}}"#, "bWU6aHVudGVyMng"),
    answer(nil, json, "{\"data\":{\"tls.key\":\"\(base64(pem.utf8))\"}}", key[1]),
    answer(
      nil, json, #"{"uri":"otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&issuer=b"}"#, "JBSWY3DPEHPK3PXP"
    ),
    answer(
      nil, json,
      "{\"src\":\"data:application/json;base64,\(base64(#"{"token":"hunter2x"}"#.utf8))\"}"),
    answer(nil, json, #"{"log":"{\"a\":\"{\\\"password\\\":\\\"hunter2x\\\"}\"}"}"#),
    answer(
      nil, "multipart/form-data; boundary=X",
      "--X\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nuser=me&pass%77ord=hunter2x\r\n--X--\r\n"
    ),
    answer(
      nil, "multipart/form-data; boundary=X",
      "--X\r\nContent-Disposition: form-data; name=\"f\"; filename=\"id_rsa\"\r\n\r\n\(pem)\r\n--X--\r\n",
      key[1]),
    answer(nil, "text/xml", "<r><user sec:password = 'hunter2x'/></r>"),
    answer(nil, "text/xml", "<Password Type=\"u#Text\"><![CDATA[hunter2x]]></Password>"),
    answer(
      nil, "text/html", "<input type=hidden name=\"csrf_token\" value=\"hunter2x1\">", "hunter2x1"),
    answer(nil, "text/html", "<meta name=\"csrf-token\" content=\"hunter2x1\">", "hunter2x1"),
    answer(
      nil, "text/plain", "//registry.npmjs.org/:_authToken=0f3a9b7c-5d1e-4f4a-8b8c-9d0e1f2a3b4c",
      "0f3a9b7c-5d1e"),
    answer(nil, "text/plain", "Server=h;User Id=sa;Password=hunter2x;"),
    answer(nil, "text/csv", "user,token\nme,1\n\(pem)\n", key[2]),
    answer(
      nil, "text/tab-separated-values", "user\tapi key\nme\t\"hunter2x\"\"1\"\n", "hunter2x"),
    answer(nil, "text/plain", "machine h login me password hunter2x"),
    answer(nil, "text/plain", "export DB_PASSWORD=correcthorse\n", "correcthorse"),
    answer(nil, "text/plain", "password = correcthorse\nport = 1\n", "correcthorse"),
    answer(nil, "text/plain", "curl -H 'Authorization: Bearer \(word)' https://h/", word),
    answer(nil, "text/plain", "{'user': 'me', 'password': 'hunter2x'}"),
    answer(nil, "text/plain", "curl -s -u 'me:correcthorse' https://h/", "correcthorse"),
    answer(nil, "text/plain", "$ curl --user me:correcthorse https://h/", "correcthorse"),
    answer(nil, json, #"{"rawHeaders":[["Accept","*/*"],["X-Api-Key","hunter2x"]]}"#),
    answer(
      nil, "text/yaml", "env:\n- name: DB_PASSWORD\n  value: correcthorse\n", "correcthorse"),
    answer(nil, json, #"{"Contraseña":"correcthorse"}"#, "correcthorse"),
    answer(nil, json, #"{"Пароль":"correcthorse"}"#, "correcthorse"),
    answer(nil, "text/plain", ":password=>\"hunter2x\", :port=>1"),
    answer(
      nil, "application/json; charset=utf-16",
      [0xFE, 0xFF] + #"{"password":"hunter2x"}"#.utf16.flatMap { [0, UInt8($0)] }),
    answer(
      nil, "application/octet-stream", [0, 1, 2, 0xFF] + Array("ghp_\(word)\(word)".utf8) + [0],
      "ghp_" + word),
  ]
}
