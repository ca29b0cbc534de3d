import CZlib

/// Decodes gzip with any number of members, and deflate with or without the zlib wrapper.
///
/// Sources: RFC 1950, 1951 and 1952; RFC 9110 §8.4.1.2 for servers that send deflate without the
/// wrapper.
final class ZlibDecoder: ContentDecoder {
  /// The wrapper around the deflated data.
  enum Format {
    case gzip
    case deflate
  }

  private let format: Format
  private var stream: UnsafeMutablePointer<z_stream>?
  private var prefix: [UInt8] = []
  private var hasInput = false
  private var isAtEnd = false

  init(format: Format) {
    self.format = format
  }

  deinit {
    guard let stream else { return }
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  var mayEnd: Bool { !hasInput || isAtEnd }

  func decode(_ input: ArraySlice<UInt8>) throws(DecodingFailure) -> DecodingStep {
    hasInput = hasInput || !input.isEmpty
    if isAtEnd {
      guard format == .gzip, let stream else {
        throw .corrupt("bytes follow the end of the encoded content")
      }
      inflateReset(stream)
      isAtEnd = false
    }
    if let stream { return try inflate(stream, input) }
    if format == .gzip { return try inflate(open(windowBits: 15 + 16), input) }
    // The first two bytes distinguish a zlib wrapper from raw deflate, so both are collected first.
    let taken = input.prefix(2 - prefix.count)
    prefix += taken
    guard prefix.count == 2 else {
      return DecodingStep(consumed: taken.count, output: [], hasMoreOutput: false)
    }
    let opened = try open(windowBits: Self.isZlibHeader(prefix) ? 15 : -15)
    var step = try inflate(opened, prefix[...])
    step.consumed = taken.count
    return step
  }

  /// Whether two bytes are a zlib header: method 8, a window of at most 32 KiB, a valid checksum.
  private static func isZlibHeader(_ bytes: [UInt8]) -> Bool {
    bytes[0] & 0x0F == 8 && bytes[0] >> 4 <= 7 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
  }

  private func open(
    windowBits: Int32
  ) throws(DecodingFailure) -> UnsafeMutablePointer<z_stream> {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    self.stream = stream
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
      throw .outOfMemory
    }
    return stream
  }

  private func inflate(
    _ stream: UnsafeMutablePointer<z_stream>, _ input: ArraySlice<UInt8>
  ) throws(DecodingFailure) -> DecodingStep {
    let input = input.prefix(Int(Int32.max))
    var status = Z_OK
    let output = [UInt8](unsafeUninitializedCapacity: decodingStepSize) { output, count in
      input.withUnsafeBufferPointer { input in
        // zlib only reads through `next_in`, but declares it without const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        status = CZlib.inflate(stream, Z_NO_FLUSH)
      }
      count = output.count - Int(stream.pointee.avail_out)
    }
    switch status {
    case Z_STREAM_END: isAtEnd = true
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw .outOfMemory
    default:
      throw .corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")
    }
    return DecodingStep(
      consumed: input.count - Int(stream.pointee.avail_in), output: output,
      hasMoreOutput: !isAtEnd && output.count == decodingStepSize)
  }
}
