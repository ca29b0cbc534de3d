import Testing
import TransportPort

@Suite struct TransportTextTests {
  @Test func `classes of bytes are those of ASCII`() {
    for byte in UInt8.min ... .max {
      let character = Character(Unicode.Scalar(byte))
      #expect(byte.isDigit == "0123456789".contains(character), "\(byte)")
      #expect(byte.isHexDigit == "0123456789abcdefABCDEF".contains(character), "\(byte)")
      #expect(byte.isLetter == (character.isASCII && character.isLetter), "\(byte)")
      #expect(byte.isSpace == " \t".contains(character), "\(byte)")
      let isToken =
        character.isASCII && (character.isLetter || character.isNumber)
        || "!#$%&'*+-.^_`|~".contains(character)
      #expect(byte.isTokenByte == isToken, "\(byte)")
    }
  }

  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("AbZ", "abz"), ("[@`{É", "[@`{É"), ("é", "é"),
  ])
  func `only A to Z have lower case`(text: String, lower: String) {
    #expect(text.asciiLowercased() == lower)
    #expect(Substring(text).asciiLowercased() == lower)
  }
}
