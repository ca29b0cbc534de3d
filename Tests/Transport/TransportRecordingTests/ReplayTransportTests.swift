import Testing
import TransportPort
import TransportRecording

@Suite struct ReplayTransportTests {
  @Test func `requests agree in method, URL and content`() async throws {
    let replay = ReplayTransport(
      try HTTPArchive(
        entries: HTTPArchive.entry(answer: "get"), HTTPArchive.entry("POST", answer: "empty"),
        HTTPArchive.entry("POST", post: "a", answer: "a"),
        HTTPArchive.entry("POST", post: #"{"x":1,"y":[true]}"#, answer: "json"),
        HTTPArchive.entry("GET", "HTTP://H:80/p?b=2&a=1#f", answer: "query")))
    func text(_ method: HTTPRequest.Method, _ url: String, _ body: String? = nil) async -> String {
      await Seen(
        replay, HTTPRequest(method: method, url: url), body: body.map { .text($0) } ?? .none
      ).text
    }
    #expect(await text(.get, "http://u:p@h") == "get")
    #expect(await text(.post, "http://h/", "a") == "a")
    #expect(await text(.post, "http://h/", "") == "empty")
    #expect(await text(.post, "http://h/", #" {"y":[ true ],"x":1}"#) == "json")
    #expect(await text(.get, "http://h/p?b=2&a=1") == "query")
    #expect(await text(.get, "http://h/p?a=1&b=2") == "")
    #expect(await text(.post, "http://h/", #"{"x":1,"y":[false]}"#) == "")
  }

  @Test func `answers come in the order of their start, then the last again`() async throws {
    let archive = try HTTPArchive(
      entries: HTTPArchive.entry(answer: "3", date: "2026-01-01T00:00:00.5+01:00"),
      HTTPArchive.entry(answer: "1", date: "2025-12-31T22:59:59.9999999Z"),
      HTTPArchive.entry(answer: "2", date: "2025-12-31T23:00:00Z"))
    let request = HTTPRequest(url: "http://h/")
    let replay = ReplayTransport(archive)
    var texts: [String] = []
    for _ in 0..<4 { texts.append(await Seen(replay, request).text) }
    #expect(texts == ["1", "2", "3", "3"])
    let strict = ReplayTransport(archive, afterLast: .fails)
    for _ in 0..<3 { #expect(await Seen(strict, request).failure == nil) }
    let mismatch = await Seen(strict, request).error?.underlying as? ReplayMismatch
    #expect(mismatch?.recordedAnswers == 3)
  }

  @Test func `a request that agrees with nothing names the nearest and what differs`() async throws
  {
    let replay = ReplayTransport(
      try HTTPArchive(
        entries: HTTPArchive.entry("GET", "http://h/items?page=1&sort=name"),
        HTTPArchive.entry("POST", "http://h/orders", post: #"{"item":{"id":7}}"#),
        HTTPArchive.entry("GET", "http://other/unlike/anything"), HTTPArchive.entry()))
    func nearest(
      _ method: HTTPRequest.Method, _ url: String, _ body: HTTPRequestBody = .none
    ) async throws -> ReplayMismatch.Candidate {
      let seen = await Seen(replay, HTTPRequest(method: method, url: url), body: body)
      #expect(seen.failure == .other)
      #expect(seen.error?.bytesSent == false)
      let mismatch = try #require(seen.error?.underlying as? ReplayMismatch)
      #expect(mismatch.candidates.count == 3)
      return try #require(mismatch.candidates.first)
    }
    let page = try await nearest(.get, "http://h/items?page=2&sort=name&x")
    #expect(page.entry == 0)
    #expect(
      page.differences == [
        .queryItem("page", recorded: "1", requested: "2"),
        .queryItem("x", recorded: nil, requested: ""),
      ])
    let order = try await nearest(.get, "http://h/items?sort=name&page=1")
    #expect(
      order.differences == [.query(recorded: "page=1&sort=name", requested: "sort=name&page=1")])
    let body = try await nearest(.post, "http://h/orders", .text(#"{"item":{"id":8}}"#))
    #expect(body.differences == [.content("$.item.id: recorded 7, requested 8")])
    let method = try await nearest(.put, "http://h/orders", .text(#"{"item":{"id":7}}"#))
    #expect(method.differences == [.method(recorded: "POST", requested: "PUT")])
    let path = try await nearest(.get, "http://h/item?page=1&sort=name")
    #expect(path.differences == [.path(recorded: "/items", requested: "/item")])
    let origin = try await nearest(.get, "https://h/items?page=1&sort=name")
    #expect(origin.differences == [.origin(recorded: "http://h", requested: "https://h")])
  }

  @Test func `named fields must agree, and a secret one is not quoted`() async throws {
    let archive = try HTTPArchive(
      Array(
        #"""
        {"log":{"entries":[{"request":{"method":"GET","url":"http://h/","headers":[
          {"name":"accept","value":"text/plain"}]},
          "response":{"status":204,"headers":[],"content":{}}}]}}
        """#.utf8))
    let replay = ReplayTransport(archive, matchingFields: ["Accept", "Cookie"])
    #expect(
      await Seen(replay, HTTPRequest(url: "http://h/", headerFields: ["ACCEPT": "text/plain"]))
        .status == 204)
    let seen = await Seen(
      replay, HTTPRequest(url: "http://h/", headerFields: ["Accept": "a", "Cookie": "secret"]))
    let mismatch = try #require(seen.error?.underlying as? ReplayMismatch)
    #expect(
      mismatch.candidates.first?.differences == [
        .field("Accept", recorded: "text/plain", requested: "a"),
        .field("Cookie", recorded: nil, requested: nil),
      ])
  }

  @Test func `an invalid or cancelled request fails as with any transport`() async throws {
    let replay = ReplayTransport(try HTTPArchive(entries: HTTPArchive.entry()))
    #expect(
      await Seen(replay, HTTPRequest(method: "a b", url: "http://h/")).failure
        == .invalidRequest(.method))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await Seen(replay, HTTPRequest(url: "http://h/")).failure
    }
    #expect(await task.value == .cancelled)
  }
}
