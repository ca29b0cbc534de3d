import TransportPort
import TransportURLSessionAdapter

// The code of TransportURLSessionAdapter.md. `PagesTests` checks that each block occurs here.

func sendWithURLSession() async throws -> HTTPDataResponse {
  let transport = URLSessionTransport(limits: ConnectionLimits(perOrigin: 6))
  let client = HTTPClient(transport: transport.followingRedirects())
  let page = try await client.get("https://example.com/")
  transport.shutDown()
  return page
}
