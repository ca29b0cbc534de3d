import Testing

@Suite struct NoteTests {
  @Test(arguments: ["", "milk", "e\u{301}"])
  func keeps(_ text: String) {
    var notes: [Int: String] = [:]
    notes[1] = text
    #expect(notes[1] == text)
  }
}
