import TransportPort

/// Random words that are public, by the names that servers give them.
enum HarmlessValue {
  private static let all: KeyValuePairs<String, String> = [
    "sha": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "commit": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "head": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e", "boardId": "V1StGXR8_Z5jdHi6B-myT",
    "fileId": "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms", "ulid": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "push": "-NqP3xGk2Lw8sTzV0aBc", "objectId": "507f1f77bcf86cd799439011",
    "etag": "\"5d8c72a5edda8d6a0f3a9b7c5d1e2f4a\"",
    "X-Trace-Id": "4bf92f3577b34da6a3ce929d0e0e4736",
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "sentry-trace": "d49d9bf66f13450b81f65bc51cf49c03-9a1b2c3d4e5f6a7b-1",
    "x-vercel-id": "fra1::iad1::x8k2p-1709640000000-4a5b6c7d8e9f",
    "fly-request-id": "01HR7Q3N6XK2V9ZP4M8T5W1YBC-ams",
    "x-nf-request-id": "01HR7Q3N6XK2V9ZP4M8T5W1YBC",
    "x-ms-correlation-request-id": "9c1b5a7e-2d3f-4e5a-8b6c-7d8e9f0a1b2c",
    "endCursor": "Y3Vyc29yOnYyOpK5MjAyNC0wMy0wNVQxMjowMDowMFrOBQ1xYw==",
    "_scroll_id": "DXF1ZXJ5QW5kRmV0Y2gBAAAAAAAAAD4WYm9laVYtZndUQlNsdDcwakFMNjU1QQ==",
    "node_id": "MDEwOlJlcG9zaXRvcnkxMjk2MjY5", "gid": "gid://shopify/Product/7982301238",
    "integrity": "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
    "digest": "sha256:9b2a28eb47540823042a2ba401386845089bb7b62a9637d55816132c4c3c36eb",
    "to": "0x52908400098527886E0F7030069857D2E4169EE7",
    "transactionHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
    "address": "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    "cid": "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
    "magnet": "magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a&dn=debian",
    "blurhash": "LEHV6nWB2yk8pyo0adR*.7kCMdnj", "geohash": "u173zq8g8zq8",
    "image":
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "x5t": "GvnPApfWMdLRi8PDmisFn7bprKg", "version": "3.0.0-beta.20240305101112+4b825dc",
    "thumbnailUrl":
      "https://lh3.googleusercontent.com/a/ACg8ocJ3vQ9xLw7RtB2nHs8YpFd4GkW1cZ6mE0u=s96-c",
    "location": "https://cdn.example/_next/static/chunks/pages/_app-4b825dc642cb6eb9.js",
    "font":
      "https://fonts.gstatic.com/s/inter/v13/UcC73FwrK3iLTeHuS_fvQtMwCp50KnMa1ZL7W0Q5nw.woff2",
  ]

  /// Each value in an answer's JSON and fields, and in the query of a request.
  static let places: [SecretPlace] = all.flatMap { name, value in
    let plain = value.replacing("\"", with: "")
    return [
      SecretPlace(
        name: "\(name) in JSON",
        answer: .respond(
          headerFields: [.contentType: "application/json"],
          text: "{\"items\":[{\"a\":1,\"\(name)\":\"\(plain)\"}]}")),
      SecretPlace(
        name: "\(name) in a field",
        answer: .respond(headerFields: [.init(name): value], text: "ok")),
      SecretPlace(
        name: "\(name) in a query",
        request: HTTPRequest(url: "http://h/a?\(name)=\(SecretPlace.encoded(plain))")),
    ]
  }
}
