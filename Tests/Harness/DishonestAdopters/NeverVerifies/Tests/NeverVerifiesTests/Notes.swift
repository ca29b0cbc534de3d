import ContractTesting
import Testing

/// A test that takes the cases and never verifies them.
@Suite struct NotesTests {
  @Test(arguments: Contract.notes.cases(for: .fake))
  func holds(_ contractCase: ContractCase<[String]>) {}
}

extension Contract<[String]> {
  static let notes = Contract("notes", "Notes", leavesOthersToMutants: true) {
    Clause("starts-empty", "there are no notes at first") { notes in #expect(notes.isEmpty) }
  }
}

extension Implementation<[String]> {
  static let fake = fake("in-memory") { ["left over"] }
}
