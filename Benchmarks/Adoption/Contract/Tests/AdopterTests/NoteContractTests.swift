import ContractTesting
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

extension Contract<any Notes> {
  static let notes = Contract("notes", "Notes") {
    Clause("missing", "a note that was not saved has no text") { notes in
      #expect(notes.text(1) == nil)
    }
    Clause("keeps", "a saved note has its text") { notes in
      for text in ["", "milk", "e\u{301}"] {
        notes.save(text, as: 1)
        #expect(notes.text(1) == text)
      }
    }
    Clause("separate", "saving a note leaves the other notes as they are") { notes in
      notes.save("milk", as: 1)
      notes.save("bread", as: 2)
      #expect(notes.text(1) == "milk")
    }
  }
}

extension Implementation<any Notes> {
  static let inMemory = fake("in-memory") { InMemoryNotes() }
}

@Suite struct NoteContractTests {
  @Test(arguments: Contract.notes.cases(for: .inMemory))
  func holds(_ clause: ContractCase<any Notes>) async throws { try await clause.verify() }
}
