import Testing
import TransportPort

@Suite struct HTTPClientTests {
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
}
