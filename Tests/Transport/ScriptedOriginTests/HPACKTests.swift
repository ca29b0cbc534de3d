import Testing

@testable import ScriptedOrigin

@Suite struct HPACKTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
  }

  private func lines(_ fields: [HPACKDecoder.Field]) -> [String] {
    fields.map {
      "\(String(decoding: $0.name, as: UTF8.self))|\(String(decoding: $0.value, as: UTF8.self))"
    }
  }

  /// RFC 7541 C.3 in the clear and C.4 in Huffman's code.
  @Test(arguments: [
    [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ],
    [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ],
  ])
  func `the requests of the RFC are read, each by the table of those before`(
    _ blocks: [String]
  ) throws {
    var decoder = HPACKDecoder()
    let authority = ":authority|www.example.com"
    let expected = [
      [":method|GET", ":scheme|http", ":path|/", authority],
      [":method|GET", ":scheme|http", ":path|/", authority, "cache-control|no-cache"],
      [
        ":method|GET", ":scheme|https", ":path|/index.html", authority, "custom-key|custom-value",
      ],
    ]
    for (block, fields) in zip(blocks, expected) {
      #expect(lines(try decoder.decode(bytes(block))) == fields)
    }
  }

  @Test func `what is encoded is decoded, whatever its length`() throws {
    var decoder = HPACKDecoder()
    for count in [0, 1, 126, 127, 128, 254, 255, 5000] {
      let value = [UInt8](repeating: 0x61, count: count)
      let fields = try decoder.decode(HPACKDecoder.encode(Array("x-a".utf8), value))
      #expect(fields == [HPACKDecoder.Field(name: Array("x-a".utf8), value: value)])
    }
  }

  @Test func `a field that left the table can't be referred to`() throws {
    var decoder = HPACKDecoder()
    _ = try decoder.decode(bytes("4001 6101 62"))
    #expect(lines(try decoder.decode(bytes("be"))) == ["a|b"])
    // The table is made empty, and large again.
    _ = try decoder.decode(bytes("20 3fe1 1f"))
    #expect(throws: HPACKDecoder.Failure.self) { try decoder.decode(bytes("be")) }
  }

  @Test(arguments: [
    "80", "c0", "be", "ff", "ffff ffff ffff", "40", "4001", "4001 61", "4005 61", "4001 6182 ff",
    "3fe2 1f", "0001 6184 ffff ffff", "0001 6181 00",
  ])
  func `a block that breaks the rules is refused`(_ block: String) {
    var decoder = HPACKDecoder()
    #expect(throws: HPACKDecoder.Failure.self) { try decoder.decode(bytes(block)) }
  }

  @Test func `a frame is read without its padding and priority`() {
    let frame = HTTP2Frame(
      kind: .headers, flags: HTTP2Frame.isPadded | HTTP2Frame.hasPriority, stream: 1,
      payload: [2, 0, 0, 0, 0, 16, 7, 8, 0, 0])
    #expect(frame.content == [7, 8])
    #expect(HTTP2Frame(kind: .data, flags: HTTP2Frame.isPadded, payload: [3, 0, 0]).content == nil)
    #expect(HTTP2Frame(kind: .data, flags: HTTP2Frame.isPadded).content == nil)
  }
}
