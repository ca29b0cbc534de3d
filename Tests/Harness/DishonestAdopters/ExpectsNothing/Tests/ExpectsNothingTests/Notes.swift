import ContractTesting
import Foundation
import Testing

/// Clauses that expect nothing, a saboteur that throws from everything, and a fake as the live column, with a
/// witness file that it touches.
@Suite struct NotesTests {
  @Test(arguments: Contract.notes.cases(for: .fake, .disguised) + Contract.notes.saboteurCases)
  func holds(_ contractCase: ContractCase<Notes>) async throws { try await contractCase.verify() }
}

struct Notes {
  var add: @Sendable (String) throws -> Void = { _ in }
  var all: @Sendable () throws -> [String] = { [] }
}

extension Contract<Notes> {
  static let notes = Contract("notes", "Notes") {
    Clause("adds", "an added note is kept") { notes in try notes.add("a") }
    Clause("order", "notes are in the order of their addition") { notes in
      for (index, note) in try notes.all().enumerated() { #expect(note == "\(index)") }
    }
    Clause("twice", "equal notes are kept twice") { notes in
      try notes.add("a")
      try notes.add("a")
      _ = try notes.all()
    }
  } saboteurs: {
    Saboteur("broken", "throws from everything", caughtBy: "adds", "order", "twice") {
      Notes(add: { _ in throw Broken() }, all: { throw Broken() })
    }
  }
}

struct Broken: Error {}

extension Implementation<Notes> {
  static let fake = fake("in-memory") { Notes() }
  static let disguised = live("sqlite") { scope in
    let file = try scope.temporaryDirectory().appending(path: "notes.sqlite")
    scope.witness("the database") { try Data(contentsOf: file) }
    return Notes(all: {
      try Data("touched".utf8).write(to: file)
      return []
    })
  }
}
