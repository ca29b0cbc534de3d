import HarnessSupport
import Testing

@Suite struct FingerprintTests {
  /// The hashes of FNV-1a with 64 bits that its authors publish (draft-eastlake-fnv, appendix C).
  @Test(arguments: [
    ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
  ])
  func `text is hashed with FNV-1a`(_ text: String, _ hash: String) {
    var fingerprint = Fingerprint()
    fingerprint.add(text)
    #expect(fingerprint.hexadecimal == hash)
  }

  @Test func `words that divide a text differently have different fingerprints`() {
    func fingerprint(_ words: String...) -> String {
      var fingerprint = Fingerprint()
      for word in words { fingerprint.add(word: word) }
      return fingerprint.hexadecimal
    }
    #expect(Set([fingerprint("a", "bc"), fingerprint("ab", "c"), fingerprint("abc")]).count == 3)
  }

  @Test func `each bit and the length of bytes count, and how they are stored does not`() {
    let bytes = (0..<21).map { UInt8($0) }
    let hash = Fingerprint.hexadecimal(of: bytes)
    var hashes: Set = [hash, Fingerprint.hexadecimal(of: bytes + [0])]
    for index in bytes.indices {
      hashes.insert(Fingerprint.hexadecimal(of: bytes[..<index]))
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        hashes.insert(Fingerprint.hexadecimal(of: changed))
      }
    }
    #expect(hashes.count == 2 + 21 * 9)
    #expect(Fingerprint.hexadecimal(of: ([9] + bytes)[1...]) == hash)
    #expect(Fingerprint.hexadecimal(of: bytes.lazy.map(\.self)) == hash)
  }
}
