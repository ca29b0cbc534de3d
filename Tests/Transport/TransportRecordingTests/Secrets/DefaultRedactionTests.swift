import Foundation
import Testing
import TransportDecoding
import TransportPort

@testable import TransportRecording

/// What a recording without any setting replaces, refuses and leaves alone.
@Suite struct DefaultRedactionTests {
  /// Records one exchange for each place; returns the file, or the error that refused it.
  static func record(
    _ places: [SecretPlace], redacting redaction: Redaction = Redaction()
  ) async throws -> Result<Data, RecordingError> {
    let folder = try Folder()
    let fake = FakeTransport(OriginPlan(inTurn: places.map(\.answer)))
    let failure = places.first?.failure
    let recording = try RecordingTransport(
      wrapping: failure.map { FailingTransport(detail: $0) } ?? fake, to: folder.file("a.har"),
      redacting: redaction)
    for place in places {
      let trailers = place.trailers
      let bytes = place.body
      let body: HTTPRequestBody =
        trailers.isEmpty
        ? (bytes.isEmpty ? .none : .bytes(bytes))
        : .stream(Chunks(chunks: ["x"]), trailers: { trailers })
      let seen = await Seen(recording, place.request, body: body)
      #expect((seen.error == nil) == (failure == nil), "\(place.name)")
    }
    do throws(RecordingError) { try recording.save() } catch { return .failure(error) }
    return .success(try folder.bytes(of: "a.har"))
  }

  @Test(arguments: SecretKind.all.indices)
  func `no secret of a known kind is in the file, wherever it was`(_ index: Int) async throws {
    let kind = SecretKind.all[index]
    let places = SecretPlace.all(of: kind, turn: index)
    guard kind.sign != .nothing else {
      // Nothing names it, so that each place is either refused or redacted.
      for place in places { try await Self.expect(kind, in: [place], mayStop: true) }
      return
    }
    try await Self.expect(kind, in: places, mayStop: false)
  }

  private static func expect(
    _ kind: SecretKind, in places: [SecretPlace], mayStop: Bool
  ) async throws {
    let name = "\(kind.testDescription) in \(places.count == 1 ? places[0].name : "all places")"
    switch try await record(places) {
    case .success(let file):
      var exposed = ExposedText(kind.value.replacing("Bearer ", with: ""))
      let isExposed = exposed.isIn(file)
      #expect(!isExposed, "\(name)")
    case .failure(.secretSuspected) where mayStop: break
    case .failure(let error): Issue.record("\(name): \(error)")
    }
  }

  @Test func `of 300 harmless exchanges none is stopped, and few are changed`() async throws {
    var changed: Set<String> = []
    let exchanges = try HarmlessExchange.all() + HarmlessValue.places
    #expect(exchanges.count > 300)
    for exchange in exchanges {
      switch try await Self.record([exchange]) {
      case .success(let file):
        if file.range(of: Data(Redaction.placeholder.utf8)) != nil { changed.insert(exchange.name) }
      case .failure(let error): Issue.record("\(exchange.name): \(error)")
      }
    }
    // Credentials and cookies are always replaced; a global code of a place looks like a code.
    #expect(changed.subtracting(["conditional request", "policy", "place"]) == [])
  }

  /// A transport that does not answer.
  private struct FailingTransport: HTTPTransport {
    let detail: String

    func send(
      _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
    ) async throws(TransportError) -> HTTPExchange {
      throw TransportError(
        .connectFailed, phase: .connecting, method: request.method, bytesSent: false, code: nil,
        detail: detail)
    }
  }

  private static let word = "Zk3vQ9xLw7RtB2nHs8YpFd4G"

  private static func place(_ json: String) -> SecretPlace {
    SecretPlace(
      name: "JSON",
      answer: .respond(headerFields: [.contentType: "application/json"], text: json))
  }

  @Test func `one line redacts or allows what is only suspected`() async throws {
    let place = Self.place("{\"blob\":\"\(Self.word)\"}")
    guard case .failure(.secretSuspected(let findings)) = try await Self.record([place]) else {
      Issue.record("a random word was written")
      return
    }
    let finding = try #require(findings.first)
    #expect(findings.count == 1 && finding.isSuspected && finding.name == "blob")
    #expect(finding.place == "log.entries[0], response content, $.blob")
    #expect(!"\(RecordingError.secretSuspected(findings))".contains(Self.word))
    let redacted = try await Self.record([place], redacting: Redaction(names: ["blob"])).get()
    #expect(redacted.range(of: Data(Self.word.utf8)) == nil)
    for allowing in [Redaction(allowedNames: ["Blob"]), Redaction(allowedValues: [Self.word])] {
      let allowed = try await Self.record([place], redacting: allowing).get()
      #expect(allowed.range(of: Data(Self.word.utf8)) != nil)
    }
  }

  @Test func `segments of paths and parts of texts can be named`() async throws {
    let place = SecretPlace(
      name: "path", request: HTTPRequest(url: "http://h/bot12-ab/hooks/anything/plain/x?a=1"),
      answer: .respond(text: "Dear me, your code is apple-pie. Thanks."))
    let redaction = Redaction(
      paths: ["/bot{}/hooks/*/{}"], texts: ["your code is {}."])
    let file = String(
      decoding: try await Self.record([place], redacting: redaction).get(), as: UTF8.self)
    #expect(file.contains("http://h/botREDACTED/hooks/anything/REDACTED/x?a=1"))
    #expect(file.contains("your code is REDACTED. Thanks"))
    let replay = ReplayTransport(try HTTPArchive(Array(file.utf8)))
    let request = HTTPRequest(url: "http://h/bot99/hooks/anything/other/x?a=1")
    #expect(await Seen(replay, request).text == "Dear me, your code is REDACTED. Thanks.")
  }

  @Test func `a replay redacts a request as the recording did, in every encoding`() async throws {
    func place(_ secret: String) -> SecretPlace {
      let json = Array("{\"user\":{\"password\":\"\(secret)\"},\"a\":1}".utf8)
      return SecretPlace(
        name: "gzip",
        request: HTTPRequest(
          method: .post, url: "http://h/in?access_token=\(secret)",
          headerFields: [.contentType: "application/json", .contentEncoding: "gzip"]),
        body: WholeContent.encode(json, "gzip") ?? [], answer: .respond(text: "welcome"))
    }
    let recorded = place("correct-horse-1")
    let file = try await Self.record([recorded]).get()
    let replay = ReplayTransport(try HTTPArchive(Array(file)), afterLast: .fails)
    let other = place("battery-staple-2")
    let seen = await Seen(replay, other.request, body: .bytes(other.body))
    #expect(seen.text == "welcome")
    let elsewhere = HTTPRequest(url: "http://h/out?access_token=battery-staple-2")
    let error = await Seen(replay, elsewhere).error
    #expect(error?.underlying is ReplayMismatch && !"\(error as Any)".contains("battery"))
  }

  @Test func `a scheme and the names and attributes of cookies stay`() async throws {
    let place = SecretPlace(
      name: "cookies",
      request: HTTPRequest(
        url: "http://h/",
        headerFields: ["Authorization": "Bearer abc123def", "Cookie": "a=hunter2x"]),
      answer: .respond(headerFields: [.setCookie: "sid=hunter3y; Path=/; HttpOnly"], text: "ok"))
    let file = String(decoding: try await Self.record([place]).get(), as: UTF8.self)
    for text in ["Bearer REDACTED", "a=REDACTED", "sid=REDACTED; Path=/; HttpOnly"] {
      #expect(file.contains(text), "\(text)")
    }
  }

  @Test func `redacting a recording again changes nothing`() async throws {
    for kind in [SecretKind.all[0], SecretKind.all[30], SecretKind.all[45]] {
      let places = SecretPlace.all(of: kind, turn: 0)
      let file = try await Self.record(places).get()
      let folder = try Folder()
      try file.write(to: URL(filePath: folder.file("a.har")))
      #expect(try HTTPArchive.audit(contentsOf: folder.file("a.har")) == [])
    }
  }

  @Test func `an audit names places and rules, and never the secret`() throws {
    let folder = try Folder()
    let secret = "ghp_" + String(repeating: "a1B2", count: 9)
    let text = """
      {"log":{"version":"1.2","comment":"made with \(secret)","entries":[{"startedDateTime":"","request":
      {"method":"GET","url":"http://h/?blob=\(Self.word)#access_token=hunter2","headers":[{"name":"Cookie","value":"sid=\(secret)"}],
      "cookies":[{"name":"sid","value":"\(secret)","path":"/"}]},"_webSocketMessages":[{"data":"{\"pin\":\"4711\"}"}],
      "response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":
      "{\\"password\\":\\"hunter2\\"}"}}}]}}
      """
    try Data(text.replacing("\"{\"pin\":\"4711\"}\"", with: "\"{\\\"pin\\\":\\\"4711\\\"}\"").utf8)
      .write(to: URL(filePath: folder.file("a.har")))
    let findings = try HTTPArchive.audit(contentsOf: folder.file("a.har"))
    let lines = findings.map(\.description)
    for place in [
      "log.entries[0], request.url, item 'blob': a long random word",
      "request.headers 'Cookie': a cookie",
      "response content, $.password: the name 'password'", "log.comment: a GitHub token",
      "log.entries[0].request.cookies[0].value: ",
      "log.entries[0].request.url, item 'access_token': the name 'access_token'",
      "_webSocketMessages[0].data, $.pin: the name 'pin'",
    ] {
      #expect(lines.contains { $0.contains(place) }, "\(place) in \(lines)")
    }
    #expect(!lines.joined().contains("ghp_a1B2") && !lines.joined().contains("hunter2"))
    #expect(findings.filter(\.isSuspected).map(\.name).contains("blob"))
    #expect(
      try HTTPArchive.audit(
        contentsOf: folder.file("a.har"), redacting: Redaction(allowedNames: ["blob"])
      )
      .contains(where: \.isSuspected) == false)
  }
}
