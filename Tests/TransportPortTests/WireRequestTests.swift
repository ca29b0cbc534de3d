import Testing
import TransportPort

@Suite struct WireRequestTests {
  @Test func hostComesFirst() throws {
    let wire = try WireRequest(
      HTTPRequest(url: "http://user:secret@Example.com:8080/a?b=1&b=2#top"), body: .none)
    #expect(
      String(decoding: wire.head, as: UTF8.self)
        == "GET /a?b=1&b=2 HTTP/1.1\r\nHost: example.com:8080\r\n\r\n")
  }
}
