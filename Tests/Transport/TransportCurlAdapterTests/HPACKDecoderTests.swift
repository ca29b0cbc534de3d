import CCurl
import Testing

@testable import TransportCurlAdapter

/// Source of the blocks: RFC 7541 appendix C.
@Suite struct HPACKDecoderTests {
  private let decoder: HPACKDecoder

  init() throws {
    // Loads libnghttp2.
    curl_easy_cleanup(curl_easy_init())
    decoder = try #require(HPACKDecoder())
  }

  private func decode(_ hexadecimal: String) -> [String]? {
    let digits = Array(hexadecimal.filter { !$0.isWhitespace })
    let block = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
    return decoder.decode(block)?.map {
      "\(String(decoding: $0.name, as: UTF8.self))=\(String(decoding: $0.value, as: UTF8.self))"
    }
  }

  @Test func `requests that share a table are decoded in order`() {
    #expect(
      decode("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff")
        == [":method=GET", ":scheme=http", ":path=/", ":authority=www.example.com"])
    #expect(
      decode("8286 84be 5886 a8eb 1064 9cbf")
        == [
          ":method=GET", ":scheme=http", ":path=/", ":authority=www.example.com",
          "cache-control=no-cache",
        ])
    #expect(
      decode("8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")
        == [
          ":method=GET", ":scheme=https", ":path=/index.html", ":authority=www.example.com",
          "custom-key=custom-value",
        ])
  }

  @Test func `literals are decoded, also empty ones`() {
    #expect(
      decode("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572")
        == ["custom-key=custom-header"])
    #expect(decode("0001 7800") == ["x="])
    #expect(decode("") == [])
  }

  @Test(arguments: [
    // No entry, a cut literal, a cut integer, a cut Huffman code, and a change of size after a field.
    "80", "400a 6375", "ff", "8286 8441 8cf1", "823f",
  ])
  func `an invalid block is none`(block: String) {
    #expect(decode(block) == nil)
  }
}
