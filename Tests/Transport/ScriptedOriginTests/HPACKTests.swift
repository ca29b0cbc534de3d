import Testing

@testable import ScriptedOrigin

@Suite struct HPACKTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
  }

  private func lines(_ fields: [HTTP2Field]) -> [String] {
    fields.map {
      "\(String(decoding: $0.name, as: UTF8.self))|\(String(decoding: $0.value, as: UTF8.self))"
    }
  }

  private func field(_ name: String, _ value: String) -> HTTP2Field {
    HTTP2Field(name: Array(name.utf8), value: Array(value.utf8))
  }

  /// RFC 7541 C.3 without Huffman coding and C.4 with it.
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
  func `the request examples of RFC 7541 are decoded, with the table of earlier blocks`(
    _ blocks: [String]
  ) throws {
    let codec = HPACKCodec()
    let authority = ":authority|www.example.com"
    let expected = [
      [":method|GET", ":scheme|http", ":path|/", authority],
      [":method|GET", ":scheme|http", ":path|/", authority, "cache-control|no-cache"],
      [
        ":method|GET", ":scheme|https", ":path|/index.html", authority, "custom-key|custom-value",
      ],
    ]
    for (block, fields) in zip(blocks, expected) {
      #expect(lines(try codec.decode(bytes(block))) == fields)
    }
  }

  /// The three requests of RFC 7541 C.4, whose blocks an encoder with Huffman coding produces.
  @Test func `the request examples of RFC 7541 are encoded`() throws {
    let codec = HPACKCodec()
    let start = [field(":method", "GET"), field(":scheme", "http"), field(":path", "/")]
    let authority = field(":authority", "www.example.com")
    #expect(
      try codec.encode(start + [authority])
        == bytes("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff"))
    #expect(
      try codec.encode(start + [authority, field("cache-control", "no-cache")])
        == bytes("8286 84be 5886 a8eb 1064 9cbf"))
  }

  @Test func `encoded fields of any length are decoded unchanged`() throws {
    let (server, client) = (HPACKCodec(), HPACKCodec())
    for count in [0, 1, 126, 127, 128, 254, 255, 5000] {
      let fields = [field("x-a", String(repeating: "a", count: count)), field("x-b", "")]
      #expect(try client.decode(server.encode(fields)) == fields)
    }
    #expect(try server.encode([]) == [])
    #expect(try client.decode([]) == [])
  }

  @Test func `fields that HTTP2 forbids are encoded as they are`() throws {
    let fields = [field("Upper Case", "a\r\n\0b"), field("", ""), field(":late", "1")]
    #expect(try HPACKCodec().decode(HPACKCodec().encode(fields)) == fields)
  }

  @Test func `a smaller table of the client is respected`() throws {
    let codec = HPACKCodec()
    let fields = [field("x-a", "b")]
    _ = try codec.encode(fields)
    codec.setEncoderTableSize(0)
    // The first block announces the table size of 0; no later block refers to the table.
    #expect(try codec.encode(fields).first == 0x20)
    #expect(try codec.encode(fields).count > 1)
  }

  @Test(arguments: ["80", "be", "ffff ffff ffff", "40", "4001 61", "3fe2 1f", "0001 6181 00"])
  func `a block that breaks RFC 7541 is an error`(_ block: String) {
    #expect(throws: HPACKCodec.Failure.self) { try HPACKCodec().decode(bytes(block)) }
  }

  @Test func `the content of a frame excludes its padding and priority`() {
    let frame = HTTP2Frame(
      kind: .headers, flags: HTTP2Frame.isPadded | HTTP2Frame.hasPriority, stream: 1,
      payload: [2, 0, 0, 0, 0, 16, 7, 8, 0, 0])
    #expect(frame.content == [7, 8])
    #expect(HTTP2Frame(kind: .data, flags: HTTP2Frame.isPadded, payload: [3, 0, 0]).content == nil)
    #expect(HTTP2Frame(kind: .data, flags: HTTP2Frame.isPadded).content == nil)
  }
}
