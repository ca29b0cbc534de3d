import TransportCurlAdapter
import TransportPort

// The code of TransportCurlAdapter.md. `PagesTests` checks that each of its code blocks occurs
// here.

func sendWithCurl() async throws -> HTTPDataResponse {
  var configuration = CurlTransport.Configuration()
  configuration.limits = ConnectionLimits(perOrigin: 8, total: 32)
  configuration.proxy = .environment
  let transport = try CurlTransport(configuration)
  let client = HTTPClient(transport: transport.followingRedirects())
  let page = try await client.get("https://example.com/")
  await transport.shutDown()
  return page
}
