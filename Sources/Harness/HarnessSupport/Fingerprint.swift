/// A 64-bit hash of text or bytes, the same in every process. It distinguishes versions, and is not
/// cryptographic. Text is hashed with FNV-1a.
package struct Fingerprint: Sendable {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates the fingerprint of no text.
  package init() {}

  /// Adds text.
  package mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
  }

  /// Adds text and a separator, so that "a", "bc" and "ab", "c" have different fingerprints.
  package mutating func add(word: String) {
    add(word)
    // No UTF-8 text contains this byte.
    add(0xff)
  }

  /// The hexadecimal fingerprint of bytes.
  package static func hexadecimal(of bytes: some Collection<UInt8>) -> String {
    var fingerprint = Fingerprint()
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable {
      fingerprint.add(bytes: UnsafeRawBufferPointer($0))
    }
    if isContiguous == nil { Array(bytes).withUnsafeBytes { fingerprint.add(bytes: $0) } }
    return fingerprint.hexadecimal
  }

  /// Adds bytes, eight at a time: a debug build takes about 10 ms for a megabyte.
  private mutating func add(bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      hash =
        (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x100_0000_01b3
      // A multiplication moves bits up only; without this, the high bytes of a word hardly count.
      hash ^= hash >> 32
      offset += 8
    }
    while offset < bytes.count {
      add(bytes[offset])
      offset += 1
    }
    add(UInt8(truncatingIfNeeded: bytes.count))
  }

  private mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// The fingerprint as 16 hexadecimal digits.
  package var hexadecimal: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
