import Foundation
import SystemProcesses
import Testing
import TransportCurlAdapter
import TransportDecoding
import TransportPort
import TransportRecording

@Suite struct ForeignArchiveTests {
  /// Chromium 156 (Debian, headless) loaded a page, and mitmproxy 11.0.2 exported what passed with
  /// its option `hardump`. Chromium's own calls were removed, except one that failed.
  private static func sample(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/\(name).har").path
  }

  @Test func `what a real browser did is replayed through policies`() async throws {
    let replay = try ReplayTransport(har: Self.sample("chromium-mitmproxy"))
    let origin = "http://127.0.0.1:18911"
    let page = await Seen(replay, HTTPRequest(url: origin + "/"))
    #expect(page.text.hasPrefix("<!doctype html><title>Shop</title>"))
    #expect(page.fields[values: .setCookie] == ["theme=dark; Path=/", "visits=1; Path=/"])
    #expect(!page.fields.contains(.contentEncoding))
    #expect(page.fields[.contentLength] == String(page.body.count))
    let items = await Seen(replay, HTTPRequest(url: origin + "/items?page=1&sort=name"))
    #expect(items.text == #"{"items": [{"id": 7, "name": "Lampe für Küche"}]}"#)
    let image = await Seen(replay, HTTPRequest(url: origin + "/dot.png"))
    #expect(image.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let order = await Seen(
      replay, HTTPRequest(method: .post, url: origin + "/orders"),
      body: .text(#"{ "note": "grüß", "item": 7 }"#))
    #expect(order.status == 201)
    let moved = await Seen(replay.followingRedirects(), HTTPRequest(url: origin + "/old"))
    #expect(moved.text == "moved here")
    #expect(await Seen(replay, HTTPRequest(url: origin + "/empty")).status == 204)
    #expect(await Seen(replay, HTTPRequest(url: origin + "/favicon.ico")).status == 404)
  }

  // MARK: - Chromium's own export

  /// What `Scripts/chromium-har` records: the requests of its page in order, and the answers of its server.
  private static let shop: [(method: HTTPRequest.Method, path: String, answer: OriginScript)] = [
    (
      .get, "/style.css",
      .respond(headerFields: [.contentType: "text/css"], text: "body { margin: 0 }")
    ),
    (
      .get, "/items?page=1&sort=name",
      .respond(
        headerFields: [.contentType: "application/json"],
        text: #"{"items": [{"id": 7, "name": "Lampe für Küche"}]}"#)
    ),
    (.post, "/orders", .respond(201, text: "26 bytes")),
    (.post, "/form", .respond(text: "9 bytes")), (.put, "/upload", .respond(text: "4 bytes")),
    (.get, "/new", .respond(text: "moved here")), (.get, "/visit", .respond(text: "welcome")),
    (.get, "/same", .respond(headerFields: ["ETag": #""1""#], text: "the same")),
    (.get, "/same", .respond(304, headerFields: ["ETag": #""1""#])),
    (.get, "/empty", .respond(204)),
    (.get, "/missing", .respond(404, text: "no such thing")),
    (.head, "/items", .respond(headerFields: [.contentType: "application/json"])),
  ]

  private static func contents(_ path: String) -> [UInt8] {
    switch path {
    case "/orders": Array(#"{"item":7,"note":"grüß"}"#.utf8)
    case "/form": Array("a+b=1%262".utf8)
    case "/upload": [0, 255, 1, 254]
    default: []
    }
  }

  /// Replays an export of Chromium, and verifies it.
  private static func expect(
    _ path: String, from origin: String, agreesWith server: Shop
  ) async throws {
    let archive = try HTTPArchive(contentsOf: path)
    let replay = ReplayTransport(archive)
    for (method, path, answer) in shop {
      let contents = contents(path)
      let request = HTTPRequest(method: method, url: origin + path)
      let body: HTTPRequestBody = contents.isEmpty ? .none : .bytes(contents)
      let seen = await Seen(replay, request, body: body)
      let expected = await Seen(FakeTransport { _ in answer }, request, body: body)
      #expect(seen.error == nil, "\(path): \(String(describing: seen.error))")
      #expect(seen.status == expected.status && seen.text == expected.text, "\(path)")
    }
    let image = await Seen(replay, HTTPRequest(url: origin + "/dot.png"))
    #expect(image.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let moved = await Seen(replay.followingRedirects(), HTTPRequest(url: origin + "/old"))
    #expect(moved.text == "moved here")
    #expect(await Seen(replay, HTTPRequest(url: origin + "/drop")).failure == .emptyReply)
    let report = try await archive.verify(
      against: CurlTransport().decodingContent(),
      ArchiveVerification(asking: server.address, methods: [.get, .head, .post, .put]))
    for exchange in report.exchanges where !exchange.url.hasSuffix("/drop") {
      #expect(exchange.outcome == .agrees, "\(exchange)")
    }
    #expect(report.exchanges.count == 18)
  }

  /// The server of `Scripts/chromium-har`.
  private final class Shop {
    struct Failed: Error {}

    let address: String
    private let process = Process()
    private let input = Pipe()

    /// - Parameter argument: The file to record to, or `--serve`.
    init(_ argument: String) throws {
      let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
      process.executableURL = root.appending(path: "Scripts/chromium-har")
      process.arguments = [argument]
      let output = Pipe()
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      // One short line, which arrives as a whole.
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      guard line.hasPrefix("http://") else { throw Failed() }
      address = line.trimmingCharacters(in: .newlines)
    }

    func stop() {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  private static let hasPython = executablePath(of: "python3") != nil

  /// What the developer tools of Chromium 156 (Debian) exported, without white space.
  @Test(.enabled(if: hasPython, "install it: apt-get install python3"))
  func `Chromium's own export is replayed and verified`() async throws {
    let server = try Shop("--serve")
    defer { server.stop() }
    try await Self.expect(
      Self.sample("chromium"), from: "http://127.0.0.1:44029", agreesWith: server)
  }

  @Test(
    .enabled(
      if: hasPython && executablePath(of: "chromium") != nil,
      "install them: apt-get install chromium python3"))
  func `what Chromium exports now is replayed and verified`() async throws {
    let folder = try Folder()
    let server = try Shop(folder.file("a.har"))
    defer { server.stop() }
    try await Self.expect(folder.file("a.har"), from: server.address, agreesWith: server)
  }

  /// What the exports of other programs have in their own way, written by hand: dates with zones, empty
  /// texts, joined lines, times of -1, requests that a proxy tunnels, a byte order mark.
  @Test(arguments: ["Firefox", "Safari", "Charles", "mitmproxy", "Insomnia"])
  func `the export of another program is replayed and verified`(
    _ program: String
  ) async throws {
    let archive = try HTTPArchive(contentsOf: Self.sample(program.lowercased()))
    let request = HTTPRequest(
      method: .post, url: "https://h/a", headerFields: [.contentType: "application/json"])
    let body = HTTPRequestBody.text(#"{"a":1}"#)
    #expect(await Seen(ReplayTransport(archive), request, body: body).text == "hello")
    let live = FakeTransport { _ in
      .respond(
        headerFields: program == "mitmproxy" ? ["Set-Cookie": "a=7", "set-cookie": "b=8"] : [:],
        text: "hello")
    }
    let report = try await archive.verify(against: live, ArchiveVerification(methods: [.post]))
    #expect(report.exchanges.last?.outcome == .agrees, "\(report)")
  }

  @Test func `a verification neither drops credentials nor prints them`() async throws {
    let archive = try HTTPArchive(
      entries: HTTPArchive.entry("GET", "http://me:s3cretSauce@h/"),
      HTTPArchive.entry(
        "GET", "http://h/?access_token=t0kenOfRecording",
        answer: #"{"password":"oldPass1","n":1,"w":"Zk3vQ9xLw7RtB2nHs8YpFd4G"}"#))
    let live = FakeTransport { _ in
      .respond(text: #"{"password":"newPass2","n":2,"w":"Qp5mT2zKc8WxJ4vN9bLrGd7S"}"#)
    }
    let report = try await archive.verify(against: live)
    guard case .notVerified(let reason) = report.exchanges[0].outcome else {
      Issue.record("\(report)")
      return
    }
    #expect(reason.contains("the recorded URL has a user"))
    #expect(
      report.exchanges[1].outcome
        == .stale([
          .value(path: "$.n", recorded: "1", live: "2"),
          .value(path: "$.w", recorded: #""REDACTED""#, live: #""REDACTED""#),
        ]))
    for secret in ["s3cret", "t0ken", "oldPass", "newPass", "Zk3v", "Qp5m"] {
      #expect(!"\(report)".contains(secret))
    }
  }

  @Test func `what Chromium's export adds is read`() async throws {
    let replay = try ReplayTransport(har: Self.sample("chromium-quirks"))
    for _ in 0..<2 {
      let seen = await Seen(replay, HTTPRequest(url: "https://h/a"))
      #expect(seen.text == "hello")
      #expect(seen.fields == ["content-length": "5", "set-cookie": "a=1", "Set-Cookie": "b=2"])
    }
    #expect(
      await Seen(replay, HTTPRequest(url: "https://h/blocked")).failure == .connectionRefused)
    let form = await Seen(
      replay, HTTPRequest(method: .post, url: "https://h/form"), body: .text("a+b=1%262"))
    #expect(form.status == 200)
    #expect(form.error?.detail.contains("has no content") == true)
    #expect(
      await Seen(
        replay, HTTPRequest(method: .post, url: "https://h/upload"), body: .text("anything")
      ).text == "up")
  }
}
