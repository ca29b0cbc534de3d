import Foundation
import Testing
import TransportDecoding
import TransportPort
import TransportRecording

@Suite struct RedactionTests {
  /// Echoes of a secret outside the places that the redaction names.
  @Test(arguments: [
    ("plain", "response.content.text"), ("percent", "response.content.text"),
    ("json", "response.content.text"), ("unicode", "response.content.text"),
    ("base64", "response.content.text"), ("shifted", "response.content.text"),
    ("hexadecimal", "response.content.text"), ("binary", "response.content"),
    ("nested", "response.content.text"), ("field", "response.headers[0].value"),
    ("url", "request.url"), ("body", "request.postData.text"),
  ])
  func `an echo of a secret is refused and its place named`(
    _ form: String, _ place: String
  ) async throws {
    let folder = try Folder()
    let secret = "pa ss\"wö\\rd/9"
    let echo =
      switch form {
      case "percent", "url": SecretPlace.encoded(secret).lowercased()
      case "json": secret.json
      case "unicode": secret.unicodeScalars.map { "\\u" + $0.hex }.joined()
      case "base64": Data(secret.utf8).base64EncodedString()
      case "shifted": Data("{\"a\":\(secret)}".utf8).base64EncodedString()
      case "hexadecimal": Array(secret.utf8).map { String($0, radix: 16) }.joined()
      case "nested": SecretPlace.encoded(secret.json)
      default: secret
      }
    let fake = FakeTransport { request in
      guard request.path == "/echo" else { return .respond(text: "first") }
      return switch form {
      case "field": .respond(headerFields: ["X-Echo": echo])
      case "binary": .respond(body: [0xFF] + Array(echo.utf8) + [0xFE])
      case "url", "body": .respond()
      default: .respond(text: "before \(echo) after")
      }
    }
    let recording = try RecordingTransport(
      wrapping: fake, to: folder.file("a.har"), redacting: Redaction(names: ["X-Key"]))
    // The echo comes first: a secret of a later exchange counts for earlier ones.
    let url = form == "url" ? "http://h/echo?e=\(echo)" : "http://h/echo"
    _ = await Seen(
      recording, HTTPRequest(method: .post, url: url),
      body: form == "body" ? .text(echo) : .none)
    _ = await Seen(recording, HTTPRequest(url: "http://h/", headerFields: ["X-Key": secret]))
    let error = #expect(throws: RecordingError.self) { try recording.save() }
    guard case .secretRemains(let places) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      places.contains { $0.contains("log.entries[0].\(place) has the value of the name 'X-Key'") })
    #expect(!"\(RecordingError.secretRemains(places))".contains("ss\"w"))
    #expect(folder.names == [])
  }

  @Test func `an allowed value may be anywhere, and a short one is not searched for`() async throws
  {
    let folder = try Folder()
    let fake = FakeTransport { _ in .respond(text: "language en-US, 1") }
    let redaction = Redaction(allowedValues: ["en-US"])
    let recording = try RecordingTransport(
      wrapping: fake, to: folder.file("a.har"), redacting: redaction)
    _ = await Seen(
      recording, HTTPRequest(url: "http://h/", headerFields: ["Cookie": "lang=en-US; seen=1"]))
    try recording.save()
    let bytes = try folder.bytes(of: "a.har")
    #expect(bytes.range(of: Data("lang=REDACTED; seen=REDACTED".utf8)) != nil)
    #expect(bytes.range(of: Data("lang=en-US".utf8)) == nil)
  }

  @Test func `content that cannot be searched or redacted is refused`() async throws {
    let contents: [(HTTPFields, String)] = [
      (["Content-Type": "application/json"], "{\"password\": \"cut off"),
      (["Content-Type": "text/json"], "{\"password\": \"\(String(repeating: "a", count: 100))\"}"),
      (["Content-Encoding": "br"], "not readable"),
      (["Content-Encoding": "zstd"], "an encoding without a decoder"),
    ]
    for (fields, text) in contents {
      let folder = try Folder()
      let fake = FakeTransport { _ in .respond(headerFields: fields, text: text) }
      let recording = try RecordingTransport(
        wrapping: fake, to: folder.file("a.har"),
        redacting: Redaction(jsonPaths: ["user.password"]), bodyLimit: 100)
      _ = await Seen(recording, HTTPRequest(url: "http://h/"))
      let error = #expect(throws: RecordingError.self) { try recording.save() }
      guard case .contentNotReadable(0, "response", _) = error else {
        Issue.record("\(fields): \(String(describing: error))")
        continue
      }
      #expect(folder.names == [])
    }
  }

  @Test func `content that cannot be decoded is kept if its encoding is allowed`() async throws {
    func content(_ text: String) -> [UInt8] {
      Array((WholeContent.encode(Array(text.utf8), "gzip") ?? []).dropLast(9))
    }
    for (coding, bytes) in [
      ("zstd", Array("plain".utf8)), ("gzip", content("plain text")),
      ("gzip", Array("not gzip".utf8)), ("gzip, br", content("plain")),
    ] {
      let folder = try Folder()
      let fake = FakeTransport { _ in
        .respond(headerFields: [.contentEncoding: coding], body: bytes)
      }
      func record(_ redaction: Redaction) async throws(RecordingError) {
        let recording = try RecordingTransport(
          wrapping: fake, to: folder.file("a.har"), redacting: redaction)
        _ = await Seen(recording, HTTPRequest(url: "http://h/"))
        try recording.save()
      }
      let failing = coding.split(separator: " ").last.map(String.init) ?? ""
      let error = await #expect(throws: RecordingError.self) { try await record(Redaction()) }
      #expect(
        "\(String(describing: error))".contains("add \"\(failing)\" to Redaction.allowedEncodings"))
      try await record(Redaction(allowedEncodings: [failing.uppercased()]))
      let replay = try ReplayTransport(har: folder.file("a.har"))
      #expect(await Seen(replay, HTTPRequest(url: "http://h/")).body == bytes)
      #expect(try HTTPArchive.audit(contentsOf: folder.file("a.har")) == [])
    }
  }

  /// Allowed content is searched as far as it can be read.
  @Test(arguments: [
    ("zstd", #"{"password":"hunter2x"}"#, 0), ("gzip", #"{"password":"hunter2x"}"#, 9),
    ("br, gzip", #"{"password":"hunter2x"}"#, 9), ("gzip", "an echo of key-secret-4f", 8),
    ("zstd", "an echo of key-secret-4f", 0),
  ])
  func `content that cannot be decoded keeps no secret that can be read`(
    _ codings: String, _ text: String, _ missing: Int
  ) async throws {
    var bytes = Array(text.utf8)
    for coding in codings.split(separator: ", ") {
      bytes = WholeContent.encode(bytes, String(coding)) ?? bytes
    }
    let answer = OriginScript.respond(
      headerFields: [.contentEncoding: codings], body: Array(bytes.dropLast(missing)))
    let folder = try Folder()
    let recording = try RecordingTransport(
      wrapping: FakeTransport { _ in answer }, to: folder.file("a.har"),
      redacting: Redaction(names: ["X-Key"], allowedEncodings: ["gzip", "zstd"]))
    _ = await Seen(
      recording, HTTPRequest(url: "http://h/", headerFields: ["X-Key": "key-secret-4f"]))
    #expect(throws: RecordingError.self) { try recording.save() }
    #expect(folder.names == [])
  }

  @Test func `the number of a card or of an account is secret`() async throws {
    let folder = try Folder()
    let text =
      #"{"card":{"number":"4242424242424242"},"bankAccounts":[{"number":12345678}],"page":{"number":3}}"#
    let fake = FakeTransport { _ in .respond(text: text) }
    let recording = try RecordingTransport(wrapping: fake, to: folder.file("a.har"))
    let request = HTTPRequest(url: "http://h/")
    #expect(await Seen(recording, request).text == text)
    try recording.save()
    #expect(
      await Seen(try ReplayTransport(har: folder.file("a.har")), request).text
        == #"{"card":{"number":"REDACTED"},"bankAccounts":[{"number":"REDACTED"}],"page":{"number":3}}"#
    )
  }

  @Test func `only the value of a JSON path changes`() async throws {
    let folder = try Folder()
    let text = #" {"a" : [ {"t":"one-secret","u":1e400}, {"t":{"x":"two-secret"}} ],"b":{"t":3}} "#
    let fake = FakeTransport { _ in .respond(text: text) }
    let recording = try RecordingTransport(
      wrapping: fake, to: folder.file("a.har"), redacting: Redaction(jsonPaths: ["a[*].t"]))
    let request = HTTPRequest(url: "http://h/")
    #expect(await Seen(recording, request).text == text)
    try recording.save()
    #expect(
      await Seen(try ReplayTransport(har: folder.file("a.har")), request).text
        == #" {"a" : [ {"t":"REDACTED","u":1e400}, {"t":"REDACTED"} ],"b":{"t":3}} "#)
  }
}

extension Unicode.Scalar {
  fileprivate var hex: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
