import Testing
import TransportPort

@Suite struct HTTPClientTests {
  @Test func `a client sends the request and returns the whole response`() async throws {
    let fake = FakeTransport { request in
      .respond(404, headerFields: ["X": "y"], text: "no \(request.target)")
    }
    let response = try await HTTPClient(transport: fake).get("http://h/thing?a=1")
    #expect(response.response.status.code == 404)
    #expect(response.response.headerFields["x"] == "y")
    #expect(response.text == "no /thing?a=1")
    #expect(response.request.url == "http://h/thing?a=1")
    #expect(fake.requests.map(\.head.method) == [.get])
  }

  @Test func `post sends the body and its content type`() async throws {
    let fake = FakeTransport { _ in .respond(201) }
    let client = HTTPClient(transport: fake)
    let response = try await client.post(
      .text("{}"), to: "http://h/", contentType: "application/json")
    #expect(response.response.status.isSuccessful)
    let request = try #require(fake.requests.first)
    #expect(request.head.method == .post)
    #expect(request.head.headerFields[.contentType] == "application/json")
    #expect(request.body.text == "{}")
    #expect(request.isComplete)
  }

  @Test func `default fields are added unless the request has a field of the same name`()
    async throws
  {
    let fake = FakeTransport { _ in .respond() }
    let client = HTTPClient(
      transport: fake, defaultHeaderFields: ["User-Agent": "tests", "Via": "a", "via": "b"])
    _ = try await client.get("http://h/")
    _ = try await client.data(
      for: HTTPRequest(url: "http://h/", headerFields: ["user-agent": "mine"]))
    #expect(
      fake.requests.map { $0.head.headerFields[values: .userAgent] } == [["tests"], ["mine"]])
    #expect(fake.requests.first?.head.headerFields[values: "Via"] == ["a", "b"])
  }

  @Test func `a body beyond the limit is an error`() async throws {
    let fake = FakeTransport { _ in .respond(text: "12345") }
    #expect(try await HTTPClient(transport: fake, bodyLimit: 5).get("http://h/").text == "12345")
    let client = HTTPClient(transport: fake, bodyLimit: 4)
    let error = try await #require(throws: TransportError.self) {
      try await client.get("http://h/")
    }
    #expect(error.kind == .responseTooLarge(limit: 4))
  }

  @Test func `a client uses a transport with policies`() async throws {
    let fake = FakeTransport { request in
      request.path == "/end" ? .respond(text: "hello") : .redirect(to: "/end")
    }
    let transport = fake.retryingWhenSafe().followingRedirects()
      .enforcing(Deadlines(overall: .seconds(60)))
    let response = try await HTTPClient(transport: transport).get("http://h/start")
    #expect(response.text == "hello")
    #expect(response.request.url == "http://h/end")
  }
}
