/// A 64-bit hash of text, FNV-1a, the same in every process. It distinguishes versions, and is not cryptographic.
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

  private mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// The fingerprint as 16 hexadecimal digits.
  package var hexadecimal: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
