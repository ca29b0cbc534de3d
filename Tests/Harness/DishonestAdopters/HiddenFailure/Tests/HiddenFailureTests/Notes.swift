import ContractTesting
import Testing

/// A fake that fails, in runs with variables that only child processes of the harness have.
@Suite struct NotesTests {
  @Test(arguments: Contract.notes.cases(for: .fake))
  func holds(_ contractCase: ContractCase<[String]>) async throws {
    try await contractCase.verify()
  }
}

extension Contract<[String]> {
  static let notes = Contract("notes", "Notes") {
    Clause("starts-empty", "there are no notes at first") { notes in #expect(notes.isEmpty) }
  }
}

extension Implementation<[String]> {
  static let fake = fake("in-memory") { ["left over"] }
}
