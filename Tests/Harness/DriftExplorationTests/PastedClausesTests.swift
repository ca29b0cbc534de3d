import ContractTesting
import DriftExploration
import Foundation
import Testing

// The clauses are as the explorations below print them.
extension Contract<any Notes> {
  fileprivate static let notes = Contract("drift-notes", "Notes, from exploration") {
    Clause(
      "add-remove-remove",
      "notes.remove(add1) throws NotesError.unknownID after notes.add(\"a\"), notes.remove(add1)",
      from: "exploration, seed 1"
    ) { notes in
      let add1 = notes.add("a")
      try notes.remove(add1)
      #expect(throws: NotesError.unknownID) {
        try notes.remove(add1)
      }
    }
    Clause(
      "set-set-text",
      "notes.text(for: \"a\") returns \"b\" after notes.set(\"a\", for: \"a\"), notes.set(\"b\", for: \"a\")",
      from: "exploration, seed 1"
    ) { notes in
      try notes.set("a", for: "a")
      try notes.set("b", for: "a")
      #expect(try notes.text(for: "a") == "b")
    }
    Clause(
      "add-add-last", "notes.last() returns \"b\" after notes.add(\"a\"), notes.add(\"b\")",
      from: "exploration, seed 1"
    ) { notes in
      _ = notes.add("a")
      _ = notes.add("b")
      let all = notes.all()
      #expect(all.last == "b")
    }
    Clause(
      "add-add-all", "notes.all() returns [\"a\", \"b\"] after notes.add(\"a\"), notes.add(\"b\")",
      from: "exploration, seed 2"
    ) { notes in
      _ = notes.add("a")
      _ = notes.add("b")
      let answer = notes.all()
      #expect(answer.map { $0.lowercased() } == ["a", "b"])
    }
    Clause(
      "text", "notes.text(for: \"a\") throws NotesError.failed(message: \"no text for a\")",
      from: "exploration, seed 1"
    ) { notes in
      #expect(throws: NotesError.failed(message: "no text for a")) {
        _ = try notes.text(for: "a")
      }
    }
    Clause(
      "throw-by-count", "notes.throwByCount() throws CocoaError, code 4",
      from: "exploration, seed 1"
    ) { notes in
      let error = #expect(throws: CocoaError.self) {
        try notes.throwByCount()
      }
      #expect(error?.errorCode == 4)
    }
    Clause(
      "refuse-by-count", "notes.refuseByCount() throws Refusal.tooMany(count: 0)",
      from: "exploration, seed 1"
    ) { notes in
      let error = #expect(throws: Refusal.self) {
        try notes.refuseByCount()
      }
      #expect(error.map { "\($0)" } == "tooMany(count: 0)")
    }
    Clause(
      "any-count", "notes.anyCount() returns 0",
      from: "exploration, seed 1"
    ) { notes in
      let answer = try notes.anyCount()
      #expect(answer as? Int == 0)
    }
    Clause(
      "note-count", "notes.noteCount() returns 0",
      from: "exploration, seed 1"
    ) { notes throws in
      #expect(try notes.noteCount() == 0)
    }
    Clause(
      "set", "notes.set(\"\", for: \"a\") returns",
      from: "exploration, seed 2"
    ) { notes in
      #expect(throws: Never.self) {
        try notes.set("", for: "a")
      }
    }
  }
}

@Suite struct PastedClausesTests {
  @Test(arguments: Contract.notes.cases(for: .reference))
  func holdOnTheLiveSide(_ contractCase: ContractCase<any Notes>) async throws {
    try await contractCase.verify()
  }

  @Test(arguments: [
    MemoryNotes.Mistake.keepsFirst, .removesTwice, .orders, .otherError, .crashesOnEmptyText,
    .countsOneMore,
  ])
  func arePrintedAsTheyArePasted(_ mistake: MemoryNotes.Mistake) async throws {
    let here = Self.withoutSpaces(try String(contentsOfFile: #filePath, encoding: .utf8))
    try await findDrift(
      of: [.notes(mistake)], from: .reference, settings: .brief,
      filePath: FileManager.default.temporaryDirectory.appending(path: "\(UUID())/Tests.swift")
        .path,
      Self.operations
    ) { result in
      #expect(!result.problems.isEmpty)
      for problem in result.problems {
        let clause = problem.components(separatedBy: "\nClause(").dropFirst().joined()
        #expect(here.contains(Self.withoutSpaces("Clause(" + clause)))
      }
    }
  }

  /// The text without white space, which a formatter changes, and without seeds, which the way of drawing does.
  private static func withoutSpaces(_ text: String) -> String {
    text.filter { !$0.isWhitespace }.replacing(/seed\d+/, with: "seed")
  }

  @OperationBuilder<any Notes> private static var operations: [AnyOperation<any Notes>] {
    Operation("set", .texts, .keys) { notes, text, key in try notes.set(text, for: key) }
    Operation("text", .keys) { notes, key in try notes.text(for: key) }
    Operation("add", .texts) { notes, text in notes.add(text) }.ignoringAnswer()
    Operation("remove", .result(of: "add")) { try $0.remove($1) }
    Operation("all") { notes in notes.all() }.comparing { notes in notes.map { $0.lowercased() } }
    Operation("noteCount") { notes in try notes.noteCount() }
    Operation("throwByCount") { notes in try notes.throwByCount() }
    Operation("refuseByCount") { notes in try notes.refuseByCount() }
    Operation("anyCount") { notes in try notes.anyCount() }
    Operation("last") { notes in
      let all = notes.all()
      return all.last
    }
  }
}
