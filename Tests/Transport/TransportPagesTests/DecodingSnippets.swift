import TransportDecoding
import TransportPort

// The code of TransportDecoding.md. `PagesTests` checks that each of its code blocks occurs here.

func decode(over base: some HTTPTransport) -> any HTTPTransport {
  let policy = DecodingPolicy(unknownEncoding: .passThrough, maximumBytes: 10_000_000)
  let transport = base.followingRedirects().decodingContent(policy)
  return transport
}
