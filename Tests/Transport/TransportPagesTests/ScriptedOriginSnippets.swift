import Foundation
import ScriptedOrigin
import Testing
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The code of ScriptedOrigin.md. `PagesTests` checks that each of its code blocks occurs here.

@Suite struct ScriptedOriginSnippets {
  @Test func `play a script`() async throws {
    let origin = try ScriptedOrigin(.respond(text: "hello"))
    let url = try #require(URL(string: origin.url + "/greeting"))
    let (content, _) = try await URLSession.shared.data(from: url)
    #expect(String(decoding: content, as: UTF8.self) == "hello")
    #expect(origin.log.requests.map(\.head.target) == ["/greeting"])
  }

  @Test func `wait for events`() async throws {
    let origin = try ScriptedOrigin(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf") + [.close])
    let url = try #require(URL(string: origin.url))
    await #expect(throws: URLError.self) { try await URLSession.shared.data(from: url) }
    try await origin.log.first(within: .seconds(5)) { $0.kind.isEndByPeer }
  }

  @Test func `choose a script per request`() throws {
    let plan = OriginPlan(version: .http2) { request in
      request.path == "/slow" ? [.pause(.seconds(1))] + .respond(text: "late") : .respond(404)
    }
    let origin = try ScriptedOrigin(plan, scheme: .https)
    let authority = try ScriptedOrigin.trustedAuthority
    #expect(origin.url.hasPrefix("https://"))
    #expect(authority.hasPrefix("-----BEGIN CERTIFICATE-----"))
  }
}
