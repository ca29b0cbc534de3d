/// Undoes the compression of header fields in HTTP/2, for one connection.
///
/// Source: RFC 7541. Values go on the wire in the order in which they are decoded, since each field
/// may change the table that the next refers to.
struct HPACKDecoder {
  /// The block breaks a rule.
  struct Failure: Error {}

  /// A field as it came; names are in lower case.
  struct Field: Hashable {
    var name: [UInt8]
    var value: [UInt8]
    /// What the field counts for in the table (§4.1).
    fileprivate var size: Int { name.count + value.count + 32 }
  }

  /// The fields that may be referred to, the newest first.
  private var table: [Field] = []
  private var size = 0
  private var limit = 4096

  /// Decodes one complete field block.
  mutating func decode(_ block: [UInt8]) throws(Failure) -> [Field] {
    var reader = Reader(rest: block[...])
    var fields: [Field] = []
    while let first = reader.rest.first {
      if first & 0x80 != 0 {
        fields.append(try field(at: reader.integer(prefix: 7)))
      } else if first & 0xC0 == 0x40 {
        let field = try literal(&reader, prefix: 6)
        fields.append(field)
        insert(field)
      } else if first & 0xE0 == 0x20 {
        limit = try reader.integer(prefix: 5)
        guard limit <= 4096 else { throw Failure() }
        evict(downTo: limit)
      } else {
        fields.append(try literal(&reader, prefix: 4))
      }
    }
    return fields
  }

  /// A field without compression: a literal that enters no table (§6.2.2).
  static func encode(_ name: [UInt8], _ value: [UInt8]) -> [UInt8] {
    [0] + length(name.count) + name + length(value.count) + value
  }

  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 127 else { return [UInt8(count)] }
    var (bytes, rest): ([UInt8], Int) = ([127], count - 127)
    while rest >= 128 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private func literal(
    _ reader: inout Reader, prefix: UInt8
  ) throws(Failure) -> Field {
    let index = try reader.integer(prefix: prefix)
    let name = index == 0 ? try reader.string() : try field(at: index).name
    return Field(name: name, value: try reader.string())
  }

  private func field(at index: Int) throws(Failure) -> Field {
    if (1...Self.fixed.count).contains(index) { return Self.fixed[index - 1] }
    let place = index - Self.fixed.count - 1
    guard table.indices.contains(place) else { throw Failure() }
    return table[place]
  }

  private mutating func insert(_ field: Field) {
    evict(downTo: limit - field.size)
    guard field.size <= limit else { return }
    table.insert(field, at: 0)
    size += field.size
  }

  private mutating func evict(downTo goal: Int) {
    while size > max(0, goal), let last = table.popLast() { size -= last.size }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    /// A number that begins in the low bits of the next byte (§5.1).
    mutating func integer(prefix: UInt8) throws(Failure) -> Int {
      guard let first = rest.popFirst() else { throw Failure() }
      let mask = UInt8(1 << prefix - 1)
      var value = Int(first & mask)
      guard value == Int(mask) else { return value }
      for shift in stride(from: 0, through: 21, by: 7) {
        guard let byte = rest.popFirst() else { throw Failure() }
        value += Int(byte & 127) << shift
        if byte & 128 == 0 { return value }
      }
      throw Failure()
    }

    /// Bytes, perhaps in Huffman's code (§5.2).
    mutating func string() throws(Failure) -> [UInt8] {
      let isCoded = rest.first.map { $0 & 0x80 != 0 } ?? false
      let count = try integer(prefix: 7)
      guard count <= rest.count else { throw Failure() }
      let bytes = rest.prefix(count)
      rest = rest.dropFirst(count)
      guard isCoded else { return Array(bytes) }
      guard let text = HPACKHuffman.decode(bytes) else { throw Failure() }
      return text
    }
  }

  /// The fields that every connection knows (appendix A).
  private static let fixed: [Field] = {
    let lines = """
      :authority
      :method GET
      :method POST
      :path /
      :path /index.html
      :scheme http
      :scheme https
      :status 200
      :status 204
      :status 206
      :status 304
      :status 400
      :status 404
      :status 500
      accept-charset
      accept-encoding gzip, deflate
      accept-language
      accept-ranges
      accept
      access-control-allow-origin
      age
      allow
      authorization
      cache-control
      content-disposition
      content-encoding
      content-language
      content-length
      content-location
      content-range
      content-type
      cookie
      date
      etag
      expect
      expires
      from
      host
      if-match
      if-modified-since
      if-none-match
      if-range
      if-unmodified-since
      last-modified
      link
      location
      max-forwards
      proxy-authenticate
      proxy-authorization
      range
      referer
      refresh
      retry-after
      server
      set-cookie
      strict-transport-security
      transfer-encoding
      user-agent
      vary
      via
      www-authenticate
      """
    return lines.split(separator: "\n").map { line in
      let words = line.split(separator: " ", maxSplits: 1)
      return Field(name: Array(words[0].utf8), value: words.count > 1 ? Array(words[1].utf8) : [])
    }
  }()
}
