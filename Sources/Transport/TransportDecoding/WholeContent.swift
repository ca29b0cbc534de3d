/// Content in memory, with the encodings that Content-Encoding names (RFC 9110 §8.4.1).
package enum WholeContent {
  /// The reason why content is not decoded.
  package struct Failure: Error {
    package var reason: String
    /// What was decoded before.
    package var decoded: [UInt8] = []
  }

  /// Decodes content through one encoding.
  ///
  /// - Parameters:
  ///   - coding: A name in lower case: `gzip`, `x-gzip`, `deflate`, `br` or `identity`.
  ///   - limit: The maximum number of decoded bytes.
  package static func decode(
    _ bytes: [UInt8], _ coding: String, limit: Int
  ) throws(Failure) -> [UInt8] {
    if coding == "identity" { return bytes }
    guard let encoding = ContentEncoding(name: coding) else {
      throw Failure(reason: "the encoding \(coding) is unknown")
    }
    let decoder = encoding.makeDecoder()
    var rest = bytes[...]
    var output: [UInt8] = []
    var hasMore = false
    while hasMore || !rest.isEmpty {
      let step: DecodingStep
      do throws(DecodingFailure) { step = try decoder.decode(rest) } catch {
        throw Failure(reason: "it is not valid \(coding)", decoded: output)
      }
      rest = rest.dropFirst(step.consumed)
      output += step.output
      hasMore = step.hasMoreOutput
      guard output.count <= limit else {
        throw Failure(reason: "it decodes to more than \(limit) bytes", decoded: output)
      }
      guard step.consumed > 0 || !step.output.isEmpty || rest.isEmpty else {
        throw Failure(reason: "it is not valid \(coding)", decoded: output)
      }
    }
    guard decoder.mayEnd else {
      throw Failure(reason: "its \(coding) is cut off", decoded: output)
    }
    return output
  }

  /// Encodes content without compressing it; `nil` for an unknown encoding.
  ///
  /// Content that was changed keeps its encoding this way, and the output is the same on every system.
  /// Sources: RFC 1950, RFC 1951 §3.2.4, RFC 1952, RFC 7932 §9.
  package static func encode(_ bytes: [UInt8], _ coding: String) -> [UInt8]? {
    switch coding {
    case "identity": bytes
    case "gzip", "x-gzip":
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + deflated(bytes) + littleEndian(crc32(bytes))
        + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    case "deflate": [0x78, 0x01] + deflated(bytes) + littleEndian(adler32(bytes)).reversed()
    case "br": brotli(bytes)
    default: nil
    }
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      output.append(rest.isEmpty ? 1 : 0)
      for word in [length, ~length] { output += [UInt8(word & 0xFF), UInt8(word >> 8)] }
      output += block
    } while !rest.isEmpty
    return output
  }

  /// Blocks of at most 65,536 bytes, each with a header of 20 bits: not the last, four nibbles of the
  /// length less one, not compressed. The first one shares its bytes with the window's size, one bit.
  private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let block = rest.prefix(65_536)
      rest = rest.dropFirst(block.count)
      var header = UInt32(block.count - 1) << 3 | 1 << 19
      if output.isEmpty { header <<= 1 }
      output += littleEndian(header).prefix(3)
      output += block
    }
    // A last, empty block; alone, it follows the window's size.
    output.append(output.isEmpty ? 0x06 : 0x03)
    return output
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    let table = (0..<256 as Range<UInt32>).map { start in
      (0..<8).reduce(start) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
    return ~bytes.reduce(~0 as UInt32) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    let (low, high) = bytes.reduce((1 as UInt32, 0 as UInt32)) { sums, byte in
      let low = (sums.0 + UInt32(byte)) % 65_521
      return (low, (sums.1 + low) % 65_521)
    }
    return high << 16 | low
  }
}
