import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort
import TransportRecording

@Suite struct CurlRoundTripTests {
  private static func plan(_ request: OriginRequest) -> OriginScript {
    switch request.path {
    case "/interim":
      [.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")] + .respond(text: "after")
    case "/chunked":
      .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n")
    case "/binary": .respond(headerFields: ["X-A": "1", "x-a": "2"], body: [0, 1, 0xFF, 0xFE])
    case "/truncated": .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") + [.close]
    case "/malformed": .raw("nonsense\r\n\r\n") + [.close]
    case "/nothing": [.readBody, .close]
    case "/redirect": .redirect(to: "/binary")
    default: .respond(404, text: "none")
    }
  }

  @Test func `what curl saw is replayed without a socket`() async throws {
    let folder = try Folder()
    let origin = try ScriptedOrigin(OriginPlan(onRequest: Self.plan))
    let curl = try CurlTransport()
    let recording = try RecordingTransport(wrapping: curl, to: folder.file("curl.har"))
    let requests: [(HTTPRequest.Method, String)] = [
      (.get, "/interim"), (.get, "/chunked"), (.get, "/binary"), (.head, "/binary"),
      (.get, "/truncated"), (.post, "/malformed"), (.post, "/nothing"), (.put, "/missing"),
    ]
    func all(over transport: any HTTPTransport) async -> [Seen] {
      var all: [Seen] = []
      for (method, path) in requests {
        let request = HTTPRequest(method: method, url: "http://127.0.0.1:\(origin.port)\(path)")
        let body = HTTPRequestBody.stream(Chunks(chunks: ["a", "b"]))
        let hasBody = method == .post || method == .put
        all.append(await Seen(transport, request, body: hasBody ? body : .none))
      }
      let moved = HTTPRequest(url: "http://127.0.0.1:\(origin.port)/redirect")
      all.append(await Seen(transport.followingRedirects(), moved))
      return all
    }
    let direct = await all(over: curl)
    let live = await all(over: recording)
    #expect(live == direct)
    #expect(Set(live.compactMap(\.failure)).count == 3)
    try recording.save()
    origin.close()
    await curl.shutDown()
    let replayed = await all(over: try ReplayTransport(har: folder.file("curl.har")))
    #expect(replayed == live)
  }
}
