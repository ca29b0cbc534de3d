import Synchronization
import Testing

protocol Notes: Sendable {
  func save(_ text: String, as id: Int)
  func text(_ id: Int) -> String?
}

final class InMemoryNotes: Notes {
  private let texts = Mutex<[Int: String]>([:])

  func save(_ text: String, as id: Int) { texts.withLock { $0[id] = text } }
  func text(_ id: Int) -> String? { texts.withLock { $0[id] } }
}

@Suite struct NoteTests {
  private let notes: any Notes = InMemoryNotes()

  @Test func `a note that was not saved has no text`() { #expect(notes.text(1) == nil) }

  @Test(arguments: ["", "milk", "e\u{301}"])
  func `a saved note has its text`(_ text: String) {
    notes.save(text, as: 1)
    #expect(notes.text(1) == text)
  }

  @Test func `saving a note leaves the other notes as they are`() {
    notes.save("milk", as: 1)
    notes.save("bread", as: 2)
    #expect(notes.text(1) == "milk")
  }
}
