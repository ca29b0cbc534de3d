import ContractTesting
import Foundation
import Testing

/// A live column that is the fake: nothing reaches the file that it names.
@Suite struct NotesTests {
  @Test(arguments: Contract.notes.cases(for: .fake, .disguised) + Contract.notes.saboteurCases)
  func holds(_ contractCase: ContractCase<Notes>) async throws { try await contractCase.verify() }
}

actor Notes {
  private var notes: [String] = []
  private let isDeaf: Bool

  init(isDeaf: Bool = false) { self.isDeaf = isDeaf }

  func add(_ note: String) { if !isDeaf { notes.append(note) } }
  func all() -> [String] { notes }
}

extension Contract<Notes> {
  static let notes = Contract("notes", "Notes") {
    Clause("adds", "an added note is kept") { notes in
      await notes.add("a")
      #expect(await notes.all() == ["a"])
    }
  } saboteurs: {
    Saboteur("deaf", "adds nothing", caughtBy: "adds") { Notes(isDeaf: true) }
  }
}

extension Implementation<Notes> {
  static let fake = fake("in-memory") { Notes() }
  static let disguised = live("files") { scope in
    scope.witness(file: try scope.temporaryDirectory().appending(path: "notes.json"))
    return Notes()
  }
}
