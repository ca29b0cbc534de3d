import Foundation
import Testing
import TransportPort
import TransportRecording

@Suite struct RecordingTransportTests {
  @Test func `an exchange is written as HAR 1.2`() async throws {
    let folder = try Folder()
    let fake = FakeTransport { _ in
      .respond(
        201, headerFields: ["Content-Type": "text/plain", "Set-Cookie": "a=verysecret; Path=/"],
        text: "grüß")
    }
    let recording = try RecordingTransport(
      wrapping: fake, to: folder.file("a.har"), now: { Date(timeIntervalSince1970: 1.5) })
    _ = await Seen(
      recording,
      HTTPRequest(
        method: .post, url: "http://Example.com:80/a?q=1%202&r", headerFields: ["X": "y"]),
      body: .text("sent"))
    try recording.save()
    let log = try folder.json(of: "a.har")
    #expect(log["version"] as? String == "1.2")
    #expect((log["creator"] as? [String: String])?["name"] == "swift-contract-testing")
    let entry = try #require(folder.entries(of: "a.har").first)
    #expect(entry["startedDateTime"] as? String == "1970-01-01T00:00:01.500Z")
    let timings = try #require(entry["timings"] as? [String: Double])
    #expect(Set(timings.keys) == ["send", "wait", "receive"])
    #expect(timings.values.allSatisfy { $0 >= 0 })
    let request = try #require(entry["request"] as? [String: Any])
    #expect(request["url"] as? String == "http://example.com/a?q=1%202&r")
    #expect(
      request["queryString"] as? [[String: String]]
        == [["name": "q", "value": "1 2"], ["name": "r", "value": ""]])
    #expect((request["postData"] as? [String: String])?["text"] == "sent")
    let response = try #require(entry["response"] as? [String: Any])
    #expect(response["status"] as? Int == 201)
    #expect(
      response["cookies"] as? [[String: String]] == [["name": "a", "value": "REDACTED"]])
    let content = try #require(response["content"] as? [String: Any])
    #expect(content["text"] as? String == "grüß")
    #expect(content["size"] as? Int == 6)
    #expect(content["encoding"] == nil)
  }

  @Test(arguments: [nil, 5], 0...2) func `content that was not read to its end is unknown`(
    length: Int?, chunksRead: Int
  ) async throws {
    let folder = try Folder()
    let path = folder.file("a.har")
    let recording = try RecordingTransport(
      wrapping: EarlyAnswer(chunksRead: chunksRead), to: path)
    func status(from transport: any HTTPTransport) async -> Int? {
      let body = HTTPRequestBody.stream(Chunks(chunks: ["ab", "cd", "e"]), length: length)
      let request = HTTPRequest(method: .post, url: "http://h/")
      return await Seen(transport, request, body: body).status
    }
    #expect(await status(from: recording) == 413)
    try recording.save()
    #expect(await status(from: try ReplayTransport(har: path)) == 413)
  }

  @Test func `a producer that throws fails the same with and without recording`() async throws {
    let folder = try Folder()
    let fake = FakeTransport { _ in .respond() }
    let recording = try RecordingTransport(wrapping: fake, to: folder.file("a.har"))
    let request = HTTPRequest(method: .post, url: "http://h/")
    func body() -> HTTPRequestBody { .stream(Chunks(chunks: ["a"], fails: true)) }
    let seen = await Seen(recording, request, body: body())
    #expect(await Seen(fake, request, body: body()) == seen)
    #expect(seen.error?.underlying is Chunks.Failed)
    try recording.save()
    #expect(try folder.entries(of: "a.har").count == 1)
  }

  @Test func `content that is sent again is recorded once`() async throws {
    let folder = try Folder()
    let fake = FakeTransport(OriginPlan(inTurn: [[.readBody, .close], .respond(text: "done")]))
    let recording = try RecordingTransport(
      wrapping: fake.retryingWhenSafe(), to: folder.file("a.har"))
    let body = HTTPRequestBody.stream(Chunks(chunks: ["one ", "two"]), isReplayable: true)
    let request = HTTPRequest(method: .put, url: "http://h/")
    #expect(await Seen(recording, request, body: body).text == "done")
    #expect(fake.requests.map(\.body) == [Array("one two".utf8), Array("one two".utf8)])
    try recording.save()
    let sent = try folder.entries(of: "a.har").first?["request"] as? [String: Any]
    #expect((sent?["postData"] as? [String: String])?["text"] == "one two")
  }

  @Test func `an exchange in progress is not saved, and one given up is marked`() async throws {
    let folder = try Folder()
    let fake = FakeTransport { _ in .respond(text: "content") }
    let recording = try RecordingTransport(wrapping: fake, to: folder.file("a.har"))
    let exchange = try await recording.send(HTTPRequest(url: "http://h/"))
    #expect(throws: RecordingError.exchangesInProgress(1)) { try recording.save() }
    #expect(folder.names == [])
    exchange.body.cancel()
    try recording.save()
    let replay = try ReplayTransport(har: folder.file("a.har"))
    let seen = await Seen(replay, HTTPRequest(url: "http://h/"))
    #expect(seen.failure == .other)
    #expect(seen.error?.detail.contains("given up by its caller") == true)
  }

  @Test func `concurrent exchanges are all recorded`() async throws {
    let folder = try Folder()
    let fake = FakeTransport { request in .respond(text: "answer \(request.path)") }
    let recording = try RecordingTransport(wrapping: fake, to: folder.file("a.har"))
    await withTaskGroup { group in
      for number in 0..<50 {
        group.addTask { _ = await Seen(recording, HTTPRequest(url: "http://h/\(number)")) }
      }
    }
    try recording.save()
    let replay = try ReplayTransport(har: folder.file("a.har"))
    for number in 0..<50 {
      let seen = await Seen(replay, HTTPRequest(url: "http://h/\(number)"))
      #expect(seen.text == "answer /\(number)")
    }
  }

  @Test func `a body above the limit is left out, and a replay of it says so`() async throws {
    let folder = try Folder()
    let fake = FakeTransport { _ in .respond(text: "12345678") }
    let recording = try RecordingTransport(
      wrapping: fake, to: folder.file("a.har"), bodyLimit: 7)
    let request = HTTPRequest(url: "http://h/")
    #expect(await Seen(recording, request).text == "12345678")
    try recording.save()
    let seen = await Seen(try ReplayTransport(har: folder.file("a.har")), request)
    #expect(seen.status == 200)
    #expect(seen.error?.detail.contains("no content") == true)
  }

  @Test func `a file that cannot be written stays as it was`() async throws {
    let folder = try Folder()
    let fake = FakeTransport { _ in .respond(text: "a") }
    let recording = try RecordingTransport(wrapping: fake, to: folder.file("no/a.har"))
    _ = await Seen(recording, HTTPRequest(url: "http://h/"))
    #expect(throws: RecordingError.self) { try recording.save() }
    #expect(folder.names == [])
    let second = try RecordingTransport(wrapping: fake, to: folder.file("a.har"))
    for count in 1...2 {
      _ = await Seen(second, HTTPRequest(url: "http://h/"))
      try second.save()
      #expect(try folder.entries(of: "a.har").count == count)
      #expect(folder.names == ["a.har"])
    }
  }

  @Test func `an invalid request is not recorded, nor is an invalid path accepted`() async throws {
    let folder = try Folder()
    let fake = FakeTransport { _ in .respond() }
    let recording = try RecordingTransport(wrapping: fake, to: folder.file("a.har"))
    #expect(
      await Seen(recording, HTTPRequest(url: "ftp://h/")).failure == .unsupportedScheme("ftp"))
    try recording.save()
    #expect(try folder.entries(of: "a.har").isEmpty)
    for path in ["", "$", "a..", "a[", "a[x]", "a[-1]", "['a", "a.b."] {
      #expect(throws: RecordingError.invalidJSONPath(path)) {
        _ = try RecordingTransport(
          wrapping: fake, to: "x", redacting: Redaction(jsonPaths: [path]))
      }
    }
  }
}

/// A transport that answers after some of the content, and reads no more of it.
private struct EarlyAnswer: HTTPTransport {
  let chunksRead: Int

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let reader = try body.makeReader()
    for _ in 0..<chunksRead { _ = try await reader.next() }
    return try await FakeTransport { _ in .respond(413) }
      .send(HTTPRequest(url: request.url), body: .none, options: options)
  }
}
