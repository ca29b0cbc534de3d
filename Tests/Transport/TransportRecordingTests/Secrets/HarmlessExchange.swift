import Foundation
import SeededRandom
import TransportPort

/// Exchanges as usual servers have them, with identifiers, hashes, dates and media but no secret.
enum HarmlessExchange {
  /// Random values in the forms that interfaces use.
  private struct Maker {
    var generator: SplitMix64

    private static let digits = "0123456789"
    private static let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let base62 = upper + upper.lowercased() + digits
    private static let alphabets = [
      "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "digits": "123456789",
      "base62": base62, "url64": base62 + "-_", "upper": "ABCDEFGHJKLMNP0123456789",
    ]

    /// The value of a placeholder: `hex 40`, `base64 16`, `uuid`, `date`.
    mutating func value(_ kind: String, _ count: Int) -> String {
      switch kind {
      case "uuid":
        [
          value("hex", 8), value("hex", 4), "4" + value("hex", 3), "a" + value("hex", 3),
          value("hex", 12),
        ]
        .joined(separator: "-")
      case "ulid":
        "01" + SecretKind.random(Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ"), 24, &generator)
      case "date":
        "2024-0\(value("digits", 1))-1\(value("digits", 1))T0\(value("digits", 1)):3\(value("digits", 1)):17.\(value("digits", 3))Z"
      case "base64": Data(bytes(count)).base64EncodedString()
      case "percent64": SecretPlace.encoded(Data(bytes(count)).base64EncodedString())
      default: SecretKind.random(Array(Self.alphabets[kind] ?? ""), count, &generator)
      }
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    mutating func hex(_ count: Int) -> String { value("hex", count) }
    mutating func digits(_ count: Int) -> String { value("digits", count) }

    /// A text with its placeholders filled: `{hex 40}`.
    mutating func fill(_ text: Substring) -> String {
      var output = ""
      var rest = text
      while let placeholder = rest.firstMatch(of: #/\{([A-Za-z0-9]+)(?: (\d+))?\}/#) {
        let count = placeholder.2.flatMap { Int($0) } ?? 0
        output += rest[..<placeholder.range.lowerBound] + value(String(placeholder.1), count)
        rest = rest[placeholder.range.upperBound...]
      }
      return output + rest
    }
  }

  /// 208 exchanges; the same in every process.
  static func all() throws -> [SecretPlace] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Samples/harmless.txt")
    let answers = try String(contentsOf: file, encoding: .utf8).split(separator: "====\n")
    return (0..<4).flatMap { round in
      var maker = Maker(generator: SplitMix64(seed: UInt64(round) + 7))
      return answers.map { answer($0, &maker) } + requests(&maker) + media(&maker)
    }
  }

  /// An answer of the file: its name, its path, its fields, and after an empty line its content.
  private static func answer(_ text: Substring, _ make: inout Maker) -> SecretPlace {
    let parts = text.split(separator: "\n\n", maxSplits: 1)
    let head = parts[0].split(separator: "\n").map { make.fill($0) }
    let fields = head.dropFirst(2).map { line in
      let field = line.split(separator: ":", maxSplits: 1).map(String.init)
      return HTTPField(name: .init(field[0]), value: String(field[1].dropFirst()))
    }
    return SecretPlace(
      name: head[0], request: HTTPRequest(url: "https://api.example.com" + head[1]),
      answer: .respond(headerFields: HTTPFields(fields), text: make.fill(parts[1])))
  }

  private static func requests(_ make: inout Maker) -> [SecretPlace] {
    [
      SecretPlace(
        name: "conditional request",
        request: HTTPRequest(
          url:
            "https://api.example.com/items?page=2&sort=-created_at&fields=id%2Cname&ts=17\(make.digits(8))&v=\(make.hex(8))",
          headerFields: [
            "If-None-Match": "\"\(make.hex(40))\"", "Cookie": "theme=dark; lang=en-US",
            "User-Agent":
              "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
            "X-Request-Id": make.hex(32),
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
            "Sec-CH-UA": "\"Chromium\";v=\"124\", \"Not-A.Brand\";v=\"99\"",
            "Authorization": "Bearer x",
          ]),
        answer: .respond(304)),
      SecretPlace(
        name: "redirect", request: HTTPRequest(url: "https://short.example/\(make.value("base62", 7))"),
        answer: .redirect(
          to:
            "https://shop.example/p/blue-suede-shoes-42?utm_source=mail&utm_campaign=spring24&gclid=\(make.digits(12))"
        )),
      SecretPlace(
        name: "search form",
        request: HTTPRequest(
          method: .post, url: "https://shop.example/search",
          headerFields: [.contentType: "application/x-www-form-urlencoded"]),
        body: Array("q=blue+shoes&category=shoes&size=42&sort=price_asc&page=1".utf8)),
      SecretPlace(
        name: "order",
        request: HTTPRequest(
          method: .post, url: "https://shop.example/orders",
          headerFields: [.contentType: "application/json", "Idempotency-Key": "order-42"]),
        body: Array(
          "{\"sku\":\"SKU-\(make.digits(6))-XL\",\"quantity\":2,\"address\":{\"street\":\"Main Street 1\",\"zip\":\"1012AB\"},\"total\":59.90}"
            .utf8)),
    ]
  }

  private static func media(_ make: inout Maker) -> [SecretPlace] {
    func bytes(_ name: String, _ type: String, _ start: [UInt8]) -> SecretPlace {
      SecretPlace(
        name: name, request: HTTPRequest(url: "https://cdn.example.com/\(make.hex(32)).bin"),
        answer: .respond(
          headerFields: [.contentType: type, "ETag": "\"\(make.hex(32))\""],
          body: start + make.bytes(4_000)))
    }
    return [
      bytes("PNG", "image/png", [0x89, 0x50, 0x4E, 0x47]),
      bytes("JPEG", "image/jpeg", [0xFF, 0xD8, 0xFF]),
      bytes("font", "font/woff2", Array("wOF2".utf8)),
      bytes("PDF", "application/pdf", Array("%PDF-1.7\n".utf8)),
      bytes("archive", "application/zip", [0x50, 0x4B, 3, 4]),
      bytes("messages", "application/x-protobuf", [0x0A, 0x10]),
      bytes("video", "video/mp4", [0, 0, 0, 0x20]), bytes("bytes", "application/octet-stream", []),
    ]
  }
}
