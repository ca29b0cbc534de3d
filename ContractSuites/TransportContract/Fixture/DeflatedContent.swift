import Foundation

/// Content in the coding deflate, made of blocks without a wrapper.
///
/// Source: RFC 1951 §3.2.
struct DeflatedContent {
  /// The encoded bytes, without a last block.
  private(set) var bytes: [UInt8] = []
  /// The number of bytes that these decode to.
  private(set) var decodedCount = 0

  /// The encoded bytes, ended by an empty block.
  var ended: [UInt8] { bytes + [1, 0, 0, 0xFF, 0xFF] }

  /// A block that decodes to 65,536 zeros.
  private static let zeros = [UInt8](
    Data(base64Encoded: "7MEBAQAAAICQ/q/uCAo" + String(repeating: "A", count: 83) + "BqAAAA//8=")
      ?? Data())

  /// Appends blocks that decode to 65,536 zeros each.
  mutating func appendZeros(blocks: Int) {
    for _ in 0..<blocks { bytes += Self.zeros }
    decodedCount += blocks << 16
  }

  /// Appends blocks of 5 bytes that decode to nothing.
  mutating func appendNothing(blocks: Int) {
    for _ in 0..<blocks { bytes += [0, 0, 0, 0xFF, 0xFF] }
  }

  /// Appends bytes as they are, in blocks of at most 65,535 with a header of 5 bytes each.
  ///
  /// - Parameter padding: The first byte of each header. Its three low bits, which are the type of the
  ///   block, are 0, or 1 for the last block; a decoder ignores the others.
  mutating func appendStored(_ content: [UInt8], padding: UInt8 = 0) {
    for start in stride(from: 0, to: content.count, by: 65_535) {
      let block = content[start...].prefix(65_535)
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      bytes += [padding, low, high, ~low, ~high] + block
    }
    decodedCount += content.count
  }
}
