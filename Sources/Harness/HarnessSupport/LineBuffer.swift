import Foundation

/// Lines that arrive in pieces through a descriptor.
package struct LineBuffer {
  private var bytes: [UInt8] = []
  /// Where the next line begins in `bytes`.
  private var start = 0

  /// How many bytes are read at once.
  private static let chunk = 16_384

  package init() {}

  /// Reads once from a descriptor, which may block.
  ///
  /// - Returns: Whether something was read; `false` at the end or after an error.
  package mutating func fill(from descriptor: CInt) -> Bool {
    var count = 0
    let new = [UInt8](unsafeUninitializedCapacity: Self.chunk) { new, length in
      repeat {
        count = read(descriptor, new.baseAddress, Self.chunk)
      } while count < 0 && errno == EINTR
      length = max(count, 0)
    }
    bytes.removeFirst(start)
    start = 0
    bytes += new
    return count > 0
  }

  /// Takes the next whole line, without its end, or returns `nil` if no whole line has arrived.
  package mutating func next() -> String? {
    let line = bytes.withUnsafeBytes { bytes -> (text: String, length: Int)? in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      // memchr(3) and not `firstIndex`, which takes many times as long in a debug build.
      guard let base = rest.baseAddress, let end = memchr(base, 0x0a, rest.count) else {
        return nil
      }
      let length = UnsafeRawPointer(end) - base
      let line = UnsafeRawBufferPointer(start: base, count: length)
      return (String(decoding: line, as: UTF8.self), length)
    }
    guard let line else { return nil }
    start += line.length + 1
    return line.text
  }
}
