import CZlib

/// Compresses bytes with zlib; `windowBits` is 31 for gzip, 15 for zlib and -15 for raw deflate.
func deflated(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
  var stream = z_stream()
  let size = Int32(MemoryLayout<z_stream>.size)
  deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
  defer { deflateEnd(&stream) }
  var input = bytes
  let room = Int(deflateBound(&stream, UInt(bytes.count))) + 64
  return [UInt8](unsafeUninitializedCapacity: room) { output, count in
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      _ = deflate(&stream, Z_FINISH)
      count = output.count - Int(stream.avail_out)
    }
  }
}

/// A text of 89 bytes, encoded by the reference encoder.
enum Brotli {
  static let encoded: [UInt8] = [
    0x1B, 0x58, 0x00, 0x00, 0x44, 0xDB, 0x46, 0xA9, 0x2E, 0x24, 0x5B, 0x32, 0x14, 0xC5, 0x53, 0x91,
    0x67, 0x72, 0xF2, 0xE7, 0x28, 0x46, 0x41, 0x95, 0x57, 0xB6, 0xB2, 0x59, 0xD0, 0x7C, 0xE1, 0x95,
    0xA7, 0x23, 0xF2, 0xA2, 0xAC, 0x36, 0x26, 0xB8, 0x45, 0x1F, 0x18, 0xC3, 0xAA, 0xFB, 0x0F, 0x81,
    0xC9, 0x00, 0x00,
  ]
}
