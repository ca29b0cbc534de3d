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
}
