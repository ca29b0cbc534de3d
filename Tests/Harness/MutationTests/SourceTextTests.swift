import SwiftSource
import Testing

@Suite struct SourceTextTests {
  @Test(arguments: [
    ("1...x", "1"), ("1..<9", "1"), ("1.5+x", "1.5"), ("0x1F)", "0x1F"), ("1e-3 ", "1e-3"),
    ("0xE+1", "0xE"), ("1_000,", "1_000"), ("name.x", "name"), ("`in`.x", "`in`"),
    ("$0 ", "$0"), ("x!=y", "x"), (")+1", ")"), ("!==", "!"), ("<=1", "<="),
    (#""a\"b" "#, #""a\"b""#), (#""a\(f("x)"))b"+"#, #""a\(f("x)"))b""#),
    ("#\"a\"b\"# ", "#\"a\"b\"#"), ("\"\"\"\na\"b\n\"\"\".x", "\"\"\"\na\"b\n\"\"\""),
    ("\"\" ", "\"\""),
  ])
  func `the token at the beginning of a text ends where the compiler's does`(
    text: String, token: String
  ) {
    let source = SourceText(text)
    #expect(source[0..<source.endOfToken(at: 0)] == token)
  }

  @Test func `lines and columns count from 1, in bytes`() {
    let source = SourceText("a\nß b\n")
    #expect(source.line(of: 2) == 2)
    #expect(source.column(of: 5) == 4)
    #expect(source.offset(line: 2, column: 4) == 5)
    #expect(source.lines == ["a", "ß b", ""])
  }
}
