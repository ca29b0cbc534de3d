import ContractTesting
import Testing

/// A fake that overflows its stack.
@Suite struct NotesTests {
  @Test(arguments: Contract.notes.cases(for: .fake))
  func holds(_ contractCase: ContractCase<Notes>) async throws { try await contractCase.verify() }
}

struct Notes {
  func count(_ number: Int) -> Int { number < 0 ? 0 : count(number + 1) + 1 }
}

extension Contract<Notes> {
  static let notes = Contract("notes", "Notes", leavesOthersToMutants: true) {
    Clause("counts", "the number of notes is known") { notes in #expect(notes.count(0) == 0) }
    Clause("exists", "there are notes") { _ in #expect(Bool(true)) }
  }
}

extension Implementation<Notes> {
  static let fake = fake("in-memory") { Notes() }
}
