import Testing
import TransportPort

@Suite struct HTTPFieldsTests {
  @Test func `names are compared case-insensitively and keep their spelling`() {
    let fields: HTTPFields = ["X-Trace": "1"]
    #expect(fields["x-TRACE"] == "1")
    #expect(fields.first?.name.rawName == "X-Trace")
    #expect(HTTPField.Name("ACCEPT") == .accept)
    #expect(HTTPField.Name("ACCEPT").hashValue == HTTPField.Name.accept.hashValue)
  }

  @Test func `setting a value replaces all lines at the position of the first`() {
    var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
    fields["A"] = "9"
    #expect(fields.map(\.description) == ["A: 9", "B: 2"])
    fields["A"] = nil
    #expect(fields.map(\.description) == ["B: 2"])
  }

  @Test func `bytes that are not UTF-8 are decoded as Latin-1 and kept`() {
    let field = HTTPField(name: "X", bytes: [0x63, 0x61, 0x66, 0xE9])
    #expect(field.value == "café")
    #expect(field.bytes == [0x63, 0x61, 0x66, 0xE9])
    #expect(HTTPField(name: "X", value: "café").bytes == Array("café".utf8))
    #expect(HTTPField(name: "X", value: "café").value == "café")
  }

  @Test(arguments: ["a\r\nb", "a\nb", "a\rb", "a\0b", "a\u{7F}", "\u{1}"])
  func `a value with a control character is invalid`(value: String) {
    #expect(!HTTPField(name: "X", value: value).hasValidValue)
  }

  @Test(arguments: ["", "a\tb", "café", "a b"])
  func `a value with tabs and non-ASCII characters is valid`(value: String) {
    #expect(HTTPField(name: "X", value: value).hasValidValue)
  }

  @Test func `a list has the members of all lines, in lower case and without empty ones`() {
    let fields: HTTPFields = ["Via": " A,, b ,\t,", "X": "no", "via": "C"]
    #expect(fields.list("VIA") == ["a", "b", "c"])
  }
}
